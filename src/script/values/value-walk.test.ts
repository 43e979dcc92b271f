import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { ScriptFailure } from '../failure.ts'
import { arrayOf, nestedArrays, objectOf, sharedTwice, testMaker } from '../testing/maker.ts'
import { readJson } from './json-read.ts'
import { writeJson, writeJsonInSlices } from './json-write.ts'
import { toText } from './to-text.ts'
import type { Value } from './value.ts'

const nothing = () => undefined

/** Long enough to be walked. */
const filler = 'x'.repeat(140_000)

/** Writes a value step by step and counts the work. */
async function written(value: Value, mostBytes?: number) {
  let units = 0
  let pauses = 0
  const work = (more: number) => void (units += more)
  const pause = () => void pauses++
  const escapes = 'plain'
  const text = await writeJsonInSlices(
    value,
    { work, escapes, ...(mostBytes !== undefined && { mostBytes }) },
    pause,
  )
  return { text, units, pauses }
}

/** Trees whose parts occur again and again, also at different levels. */
const shared = fc
  .array(
    fc.record({
      isObject: fc.boolean(),
      of: fc.array(
        fc.oneof(
          fc.nat(),
          fc.string({ unit: anyCharacter }),
          fc.constantFrom(null, true, -1.5, 'é'.repeat(300)),
        ),
        { maxLength: 5 },
      ),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => {
    const made: Value[] = []
    for (const { isObject, of } of parts) {
      const members = of.map((member) => (typeof member === 'number' && made[member % 8]) || member)
      made.push(
        isObject
          ? objectOf(...members.map((member, nth): [string, Value] => [`k${nth}"`, member]))
          : arrayOf(...members),
      )
    }
    return arrayOf(...made, filler)
  })

describe('values whose parts are shared', () => {
  it('are written as if they were not', async () => {
    await fc.assert(
      fc.asyncProperty(shared, async (value) => {
        const { text } = await written(value)
        // After reading and writing again nothing is shared any more.
        const copy = readJson(text, testMaker())
        assert.equal(writeJson(copy, { work: nothing, escapes: 'plain' }), text)
        assert.equal(text, JSON.stringify(JSON.parse(text)))
        assert.equal(writeJson(value, { work: nothing, escapes: 'plain' }), text)
        assert.equal(toText(copy), toText(value))
      }),
    )
  })

  it('take work in proportion to their parts, not to the length of the output', async () => {
    const value = arrayOf(filler, sharedTwice(20))
    const { text, units } = await written(value)
    assert.equal(text.length, JSON.stringify(filler).length + 5 * 2 ** 20)
    assert.ok(units < 200_000, `${units} units`)
  })

  it('are refused for their length before any of it is written', async () => {
    await assert.rejects(written(sharedTwice(900), 2 ** 27), (failure) => {
      assert.ok(failure instanceof ScriptFailure)
      assert.deepEqual([failure.code, failure.limit], ['JM5911', 'outputBytes'])
      return true
    })
    for (const write of [
      () => writeJson(sharedTwice(900), { work: nothing, escapes: 'plain' }),
      () => toText(sharedTwice(900)),
    ]) {
      assert.throws(write, (failure) => failure instanceof ScriptFailure && failure.limit !== null)
    }
  })

  it('are written up to the last allowed byte', async () => {
    const value = arrayOf(...Array.from({ length: 9 }, () => sharedTwice(15)), 'é')
    const { text } = await written(value)
    const bytes = Buffer.byteLength(text)
    assert.equal((await written(value, bytes)).text, text)
    await assert.rejects(written(value, bytes - 1), ScriptFailure)
  })

  it('count as deep as they are written, wherever they occur', async () => {
    const deep = nestedArrays(499)
    const long = arrayOf(filler, deep)
    const deeper = (levels: number) => {
      let value: Value = long
      for (let level = 0; level < levels; level++) value = arrayOf(value)
      return arrayOf(long, value)
    }
    // The levels of the outer array, of the long one and of the deep one.
    await written(deeper(1000 - 1 - 1 - 500))
    await assert.rejects(written(deeper(1000 - 1 - 500)), { code: 'JM5002' })
  })

  it('let other work have its turn while they are written', async () => {
    const many = arrayOf(...Array.from({ length: 100_000 }, (_, nth) => arrayOf(nth)))
    const { text, pauses } = await written(many)
    assert.equal(text, writeJson(many, { work: nothing, escapes: 'plain' }))
    assert.ok(pauses > 50, `${pauses} pauses`)
  })
})
