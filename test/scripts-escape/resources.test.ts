/** Hidden uses of memory and time, and runs that end before they begin. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { type Limits, serviceLimits } from '../../src/script/problems.ts'
import { compileScript, type RunOptions, runScript } from '../../src/script/script.ts'

async function run(text: string, limits: Partial<Limits> = {}, options: RunOptions = {}) {
  const { program, problems } = compileScript(text)
  assert.ok(program, JSON.stringify(problems))
  return runScript(program, { ...options, limits: { ...serviceLimits, ...limits } })
}

describe('memory', () => {
  const kept: readonly (readonly [what: string, script: string])[] = [
    [
      'texts that a lambda made',
      'Data.r = Length(Map(Range(1, 200), x => ToUpper(PadLeft(ToString(x), 100000, "x"))))',
    ],
    ['lists that a lambda made', 'Data.r = Length(Map(Range(1, 2000), x => Range(1, 1000)))'],
    [
      'lists that a nested lambda made',
      'Data.r = Length(Map([1], y => Map(Range(1, 2000), x => Range(1, 1000))))',
    ],
    [
      'registers of calls whose frames are reused',
      `func g(n) if n > 0 then g(n - 1) end end\nfunc f(n) if n > 0 then f(n - 1) end if n < 0 then return [${Array(20_000).fill(0).join()}] end end\ng(60) f(60)`,
    ],
  ]
  for (const [what, script] of kept) {
    it(`is counted for ${what}`, async () => {
      const { problem, limit } = await run(script, { memoryBytes: 4 * 2 ** 20 })
      assert.equal(limit, 'memoryBytes', JSON.stringify(problem))
    })
  }

  const text = 'ToUpper(PadLeft(ToString(i), 1000000, "x"))'
  const small: readonly (readonly [what: string, script: string])[] = [
    ['parts of dropped texts', `var a = [] for i in 0 to 90 do a.add(Substring(${text}, 0, 20)) end`],
    [
      'pieces of dropped texts',
      `var a = [] for i in 0 to 90 do a.add(Split(${text} + ",aaaaaaaaaaaaaaaaaaaa", ",")[1]) end`,
    ],
    ['matches in dropped texts', `var a = [] for i in 0 to 90 do a.add(RegexMatch(${text}, "^X{20}")) end`],
    ['keys of dropped objects', `for i in 0 to 90 do var o = {} o[${text}] = 1 end`],
    ['results of a lambda', `Data.r = Length(Map(Range(1, 90), i => ${text}))`],
  ]
  // One small process runs them all: what one run leaves behind is missing for the next.
  let ended: Promise<ReadonlyMap<string, string>> | undefined
  for (const [what] of small) {
    it(`of the process suffices for ${what}`, async () => {
      ended ??= runInSmallProcess(small)
      assert.equal((await ended).get(what), 'ended')
    })
  }
})

/** How each script ended, as far as the process came. */
async function runInSmallProcess(
  scripts: readonly (readonly [what: string, script: string])[],
): Promise<ReadonlyMap<string, string>> {
  const inside = `
    import { compileScript, runScript } from ${JSON.stringify(new URL('../../src/script/script.ts', import.meta.url).href)}
    import { serviceLimits } from ${JSON.stringify(new URL('../../src/script/run/limits.ts', import.meta.url).href)}
    for (const [what, script] of JSON.parse((await process.stdin.toArray()).join(''))) {
      const { program } = compileScript(script)
      await runScript(program, { limits: { ...serviceLimits, milliseconds: 20_000, memoryBytes: 32 * 2 ** 20 } })
      process.stdout.write(what + '\\n')
    }`
  const { stdout } = spawnSync(
    process.execPath,
    [
      '--max-old-space-size=60',
      '--max-semi-space-size=1',
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      inside,
    ],
    { input: JSON.stringify(scripts), encoding: 'utf8' },
  )
  return new Map(stdout.split('\n').map((what) => [what, 'ended']))
}

