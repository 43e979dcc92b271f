/**
 * Limits the rate of an account's requests, after authentication: counts the request, sends what is left in the RateLimit
 * headers (draft-ietf-httpapi-ratelimit-headers), and refuses with 429 beyond the limit.
 */
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { RateLimiter } from '../auth/limits/rate-limiter.ts'
import { tooManyRequests } from './problems.ts'
import type { AuthenticatedAccount } from './request-report.ts'

type Headers = Readonly<Record<string, string>>

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the route has a limit. */
    rateLimit?: Headers
  }
}

/** @param policy the limit's name for callers, such as `v1`. Without a limiter every request passes, without headers. */
export function limitRate(policy: string, limiter: RateLimiter | null): onRequestHookHandler {
  if (limiter === null) return (_request, _reply, done) => done()
  const { rate, burst } = limiter.limit
  // In thousandths, the steps of a rate: 0.3 has no exact binary form to divide by.
  const window = Math.ceil((burst * 1000) / Math.round(rate * 1000))
  const policyHeader = `"${policy}";q=${burst};w=${window}`
  return (request, reply, done) => {
    const { accountId } = request.account as AuthenticatedAccount
    const { allowed, remaining, resetSeconds, retryAfterSeconds } = limiter.take(accountId)
    request.rateLimit = {
      'ratelimit-policy': policyHeader,
      ratelimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
    }
    reply.headers(request.rateLimit)
    done(allowed ? undefined : tooManyRequests(limiter.limit, retryAfterSeconds))
  }
}

const none: Headers = {}

/** For an answer that bypasses Fastify, which would have added these headers. */
export function rateLimitHeaders(request: FastifyRequest): Headers {
  return request.rateLimit ?? none
}
