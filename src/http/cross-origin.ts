/**
 * Lets web pages of the configured origins call the APIs of clients (CORS, section 3.2 of the Fetch standard): answers their
 * preflight requests, and adds the headers with which a browser shows an answer to the page. Without origins nothing is added,
 * and browsers keep answers from pages of other origins. A browser never sends cookies or stored passwords along, because no
 * answer allows credentials.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { pathOf } from './allowed-methods.ts'

type Sharing = {
  readonly origins: readonly string[]
  readonly headers?: readonly string[] | undefined
  readonly maxAgeSeconds?: number | undefined
}

/** Alternating names and values. */
type Headers = readonly string[]

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for a request that needs none. */
    crossOriginHeaders: Headers | null
  }
}

/** Client data, dynamic endpoints and the OpenAPI document. Administration and monitoring are not for web pages of others. */
const SHARED = /^\/(?:api\/(?:v1|v2|events\/v1|dynamic)\/|openapi\.json$)/

/** Besides those that a page may always read. */
const EXPOSED = [
  'Changes-Token',
  'Content-Disposition',
  'ETag',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Snapshot-Id',
  'Warning',
  'WWW-Authenticate',
  'X-Execution-Id',
  'X-Request-Id',
  'X-Total-Count',
].join(', ')

/** Only the answer to an allowed preflight request has it. */
const OF_PREFLIGHT = 'access-control-max-age'

/** How long a browser may keep the answer to a preflight request. */
const MAX_AGE_SECONDS = 600

/** A list of names of headers. */
const NAMES = /^[\w!#$%&'*+.^`|~, -]{1,2000}$/

/**
 * Must be called before the other hooks are added, so that every refusal has the headers too.
 *
 * @param origins or `*` for all
 * @returns the headers of an answer to a request that no hook sees, because the router has refused its address
 */
export function shareAcrossOrigins(
  server: FastifyInstance,
  origins: readonly string[],
): (request: IncomingMessage) => Readonly<Record<string, string>> {
  server.decorateRequest('crossOriginHeaders', null)
  if (origins.length === 0) return () => ({})
  const headersFor = headersBy({ origins })
  const isShared = ({ url }: IncomingMessage) => SHARED.test(pathOf(url as string))
  server.addHook('onRequest', (request, _reply, done) => {
    if (isShared(request.raw)) request.crossOriginHeaders = headersFor(request.raw)
    done()
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    const { crossOriginHeaders: headers } = request
    if (headers !== null) addTo(reply, headers)
    done(null, payload)
  })
  return (request) => {
    const headers = isShared(request) ? headersFor(request) : []
    return Object.fromEntries(
      headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] as string]] : [])),
    )
  }
}

export function addTo(reply: FastifyReply, headers: Headers): void {
  const varies = [reply.getHeader('vary')]
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1]]
    if (name === 'vary') varies.push(value)
    else reply.header(name, value)
  }
  if (varies.length > 1) reply.header('vary', varies.filter((value) => value !== undefined).join(', '))
  const methods = reply.getHeader('allow')
  if (methods !== undefined && headers.includes(OF_PREFLIGHT)) {
    reply.header('access-control-allow-methods', methods)
  }
}

/** A browser asks before it sends a request that a form could not send. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

/** @param sharing without `headers`, pages may send headers of any name */
export function headersBy({
  origins,
  headers: sendable,
  maxAgeSeconds = MAX_AGE_SECONDS,
}: Sharing): (request: IncomingMessage) => Headers {
  const isForAll = origins.includes('*')
  const allowed: ReadonlySet<string> = new Set(origins)
  // The same address has another answer for other origins, also for none.
  const vary = isForAll ? [] : ['vary', 'Origin']
  const readersOf = (origin: string | undefined): string | null => {
    // Also without an origin: a cache may give the same answer to a page later.
    if (isForAll) return '*'
    return origin !== undefined && allowed.has(origin) ? origin : null
  }
  return (request) => {
    const { origin, 'access-control-request-headers': wanted } = request.headers
    const readers = readersOf(origin)
    if (readers === null) return vary
    const shared = [...vary, 'access-control-allow-origin', readers]
    if (!isPreflight(request)) return [...shared, 'access-control-expose-headers', EXPOSED]
    shared.push(OF_PREFLIGHT, String(maxAgeSeconds))
    // Scripts read headers of any name.
    if (sendable !== undefined) shared.push('access-control-allow-headers', sendable.join(', '))
    else if (wanted !== undefined && NAMES.test(wanted)) shared.push('access-control-allow-headers', wanted)
    return shared
  }
}
