import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { arrived, heldSince, isTurnDue, SHARED_SLICE_MS, SLICE_MS, Turns, turn } from './turns.ts'

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

describe('turns by a clock that only work moves', () => {
  /** An event loop without anything else. Each callback is one turn. */
  function open() {
    let now = 0
    const callbacks: (() => void)[] = []
    const turns = new Turns({ now: () => now, afterTurn: (callback) => void callbacks.push(callback) })
    /** Work of this length, in slices, as `runToEnd` does it. */
    const work = async (owner: string, milliseconds: number) => {
      for (let left = milliseconds; left > 0; ) {
        if (turns.isTurnDue(owner)) await turns.turn(owner)
        const began = now
        const slice = Math.min(left, turns.sliceMs(owner))
        now += slice
        left -= slice
        turns.heldSince(began, owner)
        if (left > 0) await turns.turn(owner)
      }
    }
    /** Turns the loop until nothing waits. @param turned called after each turn */
    const loop = async (turned: () => void = () => undefined) => {
      for (let callback = callbacks.shift(); callback !== undefined; callback = callbacks.shift()) {
        callback()
        // Whatever the callback resumed does its slice, and waits again.
        await nextTurn()
        turned()
      }
    }
    return { turns, work, loop, now: () => now }
  }

  it('are long while one owner uses the thread, and short while several do', async () => {
    const { turns, work, loop } = open()
    assert.equal(turns.sliceMs('a'), SLICE_MS)
    const first = work('a', 2)
    await loop()
    await first
    assert.deepEqual(
      [turns.sliceMs('a'), turns.sliceMs('b'), turns.sliceMs()],
      [SLICE_MS, SHARED_SLICE_MS, SLICE_MS],
    )
    const second = work('b', 1)
    await loop()
    await second
    for (const owner of ['a', 'b', '']) assert.equal(turns.sliceMs(owner), SHARED_SLICE_MS)
  })

  it('let a short run of another owner wait for one short slice of sixteen burning runs, not for sixteen', async () => {
    const { turns, work, loop, now } = open()
    const burning = Array.from({ length: 16 }, () => work('burning', 200))
    const waits: number[] = []
    let calls = 0
    let asked = now()
    const call = async () => {
      calls++
      asked = now()
      // A message has arrived: the thread was held by others until now, in this turn or in those before.
      await turns.turn('short')
      waits.push(now() - asked)
      await work('short', 0.05)
    }
    let calling: Promise<void> | null = null
    await loop(() => {
      if (calls < 100 && calling === null) {
        calling = call().then(() => {
          calling = null
        })
      }
    })
    await Promise.all(burning)
    assert.equal(waits.length, 100)
    // The first wait may be for a long slice that had begun before the thread was shared.
    assert.ok(Math.max(...waits.slice(2)) <= 2 * SHARED_SLICE_MS, `${Math.max(...waits.slice(2))} ms`)
  })

  it('let an answer leave before a slice that waits', async () => {
    const { turns, loop } = open()
    const order: string[] = []
    const slice = turns.turn('a').then(() => order.push('slice'))
    turns.beforeSlices(() => order.push('answer'))
    await loop()
    await slice
    assert.deepEqual(order, ['answer', 'slice'])
  })

  it('are shared by the time that owners use, not by how many runs they have', async () => {
    const { work, loop, now } = open()
    const ended = new Map<string, number>()
    const start = (owner: string, runs: number) =>
      Promise.all(Array.from({ length: runs }, () => work(owner, 20))).then(() => ended.set(owner, now()))
    const all = [start('many', 16), start('one', 1)]
    await loop()
    await Promise.all(all)
    // 20 ms of its own, as many of the other, and the long slices of the beginning.
    assert.ok((ended.get('one') ?? 0) <= 40 + 20, `one ended after ${ended.get('one')} ms`)
    assert.equal(now(), 17 * 20)
  })

  it('make an owner whose steps cannot be interrupted pay for them', async () => {
    const { turns, loop, now } = open()
    const order: string[] = []
    const step = async (owner: string, milliseconds: number, times: number) => {
      for (let i = 0; i < times; i++) {
        await turns.turn(owner)
        order.push(owner)
        // Charged without moving the clock, so that no turn is skipped for the timers.
        turns.heldSince(now(), owner, milliseconds)
      }
    }
    const all = [step('heavy', 30, 3), step('light', 1, 100)]
    await loop()
    await Promise.all(all)
    const between = order.lastIndexOf('heavy') - order.indexOf('heavy')
    assert.ok(between >= 50, `all steps of 30 ms within ${between} turns`)
  })
})