describe('time', () => {
  const long = 'var s = ToUpper(PadLeft("1", 1000000, "0")) var t = ToUpper(PadLeft("1", 1000000, "0"))'
  const emptied =
    'var o = {} for i in 0 to 100000 do o["k" + i] = 1 end for i in 0 to 100000 do delete o["k" + i] end'
  const many = (text: string, count: number): string => Array(count).fill(text).join(', ')
  const slow: readonly (readonly [what: string, script: string])[] = [
    [
      'texts that are measured again and again',
      `${long} var o = {} while true do Data.r = ${Array(20).fill('o[s + "x"]').join(' or ')} end`,
    ],
    ['long texts compared', `${long} while true do Data.r = [${many('s == t', 300)}] end`],
    ['long texts in order', `${long} while true do Data.r = [${many('s < t', 300)}] end`],
    ['long texts as numbers', `${long} var n: number = 1 while true do n = s n = s n = s n = s end`],
    [
      'keys of an object that once had many keys',
      `${emptied} while true do Data.r = [${many('Keys(o)', 30)}] end`,
    ],
    [
      'values of an object that once had many keys',
      `${emptied} while true do Data.r = [${many('Values(o)', 30)}] end`,
    ],
    [
      'the text of an object that once had many keys',
      `${emptied} var l = Map(Range(1, 10000), x => o) Data.r = ToString(l)`,
    ],
    [
      'copies of an object that once had many keys',
      `${emptied} var l = Map(Range(1, 10000), x => o) Data.r = Clone(l)`,
    ],
    [
      'merging an object that once had many keys',
      `${emptied} var l = Map(Range(1, 10000), x => o) Data.r = Merge(l)`,
    ],
    [
      'loops over an object that once had many keys',
      `${emptied} while true do ${'foreach x in o do end '.repeat(20)} end`,
    ],
  ]
  for (const [what, script] of slow) {
    it(`is counted for ${what}`, async () => {
      const began = performance.now()
      await run(script, { milliseconds: 250 })
      const took = performance.now() - began
      // The promise is a quarter of a second; a computer that is busy with other tests takes longer.
      assert.ok(took < 2000, `${took} ms`)
    })
  }
})

describe('a run that ends early', () => {
  for (const memoryBytes of [0, 1, 50]) {
    it(`has a result with a memory of ${memoryBytes} bytes`, async () => {
      const { success, problem, limit } = await run('Data.a = [1, 2, 3]', { memoryBytes })
      assert.deepEqual([success, problem?.code, limit], [false, 'JM5910', 'memoryBytes'])
    })
  }

  it('has a result when its input does not fit', async () => {
    const input = JSON.stringify(Array.from({ length: 10_000 }, (_, i) => i))
    const { success, problem, limit } = await run('', { memoryBytes: 20_000 }, { input })
    assert.deepEqual([success, problem?.code, limit], [false, 'JM5910', 'memoryBytes'])
  })

  it('has a result when its input does not fit, even in small parts', async () => {
    const input = JSON.stringify(Array.from({ length: 10_000 }, (_, i) => ({ a: [i], b: `text ${i}` })))
    const { success, limit, statements } = await run('var a = 1', { memoryBytes: 200_000 }, { input })
    assert.deepEqual([success, limit, statements], [false, 'memoryBytes', 0])
  })

  it('has a result when it was cancelled before', async () => {
    const input = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => i))
    const { success, problem } = await run('', {}, { input, cancellation: { aborted: true } })
    assert.deepEqual([success, problem?.code], [false, 'JM5003'])
  })

  it('gives its output so far, however much that is', async () => {
    const { output, limit } = await run('Data.l = Range(1, 20000) while true do end', {
      milliseconds: 100,
      loops: 1e9,
    })
    assert.equal(limit, 'milliseconds')
    assert.equal(output, JSON.stringify({ l: Array.from({ length: 20_000 }, (_, i) => i + 1) }))
  })

  for (const limit of ['statements', 'loops', 'depth', 'milliseconds', 'outputBytes'] as const) {
    for (const most of [0, 1]) {
      it(`has a result with a limit of ${most} ${limit}`, async () => {
        const { success, problem } = await run('for i in 0 to 3 do Data.a = Floor(Floor(1)) end', {
          [limit]: most,
        })
        assert.equal(success, problem === null)
      })
    }
  }

  it('waits to the end even if the process is otherwise idle', () => {
    const inside = `
      import { compileScript, runScript } from ${JSON.stringify(new URL('../../src/script/script.ts', import.meta.url).href)}
      const { output } = await runScript(compileScript('Sleep(20) Data.a = 1').program)
      process.stdout.write(output)`
    const { stdout } = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', inside],
      { encoding: 'utf8' },
    )
    assert.equal(stdout, '{"a":1}')
  })
})

describe('a lambda in the first value of the variable that it reads', () => {
  const scripts: readonly (readonly [script: string, output: string, problem: string | null])[] = [
    ['var f = 1 if true then var f = (x => TypeOf(f)) Data.r = Map([1], f) end', '{"r":["unknown"]}', null],
    ['var f = 1 if true then var f = Map([1], x => f) end', '{}', 'JM5002'],
    ['var f = 1 if true then var f = Map([1], x => f++) end', '{}', 'JM5002'],
    [
      'var f = 1 Data.r = [] for i in 0 to 2 do var f = [i, x => Length(f)] Data.r.add(Map([1], f[1])[0]) end',
      '{"r":[2,2]}',
      null,
    ],
  ]
  for (const [script, output, code] of scripts) {
    it(`means the new variable: ${script}`, async () => {
      const ended = await run(script)
      assert.deepEqual([ended.output, ended.problem?.code ?? null], [output, code])
    })
  }
})
