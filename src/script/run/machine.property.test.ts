/**
 * Random scripts that mostly run, under small limits: however often a run pauses or waits, it ends as it would have without.
 * A failure names the seed that brings its script back: MACHINE_SEED=… runs just that one.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { dialects } from '../dialect.ts'
import { ScriptFailure } from '../failure.ts'
import { compileScript, type RunOptions, type RunResult, runScript } from '../script.ts'
import { any, define, type NativeFunction } from '../stdlib/definition.ts'
import { anyScript, randomNumbers } from '../syntax/arbitrary-script.ts'
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

/** Fails now and then. */
function answer(value: Value): Value {
  if (typeof value === 'number' && Math.abs(value % 13) === 12)
    throw new ScriptFailure('JM5101', 'No answer to that')
  return value
}

/** Lambdas within lambdas are bounded by time only: how far such a run comes is no matter of what is compared here. */
function assertSame(actual: RunResult | null, expected: RunResult | null, message?: string): void {
  if (actual?.limit === 'milliseconds' || expected?.limit === 'milliseconds') return
  assert.deepEqual(actual, expected, message)
}

/** The same function in all the ways in which a host can answer. */
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

async function outcome(
  text: string,
  ask: NativeFunction,
  options: RunOptions = {},
): Promise<RunResult | null> {
  const { program } = compileScript(text, { functions: [ask] })
  return program === null ? null : runScript(program, { limits, ...options })
}

/** What a script can see of variables, by what is in them. */
type Scope = {
  readonly numbers: string[]
  readonly lists: string[]
  readonly objects: string[]
  /** Functions that may be called. */
  readonly calls: readonly string[]
  readonly isLoop: boolean
}

