/**
 * Attacks of hostile scripts, and the law for them all: a run ends within its limits with a result or a problem, nothing throws,
 * no object of JavaScript is changed, and none comes out.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serviceLimits } from '../../src/script/problems.ts'
import { compileScript, type Dialect, dialects, type RunResult, runScript } from '../../src/script/script.ts'
import { intrinsics } from './intrinsics.ts'
import type { Payload } from './payload.ts'
import { payloads } from './payloads.ts'

const limits = { ...serviceLimits, milliseconds: 10_000, memoryBytes: 16 * 2 ** 20 }

/** Text that no output, problem or message should contain. */
const javaScript =
  /\[native code\]|\[object |node:|\bat .*\.ts|TypeError|ReferenceError|call stack|undefined is/
const code = /function [^']|=>/

/** Returns the faults of the outcome. */
async function check({ name, script, input, output, problem, message }: Payload, dialect: Dialect) {
  const said = (what: string): string => `${name} (${dialect}): ${what}`
  try {
    const { program, problems } = compileScript(script, { dialect })
    const ended: Partial<RunResult> =
      program === null ? { problem: problems[0] ?? null } : await runScript(program, { limits, input })
    const told = [ended.output, ended.problem?.message, ended.returnMessage].join('\n')
    const faults: string[] = []
    const given = script + (input ?? '')
    for (const foreign of [javaScript, code]) {
      const text = foreign === code ? (ended.output ?? '') : told
      if (foreign.test(text) && !foreign.test(given)) faults.push(said(`tells ${text.slice(0, 200)}`))
    }
    if (program !== null && ended.output) JSON.parse(ended.output)
    if (problem !== undefined && (ended.problem?.code ?? null) !== problem) {
      faults.push(said(`ended with ${JSON.stringify(ended.problem)}`))
    }
    if (output !== undefined && ended.output !== output) {
      faults.push(said(`${ended.output?.slice(0, 200)} instead of ${output.slice(0, 200)}`))
    }
    if (message !== undefined && ended.returnMessage !== message)
      faults.push(said(`said ${ended.returnMessage}`))
    return faults
  } catch (error) {
    return [said(`threw ${error instanceof Error ? error.stack : error}`)]
  }
}

describe('hostile scripts', () => {
  for (const [kind, some] of payloads) {
    it(`stay inside the language: ${kind}, ${some.length}`, async () => {
      const before = intrinsics()
      const faults: string[] = []
      for (const payload of some) {
        for (const dialect of dialects) {
          if (payload.dialect === undefined || payload.dialect === dialect) {
            faults.push(...(await check(payload, dialect)))
          }
        }
      }
      assert.deepEqual(faults.slice(0, 10), [], `${faults.length} faults`)
      assert.deepEqual(intrinsics(), before)
    })
  }

  it('do not see inherited members of JavaScript objects', async () => {
    const inherited = { value: 'inherited', enumerable: true, configurable: true, writable: true }
    const { program } = compileScript(`
      Data.a = [Data.role, {}.role, [].role, "".role, (x => x).role, HasProperty({}, "role"), Keys({}), Data["role"]]
      Data.b = [Merge([{}]), Clone({}), Diff({}, {}), FromJson("{}"), Project([{}], ["role"]), Select([{}], "role")]
      Data.c = [ValidateSchema({}, {required: ["role"]}).length, ValidateRequired({}, ["role"]).valid, ToJson({}), ToString({})]
      foreach v in {} do Data.d = v end
      foreach v in Data.input do Data.e = v end`)
    assert.ok(program)
    Object.defineProperty(Object.prototype, 'role', inherited)
    Object.defineProperty(Array.prototype, 'role', inherited)
    let ended: RunResult
    try {
      ended = await runScript(program, { limits, input: '{"input":{}}' })
    } finally {
      Reflect.deleteProperty(Object.prototype, 'role')
      Reflect.deleteProperty(Array.prototype, 'role')
    }
    assert.equal(
      ended.output,
      '{"input":{},"a":[null,null,null,null,null,false,[],null],' +
        '"b":[{},{},{"added":{},"removed":{},"changed":{}},{},[{"role":null}],[null]],"c":[1,false,"{}","{}"]}',
    )
  })
})
