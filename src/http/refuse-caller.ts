/**
 * How a caller without a good credential is refused, on every kind of route: with the route's own 401, or with 429 when too
 * many requests from the same address, or with the same credential, were refused before. A good credential never comes here.
 */
import type { FastifyRequest } from 'fastify'
import { addressGroup } from '../auth/client-address.ts'
import type { Failures } from '../auth/limits/failures.ts'
import type { Problem } from '../kernel/problem.ts'
import type { RouteFamily } from '../observe/route-family.ts'
import { tooManyFailures } from './problems.ts'

/** The refusal is what would be answered with 401. */
export type RefuseCaller = (
  request: FastifyRequest,
  routes: RouteFamily,
  credential: Credential,
  refusal: () => Problem,
) => Problem

type Credential = string | readonly string[] | undefined

/** For a server that limits nothing: each caller gets its refusal, and each has a line in the log. */
export const refuseEach: RefuseCaller = (request, routes, _credential, refusal) => {
  request.refusedCaller = { routes, inSummary: false }
  return refusal()
}

export function createRefuseCaller(failures: Failures): RefuseCaller {
  return (request, routes, credential, refusal) => {
    const { retryAfterSeconds, inSummary } = failures.note({
      requestId: request.id,
      address: addressOf(request),
      credential: markOf(credential),
      routes,
    })
    request.refusedCaller = { routes, inSummary }
    return retryAfterSeconds === 0 ? refusal() : tooManyFailures(retryAfterSeconds)
  }
}

/** What a trusted proxy says of its client, if that is an address; else where the connection comes from. */
const addressOf = ({ ip, raw }: FastifyRequest): string =>
  addressGroup(ip) ?? addressGroup(raw.socket.remoteAddress) ?? 'unknown'

/** Keys differ from their first character on; tokens, which come behind the word Bearer, at their end, in the signature. */
const MARK_LENGTH = 8

/** Enough to tell an old key that is sent from many places, or guesses at the rest of a key, from everything else. */
function markOf(credential: Credential): string | undefined {
  const text = typeof credential === 'object' ? credential[0] : credential
  if (text === undefined || text === '') return undefined
  return text.includes(' ') ? text.slice(-MARK_LENGTH) : text.slice(0, MARK_LENGTH)
}
