/**
 * Lets web pages call an endpoint that says which (its member `cors`), in place of the setting for all endpoints. A preflight
 * request is answered for the endpoint that it asks about, before any credential is looked at and without a run.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { routeTable } from '../../automation/endpoint/route-table.ts'
import type { PublishedEndpoint } from '../../directory/endpoints/published-endpoints.ts'
import type { CrossOrigin } from '../../schema/endpoint-shapes.ts'
import { addTo, headersBy, isPreflight } from '../cross-origin.ts'
import { routeNotFound } from '../problems.ts'
import { allowHeader, endpointPath, methodOfRoute } from './endpoint-path.ts'

const sharings = new WeakMap<CrossOrigin, ReturnType<typeof headersBy>>()

/** Every answer to the request gets the headers, refusals too. */
export function shareAnswer(request: FastifyRequest, reply: FastifyReply, cors: CrossOrigin): void {
  let headersFor = sharings.get(cors)
  if (headersFor === undefined) {
    headersFor = headersBy(cors)
    sharings.set(cors, headersFor)
  }
  request.crossOriginHeaders = null
  addTo(reply, headersFor(request.raw))
}

/** @throws Problem SRV101 when no endpoint has the path */
export function answerOptions(
  request: FastifyRequest,
  reply: FastifyReply,
  published: readonly PublishedEndpoint[],
  hasReference?: boolean,
): FastifyReply {
  const table = routeTable(published)
  const path = endpointPath(request.raw.url as string)
  const others = table.match('OPTIONS', path)
  if (others.kind !== 'wrong-method') throw routeNotFound(hasReference)
  reply.header('allow', allowHeader(others.allowed))
  const asked = askedMethod(request.raw)
  const match = asked === undefined ? others : table.match(methodOfRoute(asked), path)
  if (match.kind === 'found' && match.endpoint.cors !== undefined) {
    shareAnswer(request, reply, match.endpoint.cors)
  }
  return reply.code(204).send()
}

const askedMethod = (request: IncomingMessage): string | undefined =>
  isPreflight(request) ? request.headers['access-control-request-method'] : undefined
