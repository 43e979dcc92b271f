import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compileScript, runScript } from '../script.ts'
import { type Limits, languageLimits, serviceLimits } from './limits.ts'

async function run(text: string, limits: Partial<Limits> = {}, input?: string) {
  const { program, problems } = compileScript(text)
  assert.ok(program, JSON.stringify(problems))
  return runScript(program, { limits: { ...serviceLimits, ...limits }, input })
}

describe('limits of a run', () => {
  const scripts: readonly (readonly [
    limit: keyof Limits,
    most: number,
    within: string,
    beyond: string,
    code: string,
  ])[] = [
    ['statements', 3, 'var a = 1 a = 2 Data.a = a', 'var a = 1 a = 2 Data.a = a Data.b = 1', 'JM5900'],
    ['loops', 3, 'for i in 0 to 3 do end', 'for i in 0 to 4 do end', 'JM5901'],
    ['loops', 1, 'for i in 0 to 1 do end', 'for i in 0 to 2 do end', 'JM5901'],
    ['loops', 1, 'for i in 1 downto 0 do end', 'for i in 2 downto 0 do end', 'JM5901'],
    ['loops', 3, 'while (Data.n or 0) < 3 do Data.n = (Data.n or 0) + 1 end', 'while true do end', 'JM5901'],
    [
      'loops',
      4,
      'foreach x in [1, 2] do foreach y in [3] do end end',
      'foreach x in [1, 2, 3, 4, 5] do end',
      'JM5901',
    ],
    ['depth', 3, 'Data.a = Floor(Floor(Floor(1)))', 'Data.a = Floor(Floor(Floor(Floor(1))))', 'JM5902'],
    [
      'depth',
      3,
      'Data.a = [].add([].add([].add(1)))',
      'Data.a = [].add([].add([].add([].add(1))))',
      'JM5902',
    ],
    [
      'depth',
      2,
      'union U A(x: number) end func f(n) return A(n) end Data.a = f(1)',
      'union U A(x: number) end func f(n) return A(n) end func g(n) return f(n) end Data.a = g(1)',
      'JM5902',
    ],
    [
      'depth',
      2,
      'func f(a) a.add(1) return a end Data.a = f([])',
      'func f(a) a.add(1) return a end func g(a) return f(a) end Data.a = g([])',
      'JM5902',
    ],
    [
      'depth',
      2,
      'func f(n) if n > 0 then return n end return 0 end Data.a = f(f(1))',
      'func f(n) if n > 0 then return f(n - 1) end return 0 end Data.a = f(3)',
      'JM5902',
    ],
    [
      'depth',
      3,
      'func f(n) if n > 0 then return f(n - 1) end return 0 end Data.a = f(2)',
      'func f(n) if n > 0 then return f(n - 1) end return 0 end Data.a = f(3)',
      'JM5902',
    ],
    [
      'depth',
      3,
      'func f(x) return x end func g(x) return f(x) end func h(x) return g(x) end Data.a = h(1)',
      'func f(x) return x end func g(x) return f(x) end func h(x) return g(x) end Data.a = Floor(h(1))',
      'JM5902',
    ],
  ]
  for (const [limit, most, within, beyond, code] of scripts) {
    it(`allows exactly the limit of ${limit}: ${within}`, async () => {
      const fine = await run(within, { [limit]: most })
      assert.equal(fine.problem, null)
      const { problem, limit: reached } = await run(beyond, { [limit]: most })
      assert.deepEqual([problem?.code, reached], [code, limit])
      assert.match(problem?.message ?? '', new RegExp(`limit of ${most} .*${limit}`))
      assert.ok(problem?.at !== null)
    })
  }

  it('are those that the language and the endpoints promise', () => {
    const language = { statements: 10_000, loops: 1000, depth: 64, milliseconds: 5000 }
    assert.partialDeepStrictEqual(languageLimits, language)
    const endpoints = { statements: 1_000_000, loops: 1_000_000, depth: 64, milliseconds: 5000 }
    assert.deepEqual(serviceLimits, { ...endpoints, memoryBytes: 67_108_864, outputBytes: 8_388_608 })
  })

  it('counts output', async () => {
    const text = 'Data.a = PadLeft("", 1000, "x")'
    assert.equal((await run(text, { outputBytes: 1008 })).problem, null)
    const { success, problem, limit } = await run(text, { outputBytes: 1007 })
    assert.deepEqual([success, problem?.code, limit], [false, 'JM5911', 'outputBytes'])
  })

  it('subtracts memory that the script has dropped', async () => {
    const { problem } = await run(
      'for i in 0 to 20000 do Data.x = [PadLeft("", 5000, "x"), Range(1, 100), {i: i}] end',
      { memoryBytes: 300_000 },
    )
    assert.equal(problem, null)
  })

  it('counts a text once however many places hold it', async () => {
    const text = 'var s = PadLeft("", 100000, "x") var all = [] for i in 0 to 1000 do all.add(s) end'
    assert.equal((await run(text, { memoryBytes: 2_000_000 })).problem, null)
  })

  const growing: readonly (readonly [what: string, script: string])[] = [
    ['a range', 'Data.r = Range(1, 1000000000000)'],
    ['doubling of a text', 'var s = "x" while true do s = s + s end'],
    [
      'a text built up',
      'var s = "" while true do s = s + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" end',
    ],
    ['doubling of an array', 'var a = [1] while true do a = a + a end'],
    ['doubling by Concatenate', 'var a = [1] while true do a = Concatenate(a, a) end'],
    ['an index far away', 'var a = [] a[1000000000] = 1'],
    ['appending', 'var a = [] while true do a.add(a) end'],
    ['appending copies', 'var a = [] while true do a = Append(a, [a]) end'],
    ['keys', 'while true do Data.n = (Data.n or 0) + 1 Data["key number " + Data.n] = 1 end'],
    ['replacing', 'var s = PadLeft("", 100000, "x") while true do s = Replace(s, "x", "xx") end'],
    ['padding', 'var a = [] while true do a.add(PadLeft("", 1000000, "x") + a.length) end'],
    ['splitting', 'var a = [] while true do a.add(Split(PadLeft("", 100000, "x"), "x")) end'],
    ['joining', 'var a = [PadLeft("", 1000, "x")] while true do a = a + a Data.s = Join(a, "") end'],
    ['lambdas', 'var a = [] while true do var b = [a, 1] a.add(x => b) end'],
    ['JSON', 'var a = [1] while true do a = [a, ToJson(a), a] end'],
    ['clones', 'var a = {x: 1} while true do a = {a: Clone(a), b: Clone(a)} end'],
    ['maps', 'var a = [1] while true do a = Concatenate(Map(a, x => [x, a]), a) end'],
    ['a sort of what grows', 'var a = Range(1, 100000) while true do a = SortBy(a + a, x => -x) end'],
    ['recursion', 'func f(n) return [f(n + 1), n] end Data.r = f(0)'],
  ]
  for (const [what, script] of growing) {
    it(`ends the growth of ${what}`, async () => {
      const limits = {
        memoryBytes: 16 * 2 ** 20,
        depth: 1e9,
        milliseconds: 20_000,
        statements: 1e9,
        loops: 1e9,
      }
      const { problem, limit } = await run(script, limits)
      assert.equal(limit, 'memoryBytes', JSON.stringify(problem))
      assert.match(problem?.message ?? '', /16777216 bytes/)
    })
  }

  const endless: readonly (readonly [what: string, script: string])[] = [
    ['a loop', 'while true do end'],
    ['a loop of a lambda', 'while true do Each([1, 2, 3], x => x + 1) end'],
    [
      'texts compared',
      'var s = PadLeft("", 1000000, "x") var t = PadLeft("", 1000000, "x") while true do Data.c = Contains(s + "y", t + "z") end',
    ],
    [
      'equality of deep values',
      'var a = Range(1, 100000) var b = Range(1, 100000) while true do Data.e = a == b end',
    ],
    ['lists searched', 'var a = Range(1, 100000) while true do Data.e = IndexOf(a, [1]) end'],
    [
      'distinct lists',
      'var a = Map(Range(1, 20000), x => [x]) while true do Data.e = Length(Distinct(a)) end',
    ],
    ['sorting', 'var a = Range(1, 100000) while true do Data.e = Length(Sort(a)) end'],
    [
      'a lambda that sorts',
      'var a = Range(1, 10000) Data.r = Map(a, x => Length(SortBy(a, y => Sum(a) - y)))',
    ],
    ['a wait', 'Sleep(1000000)'],
    ['waits within lambdas', 'while true do Each([1, 2, 3], x => Sleep(1)) end'],
    ['a pattern', 'var s = PadLeft("", 10000, "a") while true do Data.r = RegexTest(s + "b", "(a+)+$") end'],
  ]
  for (const [what, script] of endless) {
    it(`ends in time: ${what}`, async () => {
      const began = performance.now()
      const { problem, limit } = await run(script, {
        milliseconds: 100,
        statements: 1e9,
        loops: 1e9,
        memoryBytes: 2 ** 28,
      })
      const took = performance.now() - began
      assert.equal(limit, 'milliseconds', JSON.stringify(problem))
      // The promise is a tenth of a second; a computer that is busy with other tests takes longer.
      assert.ok(took < 3000, `${took} ms`)
    })
  }

  it('can be cancelled while it runs and while it waits for its next slice', async () => {
    const { program } = compileScript('while true do Each([1], x => x) end')
    assert.ok(program)
    const cancellation = { aborted: false }
    setTimeout(() => {
      cancellation.aborted = true
    }, 20)
    const { problem, success } = await runScript(program, { cancellation })
    assert.deepEqual([problem?.code, success], ['JM5003', false])
  })

  it('leaves the event loop free while a script runs', async () => {
    const { program } = compileScript('while true do end')
    assert.ok(program)
    const cancellation = { aborted: false }
    let turns = 0
    const timer = setInterval(() => {
      turns++
      cancellation.aborted = turns >= 5
    }, 1)
    const limits = { milliseconds: 20_000, statements: 1e12, loops: 1e12 }
    const { problem } = await runScript(program, { cancellation, limits })
    clearInterval(timer)
    assert.equal(
      problem?.code,
      'JM5003',
      'the run is cancelled in the fifth turn, long before its time is over',
    )
  })
})
