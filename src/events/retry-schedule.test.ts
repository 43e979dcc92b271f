import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { nextAttempt, PAUSE_AFTER_MS } from './retry-schedule.ts'

const now = new Date('2026-03-01T00:00:00.000Z')

describe('the next attempt', () => {
  it('comes later each time, for a little more than three days, so that the last failure pauses the webhook', () => {
    const delays: number[] = []
    for (let attempts = 1; ; attempts++) {
      const at = nextAttempt(attempts, { now, random: 0 })
      if (at === null) break
      delays.push((at.getTime() - now.getTime()) / 1000)
    }
    assert.deepEqual(delays, [5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 75_600])
    const total = delays.reduce((sum, delay) => sum + delay, 0) * 1000
    assert.ok(total >= PAUSE_AFTER_MS && total < 1.01 * PAUSE_AFTER_MS)
  })

  it('differs by up to a tenth, so that deliveries do not return together', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempts, random) => {
          const usual = Number(nextAttempt(attempts, { now, random: 0 })) - now.getTime()
          const found = Number(nextAttempt(attempts, { now, random })) - now.getTime()
          assert.ok(found >= usual - 1 && found <= 1.1 * usual + 1)
        },
      ),
    )
  })

  it('waits as long as the receiver wishes, up to a day', () => {
    const after = (wishSeconds: number) =>
      (Number(nextAttempt(1, { now, wishSeconds, random: 0 })) - now.getTime()) / 1000
    assert.deepEqual([after(1), after(120), after(10 * 86_400)], [5, 120, 86_400])
  })
})
