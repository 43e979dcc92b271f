/**
 * The frame around every request: checks it against HTTP and the limits, adds its id to the answer, and reports one
 * observation when it is over, however it ended. Routes note account, bytes and problem on the request.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { plainAddress } from '../auth/client-address.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import type { Observe, RefusedCaller } from '../observe/observation.ts'
import { CALL_DEPTH_HEADER, callDepthOf } from '../outbound/call-depth.ts'
import { type AllowedMethods, pathOf } from './allowed-methods.ts'
import { announcesBody, faultOfFraming } from './announced-body.ts'
import type { Connections } from './connections/connections.ts'
import { faultOfHost, faultOfTarget } from './connections/request-target.ts'
import { errorResponse } from './error-response.ts'
import { isProbe } from './health-routes.ts'
import { nearestAddress } from './nearest-address.ts'
import {
  callsTooDeep,
  expectationFailed,
  malformedRequest,
  methodNotAllowed,
  requestLineTooLong,
  routeNotFound,
  tooManyConnections,
} from './problems.ts'

/** The account of a request, and the hash of the key that it used. */
export type AuthenticatedAccount = Principal & { readonly keyHash: string }

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard of a route that has one. */
    account: AuthenticatedAccount | null
    startedAt: number
    /** Bytes sent so far of a body that the route writes itself. */
    bodyBytes: number
    problem: string | null
    /** Replaces the pattern of a route that serves several endpoints. */
    routePattern: string | null
    /** Set when the credential was missing or not valid. */
    refusedCaller: RefusedCaller | null
  }
}

export type FrameDeps = {
  readonly observe: Observe
  readonly requestLineBytes: number
  /** How many runs of scripts, each called by the one before, may stand before a request. */
  readonly mostCallDepth: number
  readonly connections?: Pick<Connections, 'begin'>
  /** Whether there is nothing at the address for this caller. */
  readonly isHidden?: ((request: FastifyRequest) => boolean) | undefined
}

export function frameRequests(
  server: FastifyInstance,
  allowedMethods: AllowedMethods,
  { observe, connections, isHidden, ...limits }: FrameDeps,
): void {
  const notFound = (nearest?: string) => routeNotFound(isHidden === undefined, nearest)
  server.decorateRequest('account', null)
  server.decorateRequest('startedAt', 0)
  server.decorateRequest('bodyBytes', 0)
  server.decorateRequest('problem', null)
  server.decorateRequest('routePattern', null)
  server.decorateRequest('refusedCaller', null)
  server.addHook('onRequest', (request, reply, done) => {
    openFrame(request, reply, observe)
    if (connections?.begin(request.raw, reply.raw) && !isProbe(request.routeOptions.url)) {
      return done(tooManyConnections())
    }
    const refused = refusal(request, limits, notFound)
    if (refused !== null) return done(refused)
    if (isHidden?.(request)) return done(notFound())
    // Here and not in a handler: an unknown address is 404 whatever the body looks like.
    if (request.is404) return answerUnrouted(request, reply, { allowedMethods, notFound }, done)
    done()
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(frameHeaders(request))
    done(null, payload)
  })
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply, observe))
  server.setNotFoundHandler(() => {
    throw notFound()
  })
}

function answerUnrouted(
  { method, raw }: FastifyRequest,
  reply: FastifyReply,
  {
    allowedMethods,
    notFound,
  }: { readonly allowedMethods: AllowedMethods; readonly notFound: (nearest?: string) => Problem },
  done: (refusal: Error) => void,
): void {
  const answer = (allowed: string | undefined) => {
    if (allowed === undefined) {
      done(notFound(nearestAddress(raw.url as string)))
      return
    }
    reply.header('allow', allowed)
    if (method === 'OPTIONS') reply.code(204).send()
    else done(methodNotAllowed(method, allowed, isForm(method, raw.url as string)))
  }
  const allowed = allowedMethods(raw.url as string)
  if (allowed instanceof Promise) allowed.then(answer, done)
  else answer(allowed)
}

/** Whether the request probably sends the parameters of a list as a form, as curl does with `-d`. */
const isForm = (method: string, address: string): boolean =>
  method === 'POST' && /^\/api\/v[12]\/(?:bookings|invoices|itineraries)(?:\/changes)?$/.test(pathOf(address))

