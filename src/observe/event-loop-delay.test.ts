import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StandingDelay, watchEventLoopDelay } from './event-loop-delay.ts'

describe('the standing delay', () => {
  const rows: readonly (readonly [delays: readonly number[], expected: number, what: string])[] = [
    [[], 0, 'is 0 before the first measurement'],
    [[300], 0, 'is 0 after a single stall'],
    [[300, 1], 1, 'forgets a single stall'],
    [[300, 280], 280, 'is the smaller one of two delays in a row'],
    [[300, 280, 400], 280, 'is the smaller one of the last two'],
    [[300, 280, 1, 400], 1, 'ends with one turn that is in time'],
    [[-2, -3], 0, 'is never negative'],
  ]
  for (const [delays, expected, what] of rows) {
    it(`${what}: ${delays.join(', ')}`, () => {
      const delay = new StandingDelay()
      for (const one of delays) delay.add(one)
      assert.equal(delay.milliseconds, expected)
    })
  }
})

describe('watchEventLoopDelay', () => {
  it('measures how late timers are', async () => {
    // A clock that advances by half a second with each reading, however fast the machine is.
    let now = 0
    const delay = watchEventLoopDelay(() => {
      now += 500
      return now
    })
    const hang = setTimeout(() => undefined, 30_000)
    while (delay.milliseconds() === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    clearTimeout(hang)
    delay.stop()
    assert.equal(delay.milliseconds(), 400)
  })
})
