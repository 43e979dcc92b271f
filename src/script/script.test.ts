import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serviceLimits } from './run/limits.ts'
import { compileScript, runScript, runWith } from './script.ts'
import { placeAt } from './script-problem.ts'
import { any, define, number } from './stdlib/definition.ts'
import { fromPlain } from './values/from-plain.ts'
import { ScriptObject } from './values/value.ts'

function compiled(text: string, options: Parameters<typeof compileScript>[1] = {}) {
  const { program, problems } = compileScript(text, options)
  assert.ok(program, JSON.stringify(problems))
  return program
}

describe('compileScript', () => {
  it('refuses patterns that cannot be matched in linear time before anything runs', () => {
    for (const pattern of ['a(?=b)', '(?<=a)b', '(?>a)b', '(a)\\\\1']) {
      const text = `Data.r = 1\nData.r = RegexTest("aab", "${pattern}")`
      for (const dialect of ['service', 'strict'] as const) {
        const { problems } = compileScript(text, { dialect })
        assert.deepEqual(
          problems.map(({ code, at }) => [code, placeAt(text, at ?? 0)]),
          [['JM5701', { line: 2, column: 27 }]],
        )
      }
    }
  })

  it('replaces functions of the library by host functions of the same name', async () => {
    const levels: unknown[] = []
    const log = define({
      name: 'Log',
      category: 'Host',
      parameters: [any('level'), any('message')],
      returns: 'null',
      about: 'Notes something.',
      body: (_, level, message) => {
        levels.push([level, message])
        return null
      },
    })
    const program = compiled('Log("Information", "hello") Data.r = "x".toUpper()', { functions: [log] })
    const { output } = await runScript(program)
    assert.deepEqual([levels, output], [[['Information', 'hello']], '{"r":"X"}'])
    assert.equal(compileScript('Data.r = Log(8, 2)').program === null, false)
  })
})

describe('runScript', () => {
  it('shares nothing between the runs of a program', async () => {
    const program = compiled('Data.n = (Data.n or 0) + 1 Data.seen = Keys(Data)')
    const runs = await Promise.all([1, 2, 3].map(() => runScript(program, { input: '{"a": 1}' })))
    for (const { output } of runs) assert.equal(output, '{"a":1,"n":1,"seen":["a","n"]}')
  })

  it('sets all limits to those of the language as soon as one is given', async () => {
    const program = compiled('for i in 0 to 6000 do Data.i = i end')
    assert.equal((await runScript(program)).problem, null)
    const { problem, limit } = await runScript(program, { limits: { loops: 1e6 } })
    assert.equal(problem, null)
    assert.equal(limit, null)
    const longer = compiled('for i in 0 to 10000 do Data.i = i end')
    assert.equal((await runScript(longer, { limits: { loops: 1e6 } })).limit, 'statements')
  })

  it('gives Data as it was when the script failed', async () => {
    const result = await runScript(compiled('Data.a = 1\nfail "no " + Data.a'))
    assert.deepEqual(
      [result.success, result.output, result.returnMessage, result.problem],
      [false, '{"a":1}', 'no 1', { code: 'JM5004', message: 'no 1', at: 11 }],
    )
  })

  it('gives the same result whether a host function returns at once or later, also in lambdas', async () => {
    const answers = (wait: boolean) =>
      define({
        name: 'Twice',
        category: 'Host',
        parameters: [any('value')],
        returns: 'any',
        about: 'Doubles.',
        ...(wait
          ? { waits: async (_: unknown, value: unknown) => Number(value) * 2 }
          : { body: (_: unknown, value: unknown) => Number(value) * 2 }),
      })
    const text = `
func f(x) return Twice(x) + 1 end
Data.a = Map([1, 2, 3], x => Twice(x) + f(x))
Data.b = SortBy([3, 1, 2], x => -Twice(x))
Data.c = Reduce([1, 2], (sum, x) => sum + Twice(Sum(Map([x, x], y => Twice(y)))), 0)`
    const [later, atOnce] = await Promise.all(
      [true, false].map((wait) => runScript(compiled(text, { functions: [answers(wait)] }))),
    )
    assert.equal(later?.problem, null)
    assert.equal(later?.output, '{"a":[5,9,13],"b":[3,2,1],"c":24}')
    assert.deepEqual(later, atOnce)
  })

  it('fails at the call when a host function that waits fails', async () => {
    const broken = define({
      name: 'Ask',
      category: 'Host',
      parameters: [],
      returns: 'any',
      about: 'Fails.',
      waits: () => Promise.reject(new RangeError('nothing there')),
    })
    for (const statement of ['Data.b = Map([1], x => Ask())', 'Ask()']) {
      const text = `Data.a = 1\n${statement}\nData.c = 2`
      const { problem, output } = await runScript(compiled(text, { functions: [broken] }))
      assert.deepEqual([problem?.code, problem?.at, output], ['JM5002', 11, '{"a":1}'])
    }
  })
})

describe('runWith', () => {
  const about = { category: 'Host', returns: 'any', about: 'For a test.' }
  const texts = define({
    ...about,
    name: 'Texts',
    parameters: [number('count')],
    waits: async (context, count) => {
      await null
      return context.array(Array.from({ length: count }, () => context.text('x'.repeat(1000))))
    },
  })
  const nameOfHost = define({
    ...about,
    name: 'HostName',
    parameters: [],
    body: ({ host, text }) => text(String(host)),
  })
  const functions = [texts, nameOfHost]

  it('passes the host to its functions, and gives the values at the end of the run', async () => {
    const program = compiled('Data.host = HostName()', { functions })
    const options = { limits: serviceLimits, host: 'this one' }
    const { data, problem } = await runWith(program, options, (context) => fromPlain({ a: 1 }, context))
    assert.equal(problem, null)
    assert.ok(data instanceof ScriptObject)
    assert.deepEqual([data.get('a'), data.get('host')], [1, 'this one'])
  })

  it('counts what a function makes after it has waited', async () => {
    const program = compiled('var few = Texts(10) var many = Texts(100000)', { functions })
    const limits = { ...serviceLimits, memoryBytes: 1_000_000 }
    const { limit, problem } = await runWith(program, { limits }, (context) => context.object())
    assert.deepEqual([limit, problem?.code], ['memoryBytes', 'JM5910'])
  })
})
