import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StandingDelay, watchEventLoopDelay } from './event-loop-delay.ts'

describe('the standing delay', () => {
  const rows: readonly (readonly [delays: readonly number[], expected: number, what: string])[] = [
    [[], 0, 'is nothing before it was looked at'],
    [[300], 0, 'is nothing after a single stall'],
    [[300, 1], 1, 'forgets a single stall'],
    [[300, 280], 280, 'is the smaller one of two delays in a row'],
    [[300, 280, 400], 280, 'is that of the last two'],
    [[300, 280, 1, 400], 1, 'ends with one turn that was in time'],
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

describe('watching the event loop', () => {
  it('tells by how much timers are late', async () => {
    // A clock that goes half a second further with each look, whatever the machine does.
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
