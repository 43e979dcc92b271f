import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { compileScript, runWith } from '../script.ts'
import { define } from '../stdlib/definition.ts'
import { serviceLimits } from './limits.ts'
import { arrived, heldSince, isTurnDue, SLICE_MS, turn } from './turns.ts'

const longAgo = () => performance.now() - 1000

describe('turns of the event loop', () => {
  it('are due when the thread has been held for long, until the loop has turned', async () => {
    await nextTurn()
    assert.equal(isTurnDue(), false)
    heldSince(longAgo())
    assert.equal(isTurnDue(), true)
    await turn()
    assert.equal(isTurnDue(), false)
  })

  it('go to one after the other in the order in which they ask, each in a turn of its own', async () => {
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

  it('go from owner to owner, however many of one ask', async () => {
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
        // As long as the timer takes to be due.
        const until = performance.now() + 5
        while (performance.now() < until) {}
        heldSince(longAgo())
        resolve()
      })
    })
    await turn()
    assert.equal(isTimerDone, true)
  })

  it('let what has just arrived begin, whoever held the thread in the turn before', async () => {
    await turn()
    heldSince(longAgo())
    assert.equal(isTurnDue(), true)
    arrived()
    assert.equal(isTurnDue(), false)
    // What arrives with it waits if that takes long.
    heldSince(longAgo())
    arrived()
    assert.equal(isTurnDue(), true)
    await nextTurn()
  })
})

describe('runs that hold the thread', () => {
  /** Holds the thread as what cannot be interrupted does: for long, by the clock of the machine. */
  const hold = define({
    name: 'Hold',
    category: 'Host',
    parameters: [],
    returns: 'null',
    about: 'Holds the thread.',
    body: ({ host }) => {
      heldSince(longAgo())
      ;(host as { held: () => void }).held()
      return null
    },
  })
  const ask = define({
    name: 'Ask',
    category: 'Host',
    parameters: [],
    returns: 'null',
    about: 'Is there without a turn of the event loop.',
    waits: async ({ host }) => {
      await null
      heldSince(longAgo())
      ;(host as { held: () => void }).held()
      return null
    },
  })

  for (const [what, script] of [
    ['in one step each', 'Hold()'],
    ['in what they wait for', 'for i in 0 to 4 do Ask() end'],
  ] as const) {
    it(`${what} take turns, so that the event loop turns between them`, async () => {
      const { program } = compileScript(script, { functions: [hold, ask] })
      assert.ok(program)
      let turns = 0
      let isDone = false
      const counting = (async () => {
        while (!isDone) {
          await nextTurn()
          turns++
        }
      })()
      const heldInTurn = new Map<number, number>()
      const host = { held: () => heldInTurn.set(turns, (heldInTurn.get(turns) ?? 0) + 1) }
      await nextTurn()
      await Promise.all(
        Array.from({ length: 8 }, () =>
          runWith(program, { limits: serviceLimits, host }, (context) => context.object()),
        ),
      )
      isDone = true
      await counting
      // All of them begin in the first turn, when nothing is known of how long they take.
      const later = [...heldInTurn].filter(([turn]) => turn > Math.min(...heldInTurn.keys()))
      assert.ok(later.length > 0)
      assert.deepEqual(
        later.filter(([, times]) => times > 1),
        [],
      )
    })
  }

  it('of many long steps pause after each of them, and not only after many statements', async () => {
    const spend = define({
      name: 'Spend',
      category: 'Host',
      parameters: [],
      returns: 'null',
      about: 'Works for a slice.',
      body: ({ work, host }) => {
        const until = performance.now() + SLICE_MS
        while (performance.now() <= until) {}
        work(10_000)
        ;(host as { spent: () => void }).spent()
        return null
      },
    })
    const script = `
      var i = 0
      for j in 0 to 4 do Spend() end
      while i < 8 do
        i = i + 1
        Spend()
      end
      Each(Range(1, 4), x => Spend())`
    const { program } = compileScript(script, { functions: [spend] })
    assert.ok(program)
    let turns = 0
    let isDone = false
    const counting = (async () => {
      while (!isDone) {
        await nextTurn()
        turns++
      }
    })()
    const spentIn: number[] = []
    const host = { spent: () => spentIn.push(turns) }
    await runWith(program, { limits: serviceLimits, host }, (context) => context.object())
    isDone = true
    await counting
    assert.ok(spentIn.length > 8)
    assert.equal(new Set(spentIn).size, spentIn.length)
  })
})
