/**
 * `GET /api/v2/bookings`, `/invoices`, `/itineraries` and the same of `/api/v1` (specification 4.1 and 4.2): take the
 * request apart, ask for the answer, write it. HEAD tells what GET would, without building a body that is not small.
 */
import type { ServerResponse } from 'node:http'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestHookHandler,
} from 'fastify'
import type { RateLimiter } from '../auth/rate-limiter.ts'
import type { Observe } from '../observe/observation.ts'
import type { Answer, ApiVersion, DataRequest } from '../read/answer.ts'
import type { ListName } from '../schema/datasets.ts'
import {
  type Authenticate,
  type AuthenticateVersion1,
  requireApiKey,
  requireVersion1Credential,
} from './guards.ts'
import { type JsonBody, jsonBody } from './json-body.ts'
import { listOperation } from './openapi-operations.ts'
import { version1ListOperation } from './openapi-version-1.ts'
import { isStillGood } from './preconditions.ts'
import { readParameters, readRawParameters } from './query-parameters.ts'
import { limitRate, rateLimitHeaders } from './rate-limit.ts'
import type { AuthenticatedAccount } from './request-report.ts'
import { ignoredParametersWarning } from './warnings.ts'

export type DataRouteDeps = {
  readonly answer: (request: DataRequest) => Promise<Answer>
  readonly authenticate: Authenticate
  readonly authenticateVersion1: AuthenticateVersion1
  /** Per version; null where nothing is limited. */
  readonly rateLimiters: { readonly v1: RateLimiter | null; readonly v2: RateLimiter | null }
  readonly observe: Observe
}

export function dataRoutes(server: FastifyInstance, deps: DataRouteDeps): void {
  const { authenticate, authenticateVersion1, rateLimiters, observe } = deps
  const versions: readonly Version[] = [
    {
      version: 2,
      guards: [requireApiKey(authenticate, observe), limitRate('v2', rateLimiters.v2)],
      operation: listOperation,
    },
    {
      version: 1,
      guards: [requireVersion1Credential(authenticateVersion1, observe), limitRate('v1', rateLimiters.v1)],
      operation: version1ListOperation,
    },
  ]
  for (const { version, guards, operation } of versions) {
    for (const list of ['bookings', 'invoices', 'itineraries'] as const) {
      const url = `/api/v${version}/${list}`
      const route = { url, onRequest: [...guards], handler: readList(version, list, deps) }
      server.route({ ...route, method: 'GET', schema: operation(list), exposeHeadRoute: false })
      server.route({ ...route, method: 'HEAD', schema: { hide: true } })
    }
  }
}

type Version = {
  readonly version: ApiVersion
  /** In this order. */
  readonly guards: readonly onRequestHookHandler[]
  readonly operation: (list: ListName) => FastifySchema
}

const parametersOf = { 1: readRawParameters, 2: readParameters } as const

function readList(version: ApiVersion, list: ListName, { answer, observe }: DataRouteDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const found = await answer({
      version,
      list,
      principal: request.account as AuthenticatedAccount,
      parameters: parametersOf[version](request.raw.url as string),
    })
    if (isStillGood(request.raw.headers['if-none-match'], found.etag)) {
      return reply.code(304).headers(listHeaders(request, found)).send()
    }
    const left = leaving(reply.raw)
    const result = await found.execute(left).catch((cause: unknown) => {
      if (left.aborted) return null
      throw cause
    })
    if (result === null) return reply.hijack()
    const started = performance.now()
    const body = jsonBody(found, result)
    observe({ kind: 'stage-timed', stage: 'write', milliseconds: performance.now() - started })
    if (body.kind === 'whole') return sendWhole(request, reply, found, body)
    reply.headers(listHeaders(request, found)).header('content-type', jsonType)
    if (request.method === 'HEAD') return reply.send()
    const stream = body.open((bytes) => (request.bodyBytes += bytes))
    stream.once('error', (cause) => observe({ kind: 'request-failed', requestId: request.id, cause }))
    return reply.send(stream)
  }
}

/** Aborted when the caller goes away, so that nothing is worked out for nobody. */
function leaving(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  return controller.signal
}

const jsonType = 'application/json; charset=utf-8'

/** Past Fastify, which takes one buffer only: joining the parts would copy every record once more. */
function sendWhole(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  { byteLength, parts }: Extract<JsonBody, { kind: 'whole' }>,
): FastifyReply {
  const { raw } = reply.hijack()
  const headers = listHeaders(request, answer)
  headers['content-type'] = jsonType
  headers['content-length'] = String(byteLength)
  raw.writeHead(200, headers)
  if (request.method !== 'HEAD') {
    request.bodyBytes = byteLength
    for (const part of parts) raw.write(part)
  }
  raw.end()
  return reply
}

/** One literal with the frame's own in it: joining objects would cost more than writing them. */
function listHeaders(
  request: FastifyRequest,
  { version, etag, lastModified, snapshotId, ignored }: Answer,
): Record<string, string> {
  const headers: Record<string, string> = {
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    etag,
    'last-modified': httpDate(lastModified),
    'cache-control': 'private, no-cache',
    vary: varies[version],
    'snapshot-id': snapshotId,
  }
  const warning = ignoredParametersWarning(ignored)
  if (warning !== undefined) headers.warning = warning
  return request.rateLimit === undefined ? headers : Object.assign(headers, rateLimitHeaders(request))
}

const varies = {
  1: 'psk, X-API-Key, Accept, Accept-Encoding',
  2: 'X-API-Key, Accept, Accept-Encoding',
} as const

/** All answers of a snapshot carry the same date. */
let lastDate = { time: Number.NaN, text: '' }

function httpDate(date: Date): string {
  const time = date.getTime()
  if (time !== lastDate.time) lastDate = { time, text: date.toUTCString() }
  return lastDate.text
}
