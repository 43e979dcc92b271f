import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createCallRates } from './call-rates.ts'
import { createFailureMemory } from './failure-table.ts'

const SECOND = 1_000_000_000n

describe('rates of calls', () => {
  it('never admit more than the calls of a period, and what the periods since regain', () => {
    const step = fc.record({
      waitMs: fc.integer({ min: 0, max: 20_000 }),
      calls: fc.integer({ min: 1, max: 30 }),
    })
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30 }),
        fc.constantFrom(1, 7, 60),
        fc.constantFrom(1, 60),
        (steps, calls, seconds) => {
          let now = SECOND
          const rates = createCallRates({ clock: () => now, memory: createFailureMemory(1) })
          let admitted = 0
          for (const { waitMs, calls: tried } of steps) {
            now += BigInt(waitMs) * 1_000_000n
            for (let i = 0; i < tried; i++)
              if (rates.take('a', { calls, seconds }).retryAfterSeconds === 0) admitted++
          }
          const regained = (Number(now - SECOND) / 1e9) * (Math.ceil((calls * 1000) / seconds) / 1000)
          assert.ok(admitted <= calls + regained + 1e-6)
        },
      ),
    )
  })

  it('admit whoever calls exactly as often as allowed', () => {
    for (const [calls, seconds] of [
      [1, 60],
      [7, 60],
      [3, 1],
    ] as const) {
      let now = SECOND
      const rates = createCallRates({ clock: () => now, memory: createFailureMemory(1) })
      for (let i = 0; i < 100; i++) {
        assert.equal(rates.take('a', { calls, seconds }).retryAfterSeconds, 0)
        now += (BigInt(seconds) * SECOND) / BigInt(calls) + 1n
      }
    }
  })

  it('are shared by threads with the same memory, and counted by name', () => {
    const memory = createFailureMemory(4)
    const clock = () => SECOND
    const [one, other] = [createCallRates({ memory, clock }), createCallRates({ memory, clock })]
    const limit = { calls: 2, seconds: 60 }
    assert.deepEqual(one.take('a', limit), { remaining: 1, resetSeconds: 30, retryAfterSeconds: 0 })
    assert.deepEqual(other.take('a', limit), { remaining: 0, resetSeconds: 59, retryAfterSeconds: 0 })
    assert.equal(one.take('a', limit).retryAfterSeconds, 30)
    assert.equal(one.take('b', limit).retryAfterSeconds, 0)
    // A limit that was changed counts anew.
    assert.equal(other.take('a', { calls: 3, seconds: 60 }).remaining, 2)
    assert.equal(other.take('a', { calls: 2, seconds: 1 }).remaining, 1)
  })

  it('take memory of a fixed size for any number of callers', () => {
    const memory = createFailureMemory(1)
    let now = SECOND
    const rates = createCallRates({ memory, clock: () => ++now })
    for (let i = 0; i < 1000; i++)
      assert.equal(rates.take(`${i}`, { calls: 1, seconds: 60 }).retryAfterSeconds, 0)
  })
})
