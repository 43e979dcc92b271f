/** What functions of the library take while they run counts, although nothing leads to it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compileScript, runWith } from '../script.ts'
import { noLimits } from './limits.ts'

/** Each argument takes about two thirds of the limit, so that the functions find room for little more. */
const LIMIT = 2 ** 22
const TEXTS = 'Split(PadRight("", 150000, "a"), "a")'

const calls: readonly (readonly [what: string, call: string])[] = [
  ['the counts of a mode', 'Mode(Range(0, 150000))'],
  ['a sorted copy', 'Median(Range(0.5, 150000))'],
  ['the readers of fields', `Project([], ${TEXTS})`],
  ['different names to leave out', 'Omit([], Split(ToString(Range(10000, 60000)), ", "))'],
]

describe('a function of the library', () => {
  for (const [what, call] of calls) {
    it(`ends at the memory of the run with ${what}`, async () => {
      const { program } = compileScript(`var value = ${call}`)
      assert.ok(program !== null)
      const ended = await runWith(program, { limits: { ...noLimits, memoryBytes: LIMIT } }, () => null)
      assert.equal(ended.problem?.code, 'JM5910')
      // It is not the argument that takes too much.
      const argument = /\((?:\[\], )?(.*)\)$/.exec(call)?.[1]
      const alone = compileScript(`var value = ${argument}`).program
      assert.ok(alone !== null)
      const whole = await runWith(alone, { limits: { ...noLimits, memoryBytes: LIMIT } }, () => null)
      assert.equal(whole.problem, null)
    })
  }
})
