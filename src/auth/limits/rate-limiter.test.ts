import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import type { TakingThreadAnswers, TakingThreadData } from '../testing/taking-thread.ts'
import { createRateLimiter, type RateLimiter, type RateLimiterOptions } from './rate-limiter.ts'
import { bytesForAccounts } from './shared-counters.ts'
import type { RateLimit } from './token-bucket.ts'

const SECOND = 1_000_000_000n
const accountId = randomUUID()

function limiterOf(limit: RateLimit, options: RateLimiterOptions = {}): RateLimiter {
  const memory = new SharedArrayBuffer(bytesForAccounts(16))
  const limiter = createRateLimiter(limit, { memory, ...options })
  assert.ok(limiter)
  return limiter
}

/** A limiter whose clock the test sets. */
function simulated(limit: RateLimit, memory?: SharedArrayBuffer) {
  const time = { now: 77n * SECOND + 5n }
  const clock = () => time.now
  const limiter = limiterOf(limit, memory === undefined ? { clock } : { clock, memory })
  return { time, limiter, take: (id = accountId) => limiter.take(id) }
}

const repeat = <T>(count: number, ask: () => T): T[] => Array.from({ length: count }, ask)

describe('take', () => {
  it('returns the tokens that are left and when the bucket is full, and admits again as it refills', () => {
    const { time, take } = simulated({ rate: 2, burst: 3 })
    const admitted = (remaining: number, resetSeconds: number) => ({
      allowed: true,
      remaining,
      resetSeconds,
      retryAfterSeconds: 0,
    })
    assert.deepEqual(repeat(3, take), [admitted(2, 1), admitted(1, 1), admitted(0, 2)])
    assert.deepEqual(take(), { allowed: false, remaining: 0, resetSeconds: 2, retryAfterSeconds: 1 })
    time.now += SECOND / 2n - 1n
    assert.equal(take().allowed, false)
    time.now += 1n
    assert.deepEqual(take(), admitted(0, 2))
    time.now += 60n * SECOND
    assert.deepEqual(take(), admitted(2, 1))
  })

  it('uses the clock of the process by default', () => {
    const { take } = limiterOf({ rate: 0.001, burst: 2 })
    assert.deepEqual(
      repeat(3, () => take(accountId).allowed),
      [true, true, false],
    )
  })

  it('does not let accounts influence each other', () => {
    const asked = fc.array(fc.record({ who: fc.nat(2), wait: fc.bigInt({ min: 0n, max: SECOND }) }), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(
        fc.double({ min: 0.5, max: 20, noNaN: true }),
        fc.integer({ min: 1, max: 5 }),
        asked,
        (rate, burst, questions) => {
          const ids = repeat(3, randomUUID)
          const together = simulated({ rate, burst })
          const alone = ids.map(() => simulated({ rate, burst }))
          for (const { who, wait } of questions) {
            for (const { time } of [together, ...alone]) time.now += wait
            assert.deepEqual(together.take(ids[who]), alone[who]?.take(ids[who]))
          }
        },
      ),
    )
  })

  it('limits accounts exactly also when the memory is full', () => {
    const { take } = simulated({ rate: 1, burst: 3 }, new SharedArrayBuffer(bytesForAccounts(2)))
    for (const id of repeat(10, randomUUID)) {
      assert.deepEqual(
        repeat(5, () => take(id).allowed),
        [true, true, true, false, false],
      )
    }
  })

  it('is the same limiter over the same memory', () => {
    const here = simulated({ rate: 1, burst: 4 })
    const there = simulated({ rate: 1, burst: 4 }, here.limiter.memory)
    assert.deepEqual(
      repeat(3, () => [here.take().allowed, there.take().allowed]),
      [
        [true, true],
        [true, true],
        [false, false],
      ],
    )
  })
})

describe('createRateLimiter', () => {
  it('returns null when there is no limit', () => {
    assert.equal(createRateLimiter(null), null)
    assert.equal(createRateLimiter({ rate: 0, burst: 200 }), null)
  })
})

