import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { arrived, heldSince, isTurnDue, turn } from './turns.ts'

const longAgo = () => performance.now() - 1000

describe('turns of the event loop', () => {
  it('are due after the thread was held for long, until the loop has turned', async () => {
    await nextTurn()
    assert.equal(isTurnDue(), false)
    heldSince(longAgo())
    assert.equal(isTurnDue(), true)
    await turn()
    assert.equal(isTurnDue(), false)
  })

  it('are given in the order of the requests, one slice in each turn', async () => {
    const order: string[] = []
    const asked = ['a', 'b', 'c'].map(async (name) => {
      for (const round of [1, 2]) {
        await turn()
        order.push(`${name}${round}`)
      }
    })
    let turns = 0
    const counting = (async () => {
      while (order.length < 6) {
        await nextTurn()
        turns++
      }
    })()
    await Promise.all([...asked, counting])
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'c2'])
    assert.ok(turns >= 5, `${turns} turns`)
  })

  it('go from owner to owner, however many requests one owner has', async () => {
    const order: string[] = []
    const asked = ['a', 'a', 'a', 'b', 'c', 'b'].map(async (owner) => {
      await turn(owner)
      order.push(owner)
    })
    await Promise.all(asked)
    assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'a'])
  })

  it('come after the timers when the thread was held for very long', async () => {
    let isTimerDone = false
    await new Promise<void>((resolve) => {
      setImmediate(() => {
        setTimeout(() => {
          isTimerDone = true
        }, 1)
        // Long enough for the timer to be due.
        const until = performance.now() + 5
        while (performance.now() < until) {}
        heldSince(longAgo())
        resolve()
      })
    })
    await turn()
    assert.equal(isTimerDone, true)
  })

  it('let a message that has just arrived begin, even if a slice held the thread in the turn before', async () => {
    await turn()
    heldSince(longAgo())
    assert.equal(isTurnDue(), true)
    arrived()
    assert.equal(isTurnDue(), false)
    // A second message in the same turn waits if the first one takes long.
    heldSince(longAgo())
    arrived()
    assert.equal(isTurnDue(), true)
    await nextTurn()
  })
})
