/**
 * Calls every function of the library with values that never end when they are walked: each call ends with a result or a
 * problem, and nothing else.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serviceLimits } from '../../src/script/problems.ts'
import { compileScript, runScript } from '../../src/script/script.ts'
import { library } from '../../src/script/stdlib/library.ts'
import type { NativeFunction, ParameterKind } from '../../src/script/values.ts'

const limits = { ...serviceLimits, milliseconds: 200, memoryBytes: 16 * 2 ** 20 }

/** Scripts that assign the hostile value to `h`. */
const hostile: readonly (readonly [what: string, made: string])[] = [
  ['a list in itself', 'var h = [1] h[1] = h h[2] = {a: h}'],
  ['an object in itself', 'var h = {a: 1, b: [1]} h.c = h h.b[1] = h'],
  ['two lists in each other', 'var h = [] var i = [h] h[0] = i h[1] = i'],
  ['a deep list', 'var h = [] for n in 0 to 5000 do h = [h] end'],
  ['a deep object', 'var h = {} for n in 0 to 5000 do h = {a: h} end'],
  [
    'a list of deep and circular ones',
    'var c = {} c.a = c var d = [] for n in 0 to 5000 do d = [d] end var h = [d, c, d, c, {a: d}, {a: c}]',
  ],
  ['a function in itself', 'var o = {} o.f = x => o var h = [o.f, o, {a: o.f}]'],
]

const plain: { readonly [K in ParameterKind]: string } = {
  text: '"a"',
  number: '1',
  array: '[3, 1, 2]',
  object: '{a: 1}',
  function: 'x => h',
  any: '1',
}

/** Calls with the hostile value in each single place, then in all. */
function callsOf({ name, parameters }: NativeFunction): readonly string[] {
  const with_ = (hostileAt: (i: number) => boolean): string => {
    const args = parameters.map(({ kind }, i) => {
      if (kind === 'function') return name === 'Reduce' ? '(x, y) => [x, y, h]' : plain.function
      return hostileAt(i) ? 'h' : plain[kind]
    })
    return `${name}(${args.join(', ')})`
  }
  return [...new Set([...parameters.map((_, place) => with_((i) => i === place)), with_(() => true)])]
}

async function check(script: string, milliseconds = limits.milliseconds): Promise<readonly string[]> {
  const { program, problems } = compileScript(script)
  assert.ok(program, JSON.stringify(problems))
  const began = performance.now()
  try {
    const { success, problem, output } = await runScript(program, { limits: { ...limits, milliseconds } })
    const took = performance.now() - began
    const faults: string[] = []
    if (success !== (problem === null)) faults.push('success and a problem')
    if (problem !== null && !/^JM5\d{3}$/.test(problem.code)) faults.push(problem.code)
    if (/call stack|TypeError|undefined/.test(problem?.message ?? '')) faults.push(problem?.message ?? '')
    if (output !== '') JSON.parse(output)
    // The promise is a fifth of a second; a busy computer takes longer.
    if (took > 5000) faults.push(`${took} ms`)
    return faults.map((fault) => `${script}: ${fault}`)
  } catch (error) {
    return [`${script}: threw ${error instanceof Error ? error.stack : error}`]
  }
}

describe('the library', () => {
  for (const [what, made] of hostile) {
    it(`ends with ${what}`, async () => {
      const faults: string[] = []
      for (const native of library) {
        for (const call of callsOf(native)) {
          faults.push(
            ...(await check(`${made} Data.r = ${call}`)),
            ...(await check(`${made} TypeOf(${call})`)),
          )
        }
      }
      assert.deepEqual(faults, [])
    })
  }

  it('ends with a list whose text is far longer than the list', async () => {
    const made = 'var h = ["x"] for n in 0 to 40 do h = [h, h] end'
    const faults: string[] = []
    for (const native of library) {
      if (!native.parameters.some(({ kind }) => kind !== 'number' && kind !== 'function')) continue
      const call = callsOf(native).at(-1)
      faults.push(...(await check(`${made} TypeOf(${call})`, 40)))
    }
    assert.deepEqual(faults, [])
  })

  it('has all functions of the language, and all are called', () => assert.equal(library.length, 99))
})
