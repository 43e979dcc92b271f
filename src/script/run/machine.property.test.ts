/**
 * Random scripts that mostly run, under small limits: a run that pauses or waits ends in the same way as one that does not.
 * A failure names its seeds: MACHINE_SEED=… runs just that script, SEED=… the whole campaign.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'

import { ScriptFailure } from '../failure.ts'
import { compileScript, type Program, type RunOptions, type RunResult, runScript } from '../script.ts'
import { any, define, type NativeFunction } from '../stdlib/definition.ts'
import { dialects } from '../syntax/ast.ts'
import { randomProgram } from '../testing/arbitrary-program.ts'
import { anyScript } from '../testing/arbitrary-script.ts'
import type { Value } from '../values/value.ts'
import type { Limits } from './limits.ts'

const limits: Limits = {
  statements: 300,
  loops: 150,
  depth: 12,
  milliseconds: 200,
  memoryBytes: 30_000,
  outputBytes: 20_000,
}

const about = {
  category: 'Utilities',
  parameters: [any('value')],
  returns: 'any',
  about: 'Answers its argument.',
} as const

/** Fails for some values. */
function answer(value: Value): Value {
  if (typeof value === 'number' && Math.abs(value % 13) === 12)
    throw new ScriptFailure('JM5101', 'No answer to that')
  return value
}

/** Nested lambdas are bounded by time only, so how far such a run gets is not compared here. */
function assertSame(actual: RunResult | null, expected: RunResult | null, message?: string): void {
  if (actual?.limit === 'milliseconds' || expected?.limit === 'milliseconds') return
  assert.deepEqual(actual, expected, message)
}

/** The same function in all the ways in which a host can return. */
const askAtOnce = define({ ...about, name: 'Ask', body: (_, value) => answer(value) })
const asksLater: readonly NativeFunction[] = [
  define({ ...about, name: 'Ask', waits: async (_, value) => answer(value) }),
  define({
    ...about,
    name: 'Ask',
    async waits(_, value) {
      await turn()
      return answer(value)
    },
  }),
]

/** Compiled once for all runs of a script: none of them leaves anything behind. */
const compiled = new Map<NativeFunction, { readonly text: string; readonly program: Program | null }>()

function programOf(text: string, ask: NativeFunction): Program | null {
  const last = compiled.get(ask)
  if (last?.text === text) return last.program
  const { program } = compileScript(text, { functions: [ask] })
  compiled.set(ask, { text, program })
  return program
}

async function outcome(
  text: string,
  ask: NativeFunction,
  options: RunOptions = {},
): Promise<RunResult | null> {
  const program = programOf(text, ask)
  return program === null ? null : runScript(program, { limits, ...options })
}

const onlySeed = process.env.MACHINE_SEED
const seeds = (count: number): readonly number[] => {
  if (onlySeed !== undefined) return [Number(onlySeed)]
  const first = campaignSeed % 2 ** 30
  return Array.from({ length: count }, (_, i) => first + i)
}

async function forEachScript(count: number, check: (text: string) => Promise<void>): Promise<void> {
  for (const seed of seeds(count)) {
    const text = randomProgram(seed)
    try {
      await check(text)
    } catch (error) {
      throw new Error(`MACHINE_SEED=${seed}:\n${text}`, { cause: error })
    }
  }
}