/** The headers of every answer, whether Fastify or the route writes it. */
export function frameHeaders({ id }: FastifyRequest) {
  return { 'x-request-id': id, 'x-content-type-options': 'nosniff' }
}

/** Starts the clock, and reports the observation when the response closes. */
export function openFrame(request: FastifyRequest, reply: FastifyReply, observe: Observe): void {
  request.startedAt = performance.now()
  reply.raw.on('close', () => {
    observe({
      kind: 'request-answered',
      requestId: request.id,
      method: request.method,
      route: request.routePattern ?? request.routeOptions.url ?? 'unmatched',
      status: reply.raw.statusCode,
      milliseconds: performance.now() - request.startedAt,
      bytes: bodyLength(request, reply),
      accountId: request.account?.accountId,
      clientNumber: request.account?.clientNumber,
      address: callerAddress(request),
      problem: request.problem ?? undefined,
      aborted: !reply.raw.writableFinished,
      refusedCaller: request.refusedCaller ?? undefined,
    })
  })
}

/** What a trusted proxy names, if it is an address; else the address of the connection. */
export const callerAddress = ({ ip, raw }: FastifyRequest): string | undefined =>
  plainAddress(ip) ?? plainAddress(raw.socket.remoteAddress)

function bodyLength({ method, bodyBytes }: FastifyRequest, reply: FastifyReply): number {
  if (bodyBytes > 0) return bodyBytes
  return method === 'HEAD' ? 0 : Number(reply.getHeader('content-length') ?? 0)
}

export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  observe: Observe,
): FastifyReply {
  // A caller that leaves in the middle of a body is not a failure of the service.
  const error = hasLeft(request) ? malformedRequest('the connection ended before the body did') : thrown
  const { status, headers, body, problem, isFailure } = errorResponse(error, request.id)
  request.problem = problem
  if (isFailure) observe({ kind: 'request-failed', requestId: request.id, cause: error })
  if (isBodyPending(request)) reply.header('connection', 'close')
  // Programs of operators, such as the command line, tell problems apart by it.
  if (problem !== null && request.raw.url?.startsWith('/api/admin/')) reply.header('x-error-code', problem)
  return reply.code(status).headers(headers).send(body)
}

const hasLeft = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete

/** The caller may still be sending, or wait for 100-continue: the connection cannot serve another request. */
const isBodyPending = ({ raw }: FastifyRequest): boolean => !raw.complete && announcesBody(raw)

/** Checks the rules of HTTP that node does not check. */
function refusal(
  { raw, originalUrl }: FastifyRequest,
  { requestLineBytes, mostCallDepth }: Pick<FrameDeps, 'requestLineBytes' | 'mostCallDepth'>,
  notFound: () => Problem,
): Problem | null {
  const { method = '', url = '', headers, rawHeaders, httpVersion }: IncomingMessage = raw
  // A request line without a version is not valid (RFC 9112, section 3); versions other than 1.x are not supported.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return malformedRequest('the request line has to end with HTTP/1.1')
  }
  // `GET /path?query HTTP/1.1`: node passes the address with one character per byte.
  if (method.length + url.length + '  HTTP/1.1'.length > requestLineBytes)
    return requestLineTooLong(requestLineBytes)
  // The router would match the root.
  if (url === '//') return notFound()
  if (url.includes('#')) return malformedRequest("a '#' in the address has to be written as %23")
  const targetFault = faultOfTarget(originalUrl, method)
  if (targetFault !== null) return malformedRequest(targetFault)
  const hostFault = faultOfHost(headers.host, rawHeaders, httpVersion)
  if (hostFault !== null) return malformedRequest(hostFault)
  const framingFault = faultOfFraming(raw)
  if (framingFault !== null) return malformedRequest(framingFault)
  const depth = callDepthOf(headers[CALL_DEPTH_HEADER])
  if (depth === null) return malformedRequest(`the header ${CALL_DEPTH_HEADER} is for requests of scripts`)
  if (depth > mostCallDepth) return callsTooDeep(mostCallDepth)
  if (headers.expect !== undefined && !/100-continue/i.test(headers.expect)) return expectationFailed()
  return null
}