/** Writes statements that make sense as far as types go, but for a few that do not. */
function writer(seed: number) {
  const random = randomNumbers(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T
  let names = 0
  const fresh = (): string => `v${names++}`
  const inner = (scope: Scope, isLoop = scope.isLoop): Scope => ({
    numbers: [...scope.numbers],
    lists: [...scope.lists],
    objects: [...scope.objects],
    calls: scope.calls,
    isLoop,
  })
  const lambda = (
    scope: Scope,
    depth: number,
    parameters: number,
    body: (scope: Scope, depth: number) => string,
  ) => {
    const own = Array.from({ length: parameters }, fresh)
    const inside = inner(scope)
    inside.numbers.push(...own)
    return `(${own.join(', ')}) => ${body(inside, depth)}`
  }

  function number(scope: Scope, depth: number): string {
    if (random() < 0.01) return pick(['null', '"t"', '[]', '{}', 'true'])
    if (depth <= 0) return scope.numbers.length > 0 && random() < 0.7 ? pick(scope.numbers) : String(below(5))
    const n = (): string => number(scope, depth - 1)
    const l = (): string => list(scope, depth - 1)
    const variable = scope.numbers.length > 0 ? pick(scope.numbers) : null
    const of = (parameters: number): string => lambda(scope, depth - 1, parameters, number)
    const ways: readonly (() => string)[] = [
      () => n(),
      () => `(${n()} ${pick(['+', '-', '*', '+', '-'])} ${n()})`,
      () => `(${n()} % ${1 + below(7)})`,
      () => `(${n()} / ${1 + below(3)})`,
      () => `(${truth(scope, depth - 1)} ? ${n()} : ${n()})`,
      () => `(${n()} ${pick(['and', 'or', '??'])} ${n()})`,
      () =>
        variable === null ? n() : pick([`${variable}++`, `++${variable}`, `${variable}--`, `--${variable}`]),
      () => `(${l()}[${n()} % 5] or ${n()})`,
      () => `Length(${l()})`,
      () => `Sum(${l()})`,
      () => `Reduce(${l()}, ${of(2)}, ${n()})`,
      () => `(Find(${l()}, ${lambda(scope, depth - 1, 1, truth)}) or ${n()})`,
      () => `(${object(scope, depth - 1)}.${pick(['a', 'b', 'length'])} or ${n()})`,
      () => `Ask(${n()})`,
      () => (scope.calls.length > 0 ? `${pick(scope.calls)}(${n()}, ${l()})` : n()),
      () => (scope.calls.length > 0 ? `f(b: ${l()}, a: ${n()})` : n()),
      () => {
        const [one, two, three] = [fresh(), fresh(), fresh()]
        const first = inner(scope)
        const second = inner(scope)
        first.numbers.push(one)
        second.numbers.push(two, three)
        const arms = `case A(${one}) then ${number(first, depth - 1)} case B(${two}, ${three}) then ${number(second, depth - 1)}`
        return `((match ${object(scope, depth - 1)} do ${arms} end) or ${n()})`
      },
    ]
    return pick(ways)()
  }

  function truth(scope: Scope, depth: number): string {
    const n = (): string => number(scope, depth - 1)
    return pick(
      [
        () => `${n()} ${pick(['<', '<=', '>', '>=', '==', '!='])} ${n()}`,
        () => `not (${truth(scope, depth - 1)})`,
        () => `(${truth(scope, depth - 1)} ${pick(['and', 'or'])} ${n()})`,
        () => `${list(scope, depth - 1)} == ${list(scope, depth - 1)}`,
        () => `${n()} is ${pick(['number', 'string', 'null'])}`,
        () =>
          `${pick(['Any', 'All'])}(${list(scope, depth - 1)}, ${lambda(scope, depth - 1, 1, depth > 0 ? truth : number)})`,
      ].slice(0, depth > 0 ? 6 : 1),
    )()
  }

  function list(scope: Scope, depth: number): string {
    if (depth <= 0)
      return scope.lists.length > 0 && random() < 0.8 ? pick(scope.lists) : `[${below(5)}, ${below(5)}]`
    const l = (): string => list(scope, depth - 1)
    return pick([
      l,
      () => `[${number(scope, depth - 1)}, ${number(scope, depth - 1)}, ${number(scope, depth - 1)}]`,
      () => `${pick(['Map', 'SortBy', 'Map'])}(${l()}, ${lambda(scope, depth - 1, 1, number)})`,
      () => `Where(${l()}, ${lambda(scope, depth - 1, 1, truth)})`,
      () => `(${l()} + ${l()})`,
      () => `${l()}.add(${number(scope, depth - 1)})`,
      () => `Range(${below(3)}, ${below(6)})`,
      () => `Slice(${l()}, 0, 4)`,
      () => `Sort(${l()})`,
    ])()
  }

  function object(scope: Scope, depth: number): string {
    if (scope.objects.length > 0 && random() < 0.5) return pick(scope.objects)
    const n = (): string => number(scope, depth - 1)
    return pick([
      () => `{a: ${n()}, b: ${n()}}`,
      () => `A(${n()})`,
      () => `B(${n()}, ${n()})`,
      () => `{b: ${n()}}`,
    ])()
  }

  function block(scope: Scope, depth: number, isLoop = scope.isLoop): string {
    const inside = inner(scope, isLoop)
    return Array.from({ length: 1 + below(4) }, () => statement(inside, depth)).join('\n')
  }

  function statement(scope: Scope, depth: number): string {
    const n = (): string => number(scope, 3)
    // A statement that begins with '(' would go on with the one before.
    const bare = (): string => `Sum([${n()}])`
    const place = (): string => {
      const kind = below(3)
      if (kind === 0 && scope.lists.length > 0) return `${pick(scope.lists)}[${number(scope, 1)} % 4]`
      if (kind === 1 && scope.objects.length > 0) return `${pick(scope.objects)}.${pick(['a', 'b', 'c'])}`
      return scope.numbers.length > 0 ? pick(scope.numbers) : fresh()
    }
    const declare = (into: string[], value: string, hint = ''): string => {
      const name = fresh()
      into.push(name)
      return `var ${name}${hint} = ${value}`
    }
    const simple: readonly (() => string)[] = [
      () => declare(scope.numbers, n(), pick(['', '', ': number'])),
      () => declare(scope.lists, list(scope, 3)),
      () => declare(scope.objects, object(scope, 3)),
      () =>
        scope.numbers.length > 0 ? `${pick(scope.numbers)} ${pick(['=', '+=', '-=', '='])} ${n()}` : bare(),
      () =>
        scope.numbers.length + scope.lists.length > 0
          ? `${place().replace(/^v\d+$/, () => (scope.numbers.length > 0 ? pick(scope.numbers) : pick(scope.lists)))} = ${n()}`
          : bare(),
      () =>
        scope.lists.length > 0 ? `${pick(scope.lists)}[${n()} % 3] ${pick(['+=', '-='])} ${n()}` : bare(),
      () => (scope.objects.length > 0 ? `delete ${pick(scope.objects)}.${pick(['a', 'b', 'c'])}` : bare()),
      () => `Each(${list(scope, 2)}, ${lambda(scope, 3, 1, number)})`,
      () => (scope.isLoop ? `if ${truth(scope, 1)} then ${pick(['break', 'continue'])} end` : bare()),
      () => (random() < 0.1 ? `if ${truth(scope, 1)} then ${pick(['exit', 'fail'])} ${n()} end` : bare()),
    ]
    if (depth <= 0 || random() < 0.6) return `\n${pick(simple)()}`
    const body = (isLoop = scope.isLoop): string => block(scope, depth - 1, isLoop)
    const looping = (name: string): string => {
      const inside = inner(scope, true)
      inside.numbers.push(name)
      return block(inside, depth - 1)
    }
    const name = fresh()
    return `\n${pick([
      () =>
        `if ${truth(scope, 2)} then ${body()} elseif ${truth(scope, 1)} then ${body()} else ${body()} end`,
      () => `while ${truth(scope, 2)} do ${body(true)} end`,
      () => `for ${name} in ${n()} ${pick(['to', 'to', 'downto'])} ${below(8)} do ${looping(name)} end`,
      () => `foreach ${name} in ${list(scope, 2)} do ${looping(name)} end`,
      () => `switch ${n()} do case ${n()}, ${n()} then ${body()} default then ${body()} end`,
      () =>
        `match ${object(scope, 2)} do case A(${name}) then ${body()} case B(${name}, ${fresh()}) then ${body()} end`,
    ])()}`
  }

  const script = (): string => {
    const calls: string[] = []
    const functions = ['f', 'g'].map((name) => {
      const own = (): Scope => ({
        numbers: ['a'],
        lists: ['b'],
        objects: [],
        calls: [...calls],
        isLoop: false,
      })
      const body = `${block(own(), 1)}\nreturn ${number(own(), 2)}`
      calls.push(name)
      const again = `if a > 5 then return ${name}(a / 2, b) + 1 end`
      return `func ${name}(a: number, b = null) b = b ?? [1]\n${again}\n${body} end`
    })
    const scope: Scope = { numbers: [], lists: [], objects: [], calls, isLoop: false }
    const start = ['var n = 1 var m = 2 var l = [3, 1, 2] var o = {a: 1, b: 2}']
    scope.numbers.push('n', 'm')
    scope.lists.push('l')
    scope.objects.push('o')
    const statements = Array.from(
      { length: 3 + below(6) },
      () => `${statement(scope, 2)}\nData.n = n Data.l = l Data.o = o`,
    )
    return ['union U A(a) B(a, b) end', ...functions, ...start, ...statements].join('\n')
  }
  return script()
}

const onlySeed = process.env.MACHINE_SEED
const seeds = (count: number): readonly number[] => {
  if (onlySeed !== undefined) return [Number(onlySeed)]
  const first = Math.floor(Math.random() * 2 ** 30)
  return Array.from({ length: count }, (_, i) => first + i)
}

async function forEachScript(count: number, check: (text: string) => Promise<void>): Promise<void> {
  for (const seed of seeds(count)) {
    const text = writer(seed)
    try {
      await check(text)
    } catch (error) {
      throw new Error(`MACHINE_SEED=${seed}:\n${text}`, { cause: error })
    }
  }
}

describe('a run', () => {
  it('is the same however often it pauses', async () => {
    await forEachScript(250, async (text) => {
      const expected = await outcome(text, askAtOnce)
      assert.ok(expected !== null, JSON.stringify(compileScript(text, { functions: [askAtOnce] }).problems))
      for (const pauseAfter of [1, 2, 3, 7]) {
        assertSame(await outcome(text, askAtOnce, { pauseAfter }), expected, `pauses after ${pauseAfter}`)
      }
    })
  })

  it('is the same when it waits for what could have been answered at once', async () => {
    await forEachScript(250, async (text) => {
      const expected = await outcome(text, askAtOnce)
      for (const ask of asksLater) {
        assertSame(await outcome(text, ask), expected)
        assertSame(await outcome(text, ask, { pauseAfter: 1 }), expected)
      }
    })
  })

  it('leaves nothing behind in its program', async () => {
    await forEachScript(150, async (text) => {
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
      const ended = await outcome(writer(seed), askAtOnce)
      const code = ended === null ? 'refused' : (ended.problem?.code ?? 'fine')
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
    assert.equal(codes.get('refused'), undefined)
    assert.ok((codes.get('fine') ?? 0) >= 40, JSON.stringify([...codes]))
    for (const code of ['JM5900', 'JM5901', 'JM5101', 'JM5206', 'JM5002'])
      assert.ok(codes.has(code), `${code}: ${JSON.stringify([...codes])}`)
  })

  it('of any script at all ends with a result or a problem', async () => {
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
      { numRuns: 500 },
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

describe('what is waited for within lambdas', () => {
  for (const text of inLambdas) {
    it(`gives what an answer at once gives: ${JSON.stringify(text)}`, async () => {
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
