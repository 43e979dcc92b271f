import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { heldSince, SLICE_MS } from '../../kernel/turns.ts'
import { compileScript, runWith } from '../script.ts'
import { define } from '../stdlib/definition.ts'
import { serviceLimits } from './limits.ts'

const longAgo = () => performance.now() - 1000

describe('runs that hold the thread', () => {
  /** Holds the thread for long, by the clock of the turns, as a step that cannot be interrupted does. */
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
    about: 'Comes without a turn of the event loop.',
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
      // All of them begin in the first turn, when it is not yet known how long they take.
      const later = [...heldInTurn].filter(([turn]) => turn > Math.min(...heldInTurn.keys()))
      assert.ok(later.length > 0)
      assert.deepEqual(
        later.filter(([, times]) => times > 1),
        [],
      )
    })
  }

  it('of many long steps pause after each step, and not only after many statements', async () => {
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