describe('a run', () => {
  it('is the same however often it pauses', async () => {
    await forEachScript(repeated(60, 10_000), async (text) => {
      const expected = await outcome(text, askAtOnce)
      assert.ok(expected !== null, JSON.stringify(compileScript(text, { functions: [askAtOnce] }).problems))
      for (const pauseAfter of [1, 2, 3, 7]) {
        assertSame(await outcome(text, askAtOnce, { pauseAfter }), expected, `pauses after ${pauseAfter}`)
      }
    })
  })

  it('is the same when a function waits and when it returns at once', async () => {
    await forEachScript(repeated(60, 10_000), async (text) => {
      const expected = await outcome(text, askAtOnce)
      for (const ask of asksLater) {
        assertSame(await outcome(text, ask), expected)
        assertSame(await outcome(text, ask, { pauseAfter: 1 }), expected)
      }
    })
  })

  it('leaves nothing behind in its program', async () => {
    await forEachScript(repeated(40, 5000), async (text) => {
      const { program } = compileScript(text, { functions: [askAtOnce] })
      assert.ok(program)
      const expected = await runScript(program, { limits })
      const input = '{"b":1,"n":[],"o":{"c":1},"l":null}'
      const [again, other, meanwhile] = await Promise.all([
        runScript(program, { limits, pauseAfter: 1 }),
        runScript(program, { limits, input, pauseAfter: 2 }),
        runScript(program, { limits, pauseAfter: 3 }),
      ])
      assertSame(again, expected)
      assertSame(meanwhile, expected)
      const { program: fresh } = compileScript(text, { functions: [askAtOnce] })
      assert.ok(fresh)
      assertSame(await runScript(fresh, { limits, input }), other)
    })
  })

  it('mostly runs, and ends in many ways', async () => {
    const codes = new Map<string, number>()
    for (let seed = 0; seed < 200; seed++) {
      const ended = await outcome(randomProgram(seed), askAtOnce)
      const code = ended === null ? 'refused' : (ended.problem?.code ?? 'fine')
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
    assert.equal(codes.get('refused'), undefined)
    assert.ok((codes.get('fine') ?? 0) >= 40, JSON.stringify([...codes]))
    for (const code of ['JM5900', 'JM5901', 'JM5101', 'JM5206', 'JM5002'])
      assert.ok(codes.has(code), `${code}: ${JSON.stringify([...codes])}`)
  })

  it('ends with a result or a problem for any script', async () => {
    await fc.assert(
      fc.asyncProperty(anyScript, fc.constantFrom(...dialects), async (text, dialect) => {
        const { program } = compileScript(`func f(a = 1, b = 2) return a end\n${text}`, { dialect })
        if (program === null) return
        const small = { ...limits, milliseconds: 1000 }
        const expected = await runScript(program, { limits: small })
        assert.deepEqual(await runScript(program, { limits: small, pauseAfter: 1 }), expected)
        assert.equal(expected.success, expected.problem === null)
        assert.ok(expected.problem === null || /^JM5\d{3}$/.test(expected.problem.code))
      }),
      { seed: campaignSeed, numRuns: repeated(150, 20_000) },
    )
  })
})

const inLambdas: readonly string[] = [
  'Data.r = Map([1, 2, 3], x => Ask(x) + Ask(x))',
  'Data.r = SortBy([3, 1, 2, 5, 4], x => Ask(-x))',
  'Data.r = Reduce([1, 2, 3], (a, x) => Ask(a) + Ask(x), Ask(0))',
  'Data.r = Map([1, 2], x => Map([3, 4], y => SortBy([2, 1], z => Ask(z * x) + y)))',
  'Data.r = Map([1, 2], x => Reduce([1, 2], (a, y) => a + Sum(Map([1], z => Ask(x + y + z))), 0))',
  'func f(x) return Ask(x) + 1 end Data.r = SortBy(Map([3, 1, 2], x => f(x)), x => f(f(x)))',
  'var n = 0 Data.r = Map([1, 2, 3], x => Ask(n++) + n) Data.n = n',
  'Data.r = Where([1, 2], x => Ask(x) > 1) Data.f = Find([1, 2], x => Ask(x) == 2) Data.a = [Any([1], x => Ask(x)), All([0], x => Ask(x))]',
  'Data.r = Map([10, 11, 12], x => Ask(x))',
  'Data.r = SortBy([10, 11, 12], x => Ask(x))',
  'var a = 1\nAsk(12)\nData.r = 2',
  'if Ask(12) then\nend',
  'while Ask(12) do\n  Data.r = 1\nend',
  'func f()\n  return Ask(12)\nend\nvar a = f()',
  'foreach x in [1, 12] do\n  Data.r = Ask(x)\n  Data.s = x\nend',
]

describe('functions that wait inside lambdas', () => {
  for (const text of inLambdas) {
    it(`give the same result as functions that return at once: ${JSON.stringify(text)}`, async () => {
      const expected = await outcome(text, askAtOnce)
      assert.ok(expected)
      for (const ask of asksLater) {
        for (const pauseAfter of [undefined, 1, 2, 3, 7]) {
          assert.deepEqual(await outcome(text, ask, { pauseAfter }), expected)
        }
      }
    })
  }
})
