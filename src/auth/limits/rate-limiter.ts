/**
 * How often may an account ask? Its id enters; whether this request is within the limit leaves, with what is left, or with
 * the seconds after which a refused request will be admitted. One token bucket per account for all threads that share the
 * memory. Admission depends on the bucket alone; promises only spread out the refused.
 */
import { bytesForAccounts, type Counters, openCounters } from './shared-counters.ts'
import { type RateLimit, type TokenBucket, tokenBucket } from './token-bucket.ts'

type RateDecision = {
  readonly allowed: boolean
  /** Requests that would still be admitted at once. */
  readonly remaining: number
  /** Whole seconds, rounded up, until the bucket is full. */
  readonly resetSeconds: number
  /** Whole seconds after which a refused request will be admitted, at least 1; 0 for one that was. */
  readonly retryAfterSeconds: number
}

export type RateLimiter = {
  readonly limit: RateLimit
  /** Limiters over the same memory are one limiter; they have to be given the same limit. */
  readonly memory: SharedArrayBuffer
  readonly take: (accountId: string) => RateDecision
}

export type RateLimiterOptions = {
  /** Of another thread's limiter, or new and full of zeros. */
  readonly memory?: SharedArrayBuffer | undefined
  /** Nanoseconds, not negative, the same in every thread. */
  readonly clock?: () => bigint
}

/** Where the counters of an account hold the moment at which its bucket will be full again... */
const FULL = 0
/** ...and what that moment will have become when all who were given a place have come back. */
const BOOKED = 1

/** 2 MiB. */
const ACCOUNTS = 65_536

/** Further ahead nobody is sent, unless the bucket itself takes longer to regain a token. */
const FURTHEST_SECONDS = 60

/** Null where there is no limit: for null, or a rate of 0. */
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
      // Another thread may have taken the very token that was seen here; then look again.
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
 * Gives a refused request a place: the first whole second from now at which the bucket will admit it, even if everybody
 * who was given a place before comes back in time. The place is kept by nothing but this account of who was promised
 * what, which time makes meaningless: those who do not come back, or come early, harm nobody for longer than a minute.
 *
 * Requests that are sent at once do not arrive at once, and those that are admitted while others are already being refused
 * take tokens that were promised. Hence the spare tokens in the reckoning.
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
