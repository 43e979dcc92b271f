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

describe('runs that wait', () => {
  type Waits = { readonly answer: () => Promise<null> }
  const wait = define({
    name: 'Wait',
    category: 'Host',
    parameters: [],
    returns: 'null',
    about: 'Waits as the test says.',
    waits: ({ host }) => (host as Waits).answer(),
  })
  const { program } = compileScript('Data.before = 1 Wait() Data.after = 2', { functions: [wait] })

  /** A place that notes what the run does with it. */
  function openPlace(retake: () => Promise<void> = async () => undefined) {
    const moves: string[] = []
    const left = Promise.withResolvers<null>()
    const place = {
      leave: () => {
        moves.push('leave')
        left.resolve(null)
      },
      retake: () => {
        moves.push('retake')
        return retake()
      },
    }
    return { moves, place, left: left.promise }
  }

  const begin = (
    answer: Waits['answer'],
    { place }: ReturnType<typeof openPlace>,
    cancellation?: AbortSignal,
  ) => {
    assert.ok(program)
    const limits = { ...serviceLimits, milliseconds: 60_000 }
    return runWith(program, { limits, host: { answer }, place, cancellation }, (context) => context.object())
  }

  it('for long leave their place, and take one before they go on', async () => {
    const admitted = Promise.withResolvers<void>()
    const opened = openPlace(() => admitted.promise)
    const run = begin(() => opened.left, opened)
    await opened.left
    await nextTurn()
    assert.deepEqual(opened.moves, ['leave', 'retake'])
    admitted.resolve()
    const { problem, statements } = await run
    assert.deepEqual([problem, statements], [null, 3])
  })

  it('shortly keep it', async () => {
    const opened = openPlace()
    const { problem } = await begin(async () => null, opened)
    assert.deepEqual([problem, opened.moves], [null, []])
  })

  it('for a place end when they are cancelled, and do not go on', async () => {
    const leaving = new AbortController()
    const opened = openPlace(() => {
      leaving.abort()
      return new Promise(() => undefined)
    })
    const { problem, statements } = await begin(() => opened.left, opened, leaving.signal)
    assert.deepEqual([problem?.code, statements, opened.moves], ['JM5003', 2, ['leave', 'retake']])
  })
})
