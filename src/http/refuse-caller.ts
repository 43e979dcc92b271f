/**
 * Refuses a request without a valid credential, on every kind of route: with the 401 of the route, or with 429 after too many
 * refusals of the same address or the same credential. A valid credential never comes here.
 */
import type { FastifyRequest } from 'fastify'
import { addressGroup } from '../auth/client-address.ts'
import type { Failures } from '../auth/limits/failures.ts'
import type { Problem } from '../kernel/problem.ts'
import type { RouteFamily } from '../observe/route-family.ts'
import { tooManyFailures } from './problems.ts'

/** @param refusal builds the problem of the 401 */
export type RefuseCaller = (
  request: FastifyRequest,
  routes: RouteFamily,
  credential: Credential,
  refusal: () => Problem,
) => Problem

type Credential = string | readonly string[] | undefined

/** For a server without this limit: each request gets its 401 and a line in the log. */
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

/** The client address that a trusted proxy names, if it is an address; else the address of the connection. */
const addressOf = ({ ip, raw }: FastifyRequest): string =>
  addressGroup(ip) ?? addressGroup(raw.socket.remoteAddress) ?? 'unknown'

/** Keys differ in their first characters; tokens, which follow the word Bearer, in their last ones, the signature. */
const MARK_LENGTH = 8

/** A part of the credential: enough to recognise one old key sent from many places, or guesses at the rest of a key. */
function markOf(credential: Credential): string | undefined {
  const text = typeof credential === 'object' ? credential[0] : credential
  if (text === undefined || text === '') return undefined
  return text.includes(' ') ? text.slice(-MARK_LENGTH) : text.slice(0, MARK_LENGTH)
}
