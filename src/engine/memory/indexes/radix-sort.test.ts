import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { NULL_INTEGER } from '../../../snapshot/partition.ts'
import { runWork } from '../work.ts'
import { rowNumbers } from './column-index.ts'
import { type SortWord, sortByWords } from './radix-sort.ts'
import { booleanWord, doubleWords, integerWord, textWord } from './sort-words.ts'

const sorted = async (count: number, words: readonly SortWord[]): Promise<number[]> => [
  ...(await runWork(sortByWords(rowNumbers(count), words.toReversed()))),
]

/** Null is the greatest value; equal values keep their order. */
function expected(values: readonly (number | null)[], descending: boolean): number[] {
  const compare = (a: number | null, b: number | null): number =>
    a === null || b === null ? Number(a === null) - Number(b === null) : a - b
  return values
    .map((_, row) => row)
    .sort((a, b) => (descending ? -1 : 1) * compare(values[a]!, values[b]!) || a - b)
}

const orNull = (value: fc.Arbitrary<number>) => fc.option(value, { nil: null, freq: 5 })
const few = { maxLength: 700, size: 'max' } as const
const integer = fc.oneof(
  fc.integer({ min: NULL_INTEGER + 1, max: 0x7fffffff }),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(NULL_INTEGER + 1, 0x7fffffff),
)
const amount = fc.oneof(
  fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(-0, 0, 1000, -1000),
)

describe('sortByWords', () => {
  for (const descending of [false, true]) {
    const direction = descending ? 'descending' : 'ascending'

    it(`sorts integers ${direction}, null as the greatest, stably`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(orNull(integer), few), async (values) => {
          const column = {
            type: 'integer' as const,
            values: Int32Array.from(values, (value) => value ?? NULL_INTEGER),
          }
          const rows = await sorted(values.length, [integerWord(column, descending)])
          assert.deepEqual(rows, expected(values, descending))
        }),
      )
    })

    it(`sorts amounts ${direction}, null as the greatest, stably`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(orNull(amount), few), async (values) => {
          const stored = Float64Array.from(values, (value) => value ?? Number.NaN)
          const rows = await sorted(values.length, doubleWords(stored, descending))
          assert.deepEqual(rows, expected(values, descending))
        }),
      )
    })

    it(`sorts truth values ${direction}, stably`, async () => {
      const column = { type: 'boolean' as const, bits: Uint8Array.of(0b01101001, 0b01) }
      const values = [1, 0, 0, 1, 0, 1, 1, 0, 1]
      assert.deepEqual(await sorted(9, [booleanWord(column, descending)]), expected(values, descending))
    })

    it(`sorts texts ${direction} by their codes`, async () => {
      const dictionary = { size: 3, text: String, folded: String }
      const column = { type: 'text' as const, codes: Int32Array.of(3, 0, 1, 2, 0, 3), dictionary }
      const codes = [null, 0, 1, 2, 0, null]
      assert.deepEqual(await sorted(6, [textWord(column, descending)]), expected(codes, descending))
    })
  }

  it('sorts by several words, the first word before the others', async () => {
    const major = { type: 'integer' as const, values: Int32Array.of(2, 1, 2, 1, NULL_INTEGER, 1) }
    const minor = { type: 'integer' as const, values: Int32Array.of(5, 6, 4, 7, 0, 6) }
    assert.deepEqual(
      await sorted(6, [integerWord(major, false), integerWord(minor, true)]),
      [3, 1, 5, 0, 2, 4],
    )
  })

  it('sorts more rows than one block holds and leaves the given rows unchanged', async () => {
    const values = Int32Array.from({ length: 150_000 }, (_, row) => (row * 7919) % 100_003)
    const rows = rowNumbers(values.length)
    const result = await runWork(sortByWords(rows, [integerWord({ type: 'integer', values }, false)]))
    assert.deepEqual(rows, rowNumbers(values.length))
    for (let i = 1; i < result.length; i++) {
      const [before, after] = [result[i - 1]!, result[i]!]
      assert.ok(values[before]! < values[after]! || (values[before] === values[after] && before < after))
    }
  })
})
