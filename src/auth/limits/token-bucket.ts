/**
 * The arithmetic of a token bucket that is stored as one number: when the bucket will be full again (the generic cell rate
 * algorithm of ITU-T I.371). A request advances it by the interval of one token; a request that would advance it by more than a
 * whole bucket is refused. Pure; the caller stores the number.
 */

export type RateLimit = {
  /** Tokens per second, in thousandths; above 0, up to a million. */
  readonly rate: number
  /** Tokens in a full bucket; 1 to a million. */
  readonly burst: number
}

/** Moments are in ticks; a tick is at most a nanosecond. */
export type TokenBucket = ReturnType<typeof tokenBucket>

const NANOSECONDS = 1_000_000_000n

export function tokenBucket({ rate, burst }: RateLimit) {
  const thousandths = BigInt(Math.round(rate * 1000))
  if (thousandths < 1n || !Number.isSafeInteger(burst) || burst < 1) {
    throw new RangeError(`No bucket holds ${burst} tokens and regains ${rate} per second`)
  }
  // The least number of ticks per second, at least 10^9, for which an interval is a whole number of ticks: tokens are never
  // rounded, and 63 bits last for more than a century. Only the clock is rounded, by less than a nanosecond.
  const second = ceilDivide(NANOSECONDS, thousandths) * thousandths
  const interval = (second / thousandths) * 1000n
  const whole = BigInt(burst) * interval
  const slack = whole - interval
  const spare = smaller(second / interval, BigInt(burst)) / 4n

  return {
    moment: (nanoseconds: bigint): bigint =>
      second === NANOSECONDS ? nanoseconds : (nanoseconds * second) / NANOSECONDS,
    later: (moment: bigint, seconds: number): bigint => moment + BigInt(seconds) * second,
    admits: (fullAt: bigint, now: bigint): boolean => fullAt - now <= slack,
    afterRequest: (fullAt: bigint, now: bigint): bigint => (fullAt > now ? fullAt : now) + interval,
    tokens: (fullAt: bigint, now: bigint): number =>
      Math.max(0, Math.min(burst, Number((now + whole - fullAt) / interval))),
    secondsUntilFull: (fullAt: bigint, now: bigint): number => wholeSeconds(fullAt - now),
    secondsUntilAdmitted: (fullAt: bigint, now: bigint): number => wholeSeconds(fullAt - slack - now),
    /** With spare tokens: those of a quarter of a second, but at most a quarter of a bucket. */
    secondsUntilSurelyAdmitted: (fullAt: bigint, now: bigint): number =>
      wholeSeconds(fullAt + spare * interval - slack - now),
  }

  function wholeSeconds(ticks: bigint): number {
    return ticks <= 0n ? 0 : Number(ceilDivide(ticks, second))
  }
}

const smaller = (a: bigint, b: bigint) => (a < b ? a : b)

/** The dividend must not be negative. */
function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}