describe('Retry-After', () => {
  /**
   * Sends requests at the given times, and each refused one again after exactly its Retry-After. Returns the Retry-After values
   * of the first and of the second refusals.
   */
  function sendAndReturn({ time, take }: ReturnType<typeof simulated>, moments: readonly bigint[]) {
    const start = time.now
    const told: { first: number[]; second: number[] } = { first: [], second: [] }
    const returns: bigint[] = []
    const send = (moment: bigint, list: number[]) => {
      time.now = moment
      const { allowed, retryAfterSeconds } = take()
      if (!allowed) list.push(retryAfterSeconds)
      return allowed ? null : moment + BigInt(retryAfterSeconds) * SECOND
    }
    const fresh = moments.map((moment) => start + moment).sort(ascending)
    for (const moment of fresh) {
      while (returns[0] !== undefined && returns[0] <= moment) send(returns.shift() as bigint, told.second)
      const back = send(moment, told.first)
      if (back !== null) returns.push(back)
      returns.sort(ascending)
    }
    for (const moment of returns) send(moment, told.second)
    return told
  }

  const ascending = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)

  /** The number of occurrences of each value. */
  const tally = (values: readonly number[]) =>
    Object.fromEntries(
      [...Map.groupBy(values, (value) => value)].map(([value, { length }]) => [value, length]),
    )

  const anyRate = fc.oneof(
    fc.constantFrom(0.1, 0.5, 1, 3, 50),
    fc.integer({ min: 100, max: 20_000 }).map((thousandths) => thousandths / 1000),
  )
  const anyBurst = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 60 }))

  /** Few enough requests that every Retry-After is below a minute. */
  const belowTheCap = (count: number, rate: number, burst: number) =>
    Math.min(count, Math.ceil(20 * Math.min(rate, burst)))

  it('spreads 100 requests that are refused at once over the seconds that have tokens for them', () => {
    const all = simulated({ rate: 50, burst: 200 })
    const { first, second } = sendAndReturn(
      all,
      repeat(300, () => 0n),
    )
    assert.deepEqual(tally(first), { 1: 38, 2: 50, 3: 12 })
    assert.deepEqual(second, [])
  })

  it('books no more requests for one second than the bucket holds, however fast it refills', () => {
    const { first, second } = sendAndReturn(
      simulated({ rate: 50, burst: 10 }),
      repeat(40, () => 0n),
    )
    for (const count of Object.values(tally(first))) assert.ok(count <= 10)
    assert.deepEqual(second, [])
  })

  it('is correct for any number of requests at once, from any state of the bucket', () => {
    const drained = fc.nat(80)
    const pause = fc.bigInt({ min: 0n, max: 3n * SECOND })
    fc.assert(
      fc.property(anyRate, anyBurst, drained, pause, fc.nat(1000), (rate, burst, before, wait, size) => {
        const all = simulated({ rate, burst })
        for (let i = 0; i < Math.min(before, burst - 1); i++) all.take()
        all.time.now += wait
        const { remaining } = all.take()
        const refused = belowTheCap(size + 1, rate, burst)
        const { first, second } = sendAndReturn(
          all,
          repeat(remaining + refused, () => 0n),
        )
        assert.equal(first.length, refused)
        assert.ok(Math.max(...first) < 60)
        assert.deepEqual(second, [])
      }),
      { numRuns: 400 },
    )
  })

  it('is correct for requests that are refused at any times before the empty bucket regains a token', () => {
    const shares = fc.array(fc.bigInt({ min: 0n, max: 999n }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(anyRate, anyBurst, shares, (rate, burst, moments) => {
        const all = simulated({ rate, burst })
        repeat(burst, () => all.take())
        const interval = (1000n * SECOND) / BigInt(Math.round(rate * 1000))
        const few = moments.slice(0, belowTheCap(moments.length, rate, burst))
        const { first, second } = sendAndReturn(
          all,
          few.map((share) => (share * interval) / 1000n),
        )
        assert.equal(first.length, few.length)
        assert.ok(Math.max(...first) < 60)
        assert.deepEqual(second, [])
      }),
      { numRuns: 400 },
    )
  })

  it('is correct for requests that arrive over a while, some admitted while others are already refused', () => {
    const fastRate = fc.integer({ min: 4, max: 500 })
    const largeBurst = fc.integer({ min: 4, max: 100 })
    const shares = fc.array(fc.bigInt({ min: 0n, max: 1000n }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(fastRate, largeBurst, shares, (rate, burst, moments) => {
        // The spare tokens: as many may be taken from requests that already have a place.
        const spread = (BigInt(Math.floor(Math.min(rate, burst) / 4)) * SECOND) / BigInt(rate)
        const few = moments.slice(0, belowTheCap(moments.length, rate, burst))
        const all = simulated({ rate, burst })
        repeat(burst, all.take)
        const { first, second } = sendAndReturn(
          all,
          few.map((share) => (share * spread) / 1000n),
        )
        assert.ok(Math.max(0, ...first) < 60)
        assert.deepEqual(second, [])
      }),
      { numRuns: 400 },
    )
  })

  it('is short for an account that rarely exceeds its limit', () => {
    const { time, take } = simulated({ rate: 50, burst: 200 })
    for (let minute = 0; minute < 10; minute++) {
      const decisions = repeat(201, take)
      assert.deepEqual(
        decisions.filter(({ allowed }) => !allowed).map((one) => one.retryAfterSeconds),
        [1],
      )
      time.now += 60n * SECOND
    }
  })

  it('is at most a minute, and its places are forgotten after a minute', () => {
    const { time, take } = simulated({ rate: 50, burst: 200 })
    const told = repeat(100_000, () => take().retryAfterSeconds)
    assert.equal(Math.max(...told), 60)
    time.now += 60n * SECOND
    assert.ok(repeat(200, take).every(({ allowed }) => allowed))
    time.now += 5n * SECOND
    repeat(200, take)
    assert.equal(take().retryAfterSeconds, 1)
  })

  it('is the time in which the bucket regains a token, even if that is more than a minute', () => {
    const { time, take } = simulated({ rate: 0.01, burst: 1 })
    take()
    assert.deepEqual(
      repeat(3, () => take().retryAfterSeconds),
      [100, 100, 100],
    )
    time.now += 100n * SECOND
    assert.equal(take().allowed, true)
  })
})

