import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type DuckDBConnection, DuckDBInstance, LIST, listValue, VARCHAR } from '@duckdb/node-api'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { isClientNumber, LONGEST_CLIENT_NUMBER } from '../../kernel/client-number.ts'
import { formatScaled } from '../../kernel/decimal.ts'
import type { ExtractColumn } from '../../schema/extract-tables.ts'
import type { FieldType } from '../../schema/field.ts'
import { storedValue, storedValueMacros } from '../stored-values.ts'
import { faultOf } from './field-rules.ts'

const column = (type: FieldType, maxLength?: number, nullable = true): ExtractColumn => ({
  name: 'field',
  column: 'field',
  type,
  nullable,
  maxLength,
  required: true,
})

const clientColumn: ExtractColumn = { ...column('text', LONGEST_CLIENT_NUMBER, false), namesClient: true }

describe('faultOf', () => {
  const faults: readonly [type: FieldType, text: string, rule: string, message: RegExp][] = [
    ['date', '2026-02-29', 'type.date', /expected an existing date, YYYY-MM-DD, found '2026-02-29'/],
    ['date', '29/01/2026', 'type.date', /found '29\/01\/2026'/],
    ['date', '2026-01-29T00:01', 'type.date', /found/],
    ['date', '2026-01-29 00:00:01', 'type.date', /found/],
    ['minute', '2026-01-29_10:00', 'type.minute', /expected a local time, YYYY-MM-DDTHH:MM, found/],
    ['minute', '2026-02-30 10:00', 'type.minute', /found '2026-02-30 10:00'/],
    ['minute', '2026-01-29T24:00', 'type.minute', /found '2026-01-29T24:00'/],
    ['minute', '2026-01-29T10:00:60', 'type.minute', /found/],
    ['minute', '2026-01-29T10:00+1000x', 'type.minute', /found/],
    ['boolean', 'yes', 'type.boolean', /expected true, false, t, f, y, n, 1 or 0, found 'yes'/],
    ['integer', '1.5', 'type.integer', /expected an integer/],
    ['integer', '2147483648', 'type.integer', /to 2147483647, found '2147483648'/],
    ['integer', '1e2', 'type.integer', /found '1e2'/],
    ['decimal', '1,5', 'type.decimal', /expected a number such as -12.5, found '1,5'/],
    ['decimal', '$5', 'type.decimal', /found/],
    ['decimal', '', 'type.decimal', /found ''/],
    ['decimal', '0.000001', 'decimal.places', /at most 5 decimal places, found '0.000001'/],
    ['decimal', '90071992547.40992', 'decimal.range', /to 90071992547.40991/],
    ['text', 'abcd', 'length', /expected at most 3 characters, found 4/],
    ['text', 'a\0', 'character.nul', /NUL character/],
  ]
  for (const [type, text, rule, message] of faults) {
    it(`finds that ${JSON.stringify(text)} as ${type} breaks ${rule}`, () => {
      const fault = faultOf(column(type, 3), text)
      assert.equal(fault?.rule, rule)
      assert.match(fault?.message ?? '', message)
    })
  }

  const clientFaults: readonly [text: string, rule: string, message: RegExp][] = [
    ['A\tB', 'character.control', /without control characters, found U\+0009 in it/],
    ['A\u0085', 'character.control', /found U\+0085/],
    ['A\0', 'character.nul', /NUL character/],
    [' \u3000', 'client.blank', /nothing but blanks/],
    ['C'.repeat(21), 'length', /at most 20 characters, found 21/],
  ]
  for (const [text, rule, message] of clientFaults) {
    it(`finds that ${JSON.stringify(text)} as a client number breaks ${rule}`, () => {
      const fault = faultOf(clientColumn, text)
      assert.equal(fault?.rule, rule)
      assert.match(fault?.message ?? '', message)
    })
  }

  const fine: readonly [FieldType, string][] = [
    ['date', '2024-02-29'],
    ['date', '0000-01-01'],
    ['date', '2024-02-29 00:00:00'],
    ['date', '2024-02-29T00:00:00.000Z'],
    ['date', '2024-02-29T00:00+10:00'],
    ['minute', '9999-12-31T23:59'],
    ['minute', '2024-02-29'],
    ['minute', '2024-02-29 10:00'],
    ['minute', '2024-02-29T10:00:59.999999'],
    ['minute', '2024-02-29T10:00:00Z'],
    ['minute', '2024-02-29 10:00:00 UTC'],
    ['minute', '2024-02-29 10:00:00.123 -0330'],
    ['minute', '2024-02-29 10:00:00+00'],
    ['boolean', 'Y'],
    ['boolean', 'n'],
    ['boolean', 'TRUE'],
    ['boolean', 'f'],
    ['boolean', '0'],
    ['integer', '-2147483647'],
    ['integer', '007'],
    ['integer', '3.0'],
    ['decimal', '1e-5'],
    ['decimal', '-0.50'],
    ['decimal', '90071992547.40991'],
    ['decimal', '1.500000000000'],
    ['text', '😀😀😀'],
  ]
  for (const [type, text] of fine) {
    it(`accepts ${JSON.stringify(text)} as ${type}`, () => {
      assert.equal(faultOf(column(type, 3), text), undefined)
    })
  }

  it('finds a missing value in a required column, and no fault in an optional one', () => {
    assert.deepEqual(faultOf(column('text', 3, false), null)?.rule, 'required')
    assert.equal(faultOf(column('text', 3), null), undefined)
  })

  it('shortens long values in messages', () => {
    assert.ok((faultOf(column('date'), 'x'.repeat(10_000))?.message.length ?? 0) < 200)
  })
})

