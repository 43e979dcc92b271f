/** Limits how often one caller may call an endpoint that has a limit, after the caller was admitted. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressGroup } from '../../auth/client-address.ts'
import type { CallRates } from '../../auth/limits/call-rates.ts'
import type { PublishedEndpoint } from '../../directory/endpoints/published-endpoints.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { User } from '../../kernel/user.ts'
import { callerAddress } from '../request-report.ts'
import { tooManyCalls } from './problems.ts'

const periodSeconds = { second: 1, minute: 60 } as const

/**
 * Counts the call and sends what is left in the RateLimit headers. Does nothing when the endpoint has no limit.
 *
 * @returns Problem SRV142 beyond the limit
 */
export function limitCalls(
  { endpoint: { id, rateLimit }, user }: { readonly endpoint: PublishedEndpoint; readonly user: User },
  request: FastifyRequest,
  reply: FastifyReply,
  callRates: CallRates | undefined,
): Problem | undefined {
  if (rateLimit === undefined || callRates === undefined) return undefined
  const { calls, per, by = 'caller' } = rateLimit
  const seconds = periodSeconds[per]
  const isKnown = by === 'caller' && user.isAuthenticated
  const who = isKnown ? user.principalId : (addressGroup(callerAddress(request)) ?? 'unknown')
  const left = callRates.take(`${id} ${isKnown ? 'caller' : 'address'} ${who}`, { calls, seconds })
  reply.headers({
    'ratelimit-policy': `"endpoint";q=${calls};w=${seconds}`,
    ratelimit: `"endpoint";r=${left.remaining};t=${left.resetSeconds}`,
  })
  return left.retryAfterSeconds === 0 ? undefined : tooManyCalls(rateLimit, left.retryAfterSeconds)
}
