import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { formatDate, formatMinute } from '../../../kernel/calendar.ts'
import { formatScaled } from '../../../kernel/decimal.ts'
import { NULL_INTEGER } from '../../../schema/field.ts'
import type { EncodedColumn } from '../../encoded-records.ts'
import { ByteWriter } from '../byte-writer.ts'
import { type Around, writePlaces } from './blocks.ts'
import { valueColumns } from './value-columns.ts'

/** A column, and the JSON of its values. */
type Example = { readonly column: EncodedColumn; readonly json: readonly string[] }

/** From the year 0 to 9999. */
const [FIRST_DAY, LAST_DAY] = [-719_528, 2_932_896]
const day = fc.oneof(
  fc.integer({ min: FIRST_DAY, max: LAST_DAY }),
  // They share a slot.
  fc.constantFrom(20_000, 20_000 + 4096, 20_000 - 4096, -1, 0),
)
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('', '"', '\\', '\u0000', '\u001f', '\u2028', '\u007f', 'é😀', 'Zürich', 'a\tb'),
  fc.integer({ min: 250, max: 700 }).map((length) => 'x'.repeat(length)),
)

const nullOr = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<(T | null)[]> =>
  fc.array(fc.option(value, { freq: 5 }), { minLength: 1, maxLength: 60 })

const jsonOf = <T>(values: readonly (T | null)[], write: (value: T) => string): readonly string[] =>
  values.map((value) => (value === null ? 'null' : write(value)))

const integers = (values: readonly (number | null)[]) =>
  Int32Array.from(values, (value) => value ?? NULL_INTEGER)
const doubles = (values: readonly (number | null)[]) =>
  Float64Array.from(values, (value) => value ?? Number.NaN)
const quoted = (write: (value: number) => string) => (value: number) => `"${write(value)}"`

/** @param hasUtf8 whether the dictionary has its bytes, as in files */
function texts(values: readonly (string | null)[], hasUtf8: boolean): Example {
  const known = [...new Set(values.filter((value) => value !== null))]
  const bytes = Buffer.from(known.join(''))
  const offsets = Int32Array.from([
    0,
    ...known.map((_, i) => Buffer.byteLength(known.slice(0, i + 1).join(''))),
  ])
  const dictionary = { size: known.length, text: (code: number) => known[code] as string }
  const codes = Int32Array.from(values, (value) => (value === null ? known.length : known.indexOf(value)))
  const column = {
    type: 'text',
    codes,
    dictionary: hasUtf8 ? { ...dictionary, utf8: { bytes, offsets } } : dictionary,
  } as const
  return { column, json: jsonOf(values, (value) => JSON.stringify(value)) }
}

const example: fc.Arbitrary<Example> = fc.oneof(
  fc.tuple(nullOr(text), fc.boolean()).map(([values, hasUtf8]) => texts(values, hasUtf8)),
  nullOr(day).map(
    (values): Example => ({
      column: { type: 'date', values: integers(values) },
      json: jsonOf(values, quoted(formatDate)),
    }),
  ),
  nullOr(fc.integer({ min: FIRST_DAY * 1440, max: 2 ** 31 - 1 })).map(
    (values): Example => ({
      column: { type: 'minute', values: integers(values) },
      json: jsonOf(values, quoted(formatMinute)),
    }),
  ),
  nullOr(fc.tuple(day, fc.nat(1439)).map(([date, minute]) => date * 1440 + minute)).map(
    (values): Example => ({
      column: { type: 'wide-minute', values: doubles(values) },
      json: jsonOf(values, quoted(formatMinute)),
    }),
  ),
  nullOr(fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 })).map(
    (values): Example => ({
      column: { type: 'integer', values: integers(values) },
      json: jsonOf(values, String),
    }),
  ),
  nullOr(fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.constant(NULL_INTEGER))).map(
    (values): Example => ({
      column: { type: 'decimal', values: doubles(values) },
      json: jsonOf(values, formatScaled),
    }),
  ),
  fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }).map((values) => {
    const bits = new Uint8Array(8)
    values.forEach((value, i) => {
      if (value) bits[i >> 3] = (bits[i >> 3] as number) | (1 << (i & 7))
    })
    return { column: { type: 'boolean', bits }, json: values.map(String) } satisfies Example
  }),
)

const around: fc.Arbitrary<Around> = fc.constantFrom(
  { ahead: '', behind: '' },
  { ahead: '{"recordLocator":', behind: '' },
  { ahead: ',"größe":', behind: '}\n' },
)

/** All values, read in blocks of this many rows. */
function written(
  column: EncodedColumn,
  rowCount: number,
  blockRows: number,
  of: Around,
  rowsPerText: number,
): string {
  const columns = valueColumns(column, of, rowCount * rowsPerText)
  const to = new ByteWriter(Buffer.alloc(0))
  for (let first = 0; first < rowCount; first += blockRows) {
    const count = Math.min(blockRows, rowCount - first)
    const rows = Int32Array.from({ length: blockRows }, (_, i) => first + i)
    for (const { find } of columns) find(rows, count)
    writePlaces(
      columns.map(({ pieces }) => pieces),
      0,
      count,
      to,
    )
  }
  return Buffer.from(to.written()).toString()
}

describe('columns of values', () => {
  it('have the JSON of any values between the same texts, in blocks of any size, whether texts come once or often', () => {
    fc.assert(
      fc.property(
        example,
        around,
        fc.integer({ min: 1, max: 70 }),
        fc.constantFrom(1, 1000),
        ({ column, json }, of, blockRows, rowsPerText) => {
          const expected = json.map((value) => of.ahead + value + of.behind).join('')
          assert.equal(written(column, json.length, blockRows, of, rowsPerText), expected)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('have the right texts when they are too many bytes to be kept', () => {
    const known = Array.from({ length: 60 }, (_, i) => `${i} ${'ä'.repeat(100_000)}`)
    const codes = Int32Array.from({ length: 300 }, (_, i) => (i * 7) % known.length)
    const dictionary = { size: known.length, text: (code: number) => known[code] as string }
    const expected = Array.from(codes, (code) => JSON.stringify(known[code])).join('')
    const none = { ahead: '', behind: '' }
    assert.ok(written({ type: 'text', codes, dictionary }, codes.length, 100, none, 1) === expected)
  })

  it('have the right days when so many lie far apart that their texts are forgotten', () => {
    const values = Int32Array.from({ length: 60_000 }, (_, i) => ((i * 7919) % LAST_DAY) - 1000)
    const expected = Array.from(values, (value) => `"${formatDate(value)}"`).join('')
    const none = { ahead: '', behind: '' }
    assert.equal(written({ type: 'date', values }, values.length, 512, none, 1), expected)
  })
})