describe('the database', () => {
  let connection: DuckDBConnection
  before(async () => {
    connection = await (await DuckDBInstance.create(':memory:')).connect()
    for (const macro of storedValueMacros().toReversed()) await connection.run(`CREATE MACRO ${macro}`)
  })
  after(() => connection.closeSync())

  async function stored(of: ExtractColumn, texts: readonly string[]): Promise<unknown[]> {
    const result = await connection.run(
      `SELECT ${storedValue(of, 'given')} FROM (
         SELECT unnest($1) AS given, generate_subscripts($1, 1) AS place) ORDER BY place`,
      [listValue([...texts])],
      [LIST(VARCHAR)],
    )
    return (await result.getRowsJson()).map(([value]) => value)
  }

  it('stores the largest numbers, and none beyond', async () => {
    const integers = ['2147483647', '-2147483647', '2147483648', '-2147483648']
    assert.deepEqual(await stored(column('integer'), integers), [2147483647, -2147483647, null, null])
    const decimals = ['90071992547.40991', '-90071992547.40991', '90071992547.40992', '-9.007199254740992e10']
    const largest = String(Number.MAX_SAFE_INTEGER)
    assert.deepEqual(
      (await stored(column('decimal'), decimals)).map((value) => value && String(value)),
      [largest, `-${largest}`, null, null],
    )
    assert.deepEqual(await stored(column('text', 3), ['abc', '😀😀😀', 'abcd']), ['abc', '😀😀😀', null])
  })

  const digits = fc.string({ unit: fc.constantFrom('0', '0', '1', '2', '9'), minLength: 1, maxLength: 19 })
  const numberLike = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      digits,
      fc.constantFrom('', '.'),
      fc.option(digits, { nil: '' }),
      fc.constantFrom('', 'e', 'E', 'e-', 'e+'),
      fc.option(fc.nat({ max: 30 }).map(String), { nil: '' }),
    )
    .map((parts) => parts.join(''))
  const twoDigits = fc.nat({ max: 99 }).map((number) => String(number).padStart(2, '0'))
  const dateLike = fc
    .tuple(fc.constantFrom('0000', '1900', '2000', '2023', '2024', '9999', '202'), twoDigits, twoDigits)
    .map((parts) => parts.join('-'))
  const timeEnd = fc
    .tuple(
      fc.constantFrom('', ':00', ':59', ':60', ':00.0', ':00.123', ':00.'),
      fc.constantFrom('', '', 'Z', ' UTC', '+10:00', '-0330', ' +00', '+1', 'z', '+99:99'),
    )
    .map((parts) => parts.join(''))
  const minuteLike = fc
    .tuple(dateLike, fc.constantFrom('T', ' ', 't'), twoDigits, fc.constantFrom(':', ''), twoDigits, timeEnd)
    .map(([date, letter, hour, colon, minute, end]) => `${date}${letter}${hour}${colon}${minute}${end}`)
  const midnightLike = fc
    .tuple(dateLike, fc.constantFrom('T00:00', ' 00:00', ' 00:01', ''), timeEnd)
    .map((parts) => parts.join(''))
  const odd = fc.constantFrom(
    ...[
      '',
      ' ',
      '1 ',
      ' 1',
      '1_0',
      '0x1',
      'inf',
      'nan',
      '.5',
      '1.',
      '--1',
      'TRUE',
      'f',
      'true ',
      '١',
      '1e',
      '1\n',
    ],
    ...['infinity', 'epoch', '2024-1-1', '2024-01-01 ', '2024-01-01T10:00Z', '0e999999999999999999999', '-0'],
    ...['1e99999999999999999999', '2024-02-29', '2023-02-29', '😀', 'a\0b'],
  )

  for (const [type, likely] of [
    ['date', fc.oneof(dateLike, midnightLike)],
    ['minute', fc.oneof(minuteLike, midnightLike)],
    ['boolean', fc.constantFrom('true', 'T', '1', 'FALSE', 'f', '0', 'Y', 'n', 'yes', '2')],
    ['integer', numberLike],
    ['decimal', numberLike],
    ['text', fc.string({ unit: anyCharacter, maxLength: 5 })],
  ] as const) {
    it(`stores a ${type} exactly when no rule is broken`, async () => {
      const of = column(type, 3)
      await fc.assert(
        fc.asyncProperty(fc.array(fc.oneof(likely, odd), { minLength: 1, maxLength: 500 }), async (texts) => {
          const values = await stored(of, texts)
          for (const [at, text] of texts.entries()) {
            assert.equal(values[at] === null, faultOf(of, text) !== undefined, JSON.stringify(text))
          }
        }),
        { numRuns: 40 },
      )
    })
  }

  it('stores a client number exactly when it is one', async () => {
    const near = fc.string({
      unit: fc.oneof(anyCharacter, fc.constantFrom(...'A1 \t\ufeff\u0085\u00a0')),
      maxLength: 22,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(near, odd), { minLength: 1, maxLength: 500 }), async (texts) => {
        const values = await stored(clientColumn, texts)
        for (const [at, text] of texts.entries()) {
          const isNumber = isClientNumber(text)
          assert.equal(values[at] !== null, isNumber, JSON.stringify(text))
          assert.equal(faultOf(clientColumn, text) === undefined, isNumber, JSON.stringify(text))
        }
      }),
      { numRuns: 40 },
    )
  })

  it('stores decimals exactly, as scaled integers', async () => {
    const scaled = fc.oneof(
      fc.maxSafeInteger(),
      fc.integer({ min: -200_000, max: 200_000 }),
      fc.constantFrom(Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(scaled, { minLength: 1, maxLength: 200 }), async (numbers) => {
        const plain = await stored(column('decimal'), numbers.map(formatScaled))
        assert.deepEqual(
          plain.map(Number),
          numbers.map((number) => number + 0),
        )
        const exponential = numbers.map((number) => `${number}e-5`)
        assert.deepEqual(
          (await stored(column('decimal'), exponential)).map(Number),
          numbers.map((n) => n + 0),
        )
      }),
      { numRuns: 30 },
    )
  })

  it('stores days and minutes counted from 1970', async () => {
    assert.deepEqual(
      await stored(column('date'), ['1970-01-01', '1969-12-31', '2026-01-15']),
      [0, -1, 20_468],
    )
    const minutes = await stored(column('minute'), [
      '1970-01-01T00:01',
      '1969-12-31T23:59',
      '9999-12-31T23:59',
    ])
    assert.deepEqual(minutes.map(Number), [1, -1, 4_223_371_679])
  })
})
