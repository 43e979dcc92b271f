import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type RateLimit, tokenBucket } from './token-bucket.ts'

const SECOND = 1_000_000_000n

/** Rates in thousandths, so that the checks can be made in whole numbers. */
const anyRate = fc.oneof(
  fc.constantFrom(3_000n, 7_000n, 50_000n, 500n, 1n, 999_983n, 1_000_000_000n),
  fc.bigInt({ min: 1n, max: 2_000_000n }),
)
const anyBurst = fc.oneof(fc.constantFrom(1, 2, 200), fc.integer({ min: 1, max: 20 }))

/** Waits between requests in thousandths of an interval: none, a part of one, about one, several. */
const anyWaits = fc.array(
  fc.oneof(
    fc.constant(0n),
    fc.bigInt({ min: 0n, max: 900n }),
    fc.bigInt({ min: 990n, max: 1_010n }),
    fc.constant(1_000n),
    fc.bigInt({ min: 0n, max: 30_000n }),
  ),
  { minLength: 1, maxLength: 120 },
)

const momentsOf = (waits: readonly bigint[], thousandths: bigint) => {
  let moment = 123_456_789n
  return waits.map((wait) => (moment += (wait * SECOND + thousandths - 1n) / thousandths))
}

/** The decisions of the one-number bucket. */
function decisions(limit: RateLimit, moments: readonly bigint[]): boolean[] {
  const bucket = tokenBucket(limit)
  let fullAt = 0n
  return moments.map((moment) => {
    const now = bucket.moment(moment)
    const admitted = bucket.admits(fullAt, now)
    if (admitted) fullAt = bucket.afterRequest(fullAt, now)
    return admitted
  })
}

/** A naive bucket: tokens drip in, a request takes one out. A token is 10^12 drops, so all amounts are whole. */
function explained(thousandths: bigint, burst: number, moments: readonly bigint[]): boolean[] {
  const token = 1000n * SECOND
  const whole = BigInt(burst) * token
  let [drops, last] = [whole, 0n]
  return moments.map((moment) => {
    drops += (moment - last) * thousandths
    if (drops > whole) drops = whole
    last = moment
    if (drops < token) return false
    drops -= token
    return true
  })
}

describe('tokenBucket', () => {
  it('decides like a naive bucket when an interval is a whole number of nanoseconds', () => {
    const whole = fc.constantFrom(1n, 500n, 1_000n, 2_500n, 8_000n, 50_000n, 64_000n, 1_000_000n, 10n ** 9n)
    fc.assert(
      fc.property(whole, anyBurst, anyWaits, (thousandths, burst, waits) => {
        const moments = momentsOf(waits, thousandths)
        const limit = { rate: Number(thousandths) / 1000, burst }
        assert.deepEqual(decisions(limit, moments), explained(thousandths, burst, moments))
      }),
      { numRuns: 500 },
    )
  })

  it('never admits more in a span than the burst and the tokens that the span regains, at any rate', () => {
    fc.assert(
      fc.property(anyRate, anyBurst, anyWaits, (thousandths, burst, waits) => {
        const moments = momentsOf(waits, thousandths)
        const admitted = decisions({ rate: Number(thousandths) / 1000, burst }, moments)
        const taken = moments.filter((_, i) => admitted[i])
        for (const [first, start] of taken.entries()) {
          for (const [more, end] of taken.slice(first).entries()) {
            const beyondBurst = BigInt(more + 1 - burst)
            assert.ok(beyondBurst * 1000n * SECOND < (end - start + 1n) * thousandths)
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  it('admits exactly the burst at one moment, at any rate and moment', () => {
    const anyMoment = fc.bigInt({ min: 0n, max: 10n ** 18n })
    fc.assert(
      fc.property(anyRate, anyBurst, anyMoment, (thousandths, burst, moment) => {
        const moments = Array.from({ length: burst + 2 }, () => moment)
        const admitted = decisions({ rate: Number(thousandths) / 1000, burst }, moments)
        assert.equal(admitted.indexOf(false), burst)
      }),
    )
  })

  it('loses no nanosecond over a million tokens, also when an interval is not a whole number of nanoseconds', () => {
    const burst = 1_000_000
    for (const thousandths of [3_000n, 7_000n, 50_000n, 999_983n, 1n]) {
      const bucket = tokenBucket({ rate: Number(thousandths) / 1000, burst })
      let emptied = 0n
      for (let taken = 0; taken < burst; taken++) {
        emptied = bucket.afterRequest(emptied, bucket.moment(0n))
      }
      const full = (BigInt(burst) * 1000n * SECOND + thousandths - 1n) / thousandths
      assert.equal(bucket.tokens(emptied, bucket.moment(0n)), 0)
      assert.equal(bucket.tokens(emptied, bucket.moment(full - 1n)), burst - 1)
      assert.equal(bucket.tokens(emptied, bucket.moment(full)), burst)
    }
  })

  it('refuses a rate below a thousandth, and a burst that is not a positive whole number', () => {
    for (const limit of [
      { rate: 0, burst: 1 },
      { rate: 0.0004, burst: 1 },
      { rate: -1, burst: 1 },
      { rate: 1, burst: 0 },
      { rate: 1, burst: 1.5 },
    ]) {
      assert.throws(() => tokenBucket(limit), RangeError)
    }
  })
})