describe('threads', () => {
  const threads = 4
  const thread = new URL('../testing/taking-thread.ts', import.meta.url)

  const answerOf = async (worker: Worker): Promise<TakingThreadAnswers> => (await once(worker, 'message'))[0]

  /** The decisions of all threads together, by account. */
  async function hammer(data: Pick<TakingThreadData, 'limit' | 'memory' | 'accountIds' | 'rounds' | 'step'>) {
    const clock = new SharedArrayBuffer(8)
    const missing = new SharedArrayBuffer(4)
    new Int32Array(missing)[0] = threads
    new BigInt64Array(clock)[0] = 77n * SECOND
    const workerData: TakingThreadData = { ...data, clock, missing, threads }
    const workers = repeat(threads, () => new Worker(thread, { workerData }))
    const end = () => Promise.all(workers.map((worker) => worker.terminate()))
    const answers = await Promise.all(workers.map(answerOf)).finally(end)
    const byAccount = data.accountIds.map((_, i) => ({
      admitted: answers.reduce((sum, answer) => sum + (answer[i]?.admitted ?? 0), 0),
      promised: answers.flatMap((answer) => answer[i]?.promised ?? []).sort((a, b) => a - b),
    }))
    return { byAccount, nanoseconds: (new BigInt64Array(clock)[0] as bigint) - 77n * SECOND }
  }

  it('admit exactly the burst together while the clock stops, and book each place once', async () => {
    const limit = { rate: 500, burst: 20_000 }
    const memory = new SharedArrayBuffer(bytesForAccounts(16))
    const { byAccount } = await hammer({ limit, memory, accountIds: [accountId], rounds: 10_000, step: 0n })
    const { take } = simulated(limit)
    const promised = repeat(threads * 10_000, () => take().retryAfterSeconds).filter((seconds) => seconds > 0)
    assert.deepEqual(byAccount, [{ admitted: 20_000, promised }])
  })

  it('admit exactly as many requests together as the bucket regains with time', async () => {
    const limit = { rate: 1000, burst: 100 }
    const memory = new SharedArrayBuffer(bytesForAccounts(16))
    const step = 100_000n
    const { byAccount, nanoseconds } = await hammer({
      limit,
      memory,
      accountIds: [accountId],
      rounds: 10_000,
      step,
    })
    const most = 100 + Number((nanoseconds - step) / 1_000_000n)
    const admitted = byAccount[0]?.admitted ?? 0
    assert.ok(admitted <= most && admitted >= most - threads, `${admitted} of ${most}`)
  })

  it('find the same place for each account when they race for it', async () => {
    // All ids begin their search at the same place, so that all threads compete for the same free one.
    const accountIds = repeat(1500, () => `${randomUUID().slice(0, -8)}00000000`)
    const memory = new SharedArrayBuffer(bytesForAccounts(1500))
    const { byAccount } = await hammer({
      limit: { rate: 1, burst: 5 },
      memory,
      accountIds,
      rounds: 3,
      step: 0n,
    })
    assert.deepEqual(new Set(byAccount.map(({ admitted }) => admitted)), new Set([5]))
  })
})
