/**
 * Decides whether a request of an account is within its rate limit, and returns the tokens that are left, or the seconds after
 * which a refused request will be admitted. One token bucket per account for all threads that share the memory. Admission
 * depends only on the bucket; booked places only spread the retries of refused requests.
 */
import { bytesForAccounts, type Counters, openCounters } from './shared-counters.ts'
import { type RateLimit, type TokenBucket, tokenBucket } from './token-bucket.ts'

type RateDecision = {
  readonly allowed: boolean
  /** Requests that would be admitted now. */
  readonly remaining: number
  /** Whole seconds, rounded up, until the bucket is full. */
  readonly resetSeconds: number
  /** Whole seconds after which a refused request will be admitted, at least 1; 0 for an admitted one. */
  readonly retryAfterSeconds: number
}

export type RateLimiter = {
  readonly limit: RateLimit
  /** Limiters with the same memory are one limiter; they need the same limit. */
  readonly memory: SharedArrayBuffer
  readonly take: (accountId: string) => RateDecision
}

export type RateLimiterOptions = {
  /** The memory of another thread's limiter, or new memory filled with zeros. */
  readonly memory?: SharedArrayBuffer | undefined
  /** Nanoseconds, not negative; all threads need the same clock. */
  readonly clock?: () => bigint
}

/** The counter for when the bucket of the account will be full again. */
const FULL = 0
/** The counter for when it will be full again if every refused request returns at its place. */
const BOOKED = 1

/** 65,536 accounts take 2 MiB. */
const ACCOUNTS = 65_536

/** Retry-After is at most 60 s, unless the bucket needs longer to regain a token. */
const FURTHEST_SECONDS = 60

/** Returns null when there is no limit: for null, or a rate of 0. */
export function createRateLimiter(
  limit: RateLimit | null,
  {
    memory = new SharedArrayBuffer(bytesForAccounts(ACCOUNTS)),
    clock = process.hrtime.bigint,
  }: RateLimiterOptions = {},
): RateLimiter | null {
  if (limit === null || limit.rate === 0) return null
  const bucket = tokenBucket(limit)
  const countersOf = openCounters(memory)
  const take = (accountId: string): RateDecision => {
    const counters = countersOf(accountId)
    const now = bucket.moment(clock())
    for (;;) {
      const fullAt = Atomics.load(counters, FULL)
      if (!bucket.admits(fullAt, now)) {
        return decision(bucket, fullAt, now, bookPlace(bucket, counters, fullAt, now))
      }
      const next = bucket.afterRequest(fullAt, now)
      // Another thread may have taken the token in between; then try again.
      if (Atomics.compareExchange(counters, FULL, fullAt, next) === fullAt) {
        return decision(bucket, next, now, 0)
      }
    }
  }
  return { limit, memory, take }
}

function decision(bucket: TokenBucket, fullAt: bigint, now: bigint, retryAfterSeconds: number): RateDecision {
  return {
    allowed: retryAfterSeconds === 0,
    remaining: bucket.tokens(fullAt, now),
    resetSeconds: bucket.secondsUntilFull(fullAt, now),
    retryAfterSeconds,
  }
}

/**
 * Books a place for a refused request: the first whole second from now at which the bucket will admit it, even if every request
 * with an earlier place returns on time. Only this counter stores places, and it expires with time: requests that return early
 * or not at all affect others for at most a minute.
 *
 * Requests that are sent at once do not arrive at once, and requests that are admitted while others are already refused take
 * tokens that were promised. The spare tokens in the calculation cover this.
 */
function bookPlace(bucket: TokenBucket, counters: Counters, fullAt: bigint, now: bigint): number {
  for (;;) {
    const booked = Atomics.load(counters, BOOKED)
    const expected = booked > fullAt ? booked : fullAt
    const seconds = bucket.secondsUntilSurelyAdmitted(expected, now)
    if (seconds > FURTHEST_SECONDS) {
      return Math.max(FURTHEST_SECONDS, bucket.secondsUntilAdmitted(fullAt, now))
    }
    const next = bucket.afterRequest(expected, bucket.later(now, seconds))
    if (Atomics.compareExchange(counters, BOOKED, booked, next) === booked) return seconds
  }
}
