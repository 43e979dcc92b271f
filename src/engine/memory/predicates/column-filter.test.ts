import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseDate, parseInstant, parseMinute } from '../../../kernel/calendar.ts'
import { parseDecimal } from '../../../kernel/decimal.ts'
import { fold } from '../../../kernel/text.ts'
import type { TextFunction } from '../../../query/ast.ts'
import type { ColumnRef, Comparand, Comparison, Predicate } from '../../../query/plan/plan-nodes.ts'
import type { FieldType, FieldValue } from '../../../schema/field.ts'
import type { Column } from '../../../snapshot/partition.ts'
import { countRows, listRows, wholeWindow } from '../bitmap.ts'
import { countScan } from '../indexes/column-index.ts'
import { recordScope, type Scope } from '../scope.ts'
import { partitionOf } from '../testing/partitions.ts'
import { runWork } from '../work.ts'
import { lower } from './lower.ts'

// One line item per value: a column of every type, each with a null in it where the type has one.

const day = (text: string): number => parseDate(text)!
const minute = (text: string): number => parseMinute(text)!

const values: { readonly [T in FieldType]: readonly FieldValue[] } = {
  text: [
    null,
    'apple',
    'Apple',
    'banana',
    'true',
    'FALSE',
    '7',
    '10',
    '10.0',
    '1e1',
    '2026-01-02',
    '2026-01-02T00:00Z',
    '',
  ],
  date: [day('0000-01-01'), day('1969-12-31'), day('2026-01-02'), day('2026-01-03'), day('9999-12-31')],
  minute: [
    null,
    minute('0000-01-01T00:00'),
    minute('2026-01-02T00:00'),
    minute('2026-01-02T10:30'),
    minute('2026-01-02T10:31'),
    minute('6000-12-31T23:59'),
  ],
  integer: [-1, 0, 7, 10, 100],
  decimal: [null, -150_000, 0, 1, 700_000, 1_000_000, 1_000_001],
  boolean: [false, true],
}

/** A column for each field type. */
const columns: { readonly [T in FieldType]: ColumnRef } = {
  text: { kind: 'custom', label: 'Text', type: 'text' },
  date: { kind: 'field', name: 'dueDate', type: 'date' },
  minute: { kind: 'field', name: 'startLocal', type: 'minute' },
  integer: { kind: 'field', name: 'lineNumber', type: 'integer' },
  decimal: { kind: 'field', name: 'unitPrice', type: 'decimal' },
  boolean: { kind: 'field', name: 'isTicketed', type: 'boolean' },
}

const inElements = (name: string) => (value: FieldValue) => ({ [name]: value })

/** The scope with a column of the type, with one row per value. */
const scopes: { readonly [T in FieldType]: () => Scope } = {
  text: () =>
    recordScope(
      partitionOf(
        'bookings',
        values.text.map((value) => ({ fields: {}, custom: { Text: value as string | null } })),
        ['Text'],
      ).partition,
    ),
  boolean: () =>
    recordScope(
      partitionOf(
        'bookings',
        values.boolean.map((isTicketed) => ({ fields: { isTicketed } })),
      ).partition,
    ),
  date: () =>
    recordScope(
      partitionOf(
        'invoices',
        values.date.map((dueDate) => ({ fields: { dueDate } })),
      ).partition,
    ),
  minute: () =>
    recordScope(
      partitionOf('bookings', [{ fields: {}, elements: values.minute.map(inElements('startLocal')) }])
        .partition,
    ).collections.get('segments')!,
  integer: () =>
    recordScope(
      partitionOf('invoices', [{ fields: {}, elements: values.integer.map(inElements('lineNumber')) }])
        .partition,
    ).collections.get('lineItems')!,
  decimal: () =>
    recordScope(
      partitionOf('invoices', [{ fields: {}, elements: values.decimal.map(inElements('unitPrice')) }])
        .partition,
    ).collections.get('lineItems')!,
}

/** The positions of the matching values: by scan, by index, one by one, and again with a double negation. */
async function matches(type: FieldType, predicate: Predicate): Promise<readonly number[]> {
  const found = await matchesIn(scopes[type](), type, predicate)
  if (type === 'minute') assert.deepEqual(await matchesIn(wideScope(), type, predicate), found, 'wide')
  return found
}

/** The same minutes in the storage type for more than 32 bits. */
function wideScope(): Scope {
  const stored = Float64Array.from(values.minute, (value) => (value === null ? Number.NaN : Number(value)))
  const column: Column = { type: 'wide-minute', values: stored }
  return { ...scopes.minute(), column: () => column }
}

async function matchesIn(scope: Scope, type: FieldType, predicate: Predicate): Promise<readonly number[]> {
  const scanned = await rowsOf(predicate, scope)
  countScan(scope.column(columns[type]), 1e6)
  assert.deepEqual(await rowsOf(predicate, scope), scanned, 'by index')
  const filter = await runWork(lower(predicate, scope))
  assert.deepEqual(
    [...values[type].keys()].filter((row) => filter.test(row)),
    scanned,
    'one by one',
  )
  const negated: Predicate = { kind: 'not', operand: predicate }
  assert.deepEqual(
    await rowsOf(negated, scope),
    [...values[type].keys()].filter((row) => !scanned.includes(row)),
  )
  assert.deepEqual(await rowsOf({ kind: 'not', operand: negated }, scope), scanned)
  return scanned
}

async function rowsOf(predicate: Predicate, scope: Scope): Promise<readonly number[]> {
  const window = wholeWindow(scope.count)
  const filter = await runWork(lower(predicate, scope))
  const bits = scope.bitmaps.take().fill(0xffffffff)
  await runWork(filter.fill(bits, window))
  const ids = new Int32Array(countRows(bits, window))
  assert.ok(ids.length <= filter.atMost)
  listRows(bits, window, ids)
  return [...ids]
}

const text = (folded: string): Comparand => ({ as: 'text', folded: fold(folded) })
const number = (digits: string): Comparand => ({ as: 'number', value: parseDecimal(digits)! })
const numberOrText = (digits: string): Comparand => ({
  as: 'number-or-text',
  value: parseDecimal(digits)!,
  folded: digits,
})
const instant = (written: string): Comparand => ({ as: 'instant', instant: parseInstant(written)! })
const instantOrText = (written: string): Comparand => ({
  as: 'instant-or-text',
  instant: parseInstant(written)!,
  folded: fold(written),
})
const boolean = (value: boolean): Comparand => ({ as: 'boolean', value })

type Row = readonly [
  type: FieldType,
  comparison: Comparison,
  comparand: Comparand,
  matching: readonly FieldValue[],
]

const dates = values.date
const minutes = values.minute
const table: readonly Row[] = [
  // text columns
  ['text', 'eq', text('APPLE'), ['apple', 'Apple']],
  ['text', 'eq', text(''), ['']],
  ['text', 'gt', text('banana'), ['true', 'FALSE']],
  ['text', 'ge', text('banana'), ['banana', 'true', 'FALSE']],
  ['text', 'lt', text('10'), ['']],
  ['text', 'le', text('10'), ['10', '']],
  ['text', 'eq', number('10'), ['10', '10.0', '1e1']],
  ['text', 'lt', number('10'), ['7']],
  ['text', 'gt', number('1e400'), []],
  ['text', 'eq', numberOrText('10'), ['10', '10.0', '1e1']],
  ['text', 'le', numberOrText('10'), ['7', '10', '10.0', '1e1', '']],
  ['text', 'gt', numberOrText('7.5'), ['apple', 'Apple', 'banana', 'true', 'FALSE', '10', '10.0', '1e1']],
  ['text', 'eq', instant('2026-01-02'), ['2026-01-02', '2026-01-02T00:00Z']],
  ['text', 'ge', instant('2026-01-03'), []],
  ['text', 'eq', instantOrText('2026-01-02T01:00+01:00'), ['2026-01-02', '2026-01-02T00:00Z']],
  ['text', 'lt', instantOrText('2026-01-03'), ['10', '10.0', '1e1', '2026-01-02', '2026-01-02T00:00Z', '']],
  ['text', 'eq', boolean(true), ['true']],
  ['text', 'lt', boolean(true), ['FALSE']],
  ['text', 'ge', boolean(false), ['true', 'FALSE']],
  ['text', 'gt', boolean(true), []],
  // dates
  ['date', 'eq', instant('2026-01-02'), [dates[2]!]],
  ['date', 'eq', instant('2026-01-02T00:00:01'), []],
  ['date', 'gt', instant('2026-01-02T00:00:01'), [dates[3]!, dates[4]!]],
  ['date', 'ge', instant('2026-01-02T00:00:01'), [dates[3]!, dates[4]!]],
  ['date', 'lt', instant('2026-01-02T00:00:01'), [dates[0]!, dates[1]!, dates[2]!]],
  ['date', 'lt', instant('2026-01-02'), [dates[0]!, dates[1]!]],
  ['date', 'le', instant('1969-12-31T23:59:59.999'), [dates[0]!, dates[1]!]],
  ['date', 'eq', instant('2026-01-03T09:30+09:30'), [dates[3]!]],
  ['date', 'ge', instant('9999-12-31'), [dates[4]!]],
  ['date', 'gt', instant('9999-12-31'), []],
  ['date', 'le', instant('0000-01-01'), [dates[0]!]],
  ['date', 'lt', instant('0000-01-01'), []],
  ['date', 'eq', instantOrText('2026-01-02'), [dates[2]!]],
  ['date', 'eq', text('2026-01-02'), [dates[2]!]],
  ['date', 'ge', text('2026'), [dates[2]!, dates[3]!, dates[4]!]],
  ['date', 'le', text('2026-01-02x'), [dates[0]!, dates[1]!, dates[2]!]],
  ['date', 'gt', text('x'), []],
  ['date', 'lt', text('x'), dates],
  ['date', 'gt', text(''), dates],
  ['date', 'le', text(''), []],
  ['date', 'gt', numberOrText('2000'), [dates[2]!, dates[3]!, dates[4]!]],
  ['date', 'gt', number('0'), []],
  ['date', 'le', boolean(true), []],
  // minutes
  ['minute', 'eq', instant('2026-01-02T10:30'), [minutes[3]!]],
  ['minute', 'eq', instant('2026-01-02T10:30:30'), []],
  ['minute', 'gt', instant('2026-01-02T10:30:30'), [minutes[4]!, minutes[5]!]],
  ['minute', 'ge', instant('2026-01-02T10:30:30'), [minutes[4]!, minutes[5]!]],
  ['minute', 'gt', instant('2026-01-02T10:30'), [minutes[4]!, minutes[5]!]],
  ['minute', 'ge', instant('2026-01-02T10:30'), [minutes[3]!, minutes[4]!, minutes[5]!]],
  ['minute', 'le', instant('2026-01-02T10:30:59.999'), [minutes[1]!, minutes[2]!, minutes[3]!]],
  ['minute', 'lt', instant('2026-01-02T10:30:59.999'), [minutes[1]!, minutes[2]!, minutes[3]!]],
  ['minute', 'lt', instant('2026-01-02T10:30'), [minutes[1]!, minutes[2]!]],
  ['minute', 'eq', instant('2026-01-02T20:30+10:00'), [minutes[3]!]],
  ['minute', 'eq', instant('2026-01-02'), [minutes[2]!]],
  ['minute', 'gt', instant('9999-12-31T23:59'), []],
  ['minute', 'lt', instant('9999-12-31T23:59'), minutes.slice(1)],
  ['minute', 'eq', instantOrText('0000-01-01'), [minutes[1]!]],
  ['minute', 'eq', text('2026-01-02T10:30'), [minutes[3]!]],
  ['minute', 'ge', text('2026-01-02t10'), [minutes[3]!, minutes[4]!, minutes[5]!]],
  ['minute', 'gt', text('2026-01-02T10:30:00'), [minutes[4]!, minutes[5]!]],
  ['minute', 'lt', numberOrText('2026'), [minutes[1]!]],
  ['minute', 'gt', number('0'), []],
  ['minute', 'ge', boolean(false), []],
  // integers
  ['integer', 'eq', number('7'), [7]],
  ['integer', 'eq', number('7.000001'), []],
  ['integer', 'gt', number('6.999999'), [7, 10, 100]],
  ['integer', 'ge', number('7.000001'), [10, 100]],
  ['integer', 'lt', number('7.000001'), [-1, 0, 7]],
  ['integer', 'lt', number('-0.5'), [-1]],
  ['integer', 'le', number('1e400'), [-1, 0, 7, 10, 100]],
  ['integer', 'eq', numberOrText('10'), [10]],
  ['integer', 'eq', text('10'), [10]],
  ['integer', 'eq', text('10.0'), []],
  ['integer', 'lt', text('7'), [-1, 0, 10, 100]],
  ['integer', 'ge', text('10x'), [7]],
  ['integer', 'le', instantOrText('1000-01-01'), [-1, 0, 10, 100]],
  ['integer', 'gt', instant('1969-01-01'), []],
  ['integer', 'eq', boolean(true), []],
  // amounts
  ['decimal', 'eq', number('7'), [700_000]],
  ['decimal', 'eq', number('0.00001'), [1]],
  ['decimal', 'eq', number('0.000011'), []],
  ['decimal', 'gt', number('10'), [1_000_001]],
  ['decimal', 'ge', number('10.000001'), [1_000_001]],
  ['decimal', 'lt', number('0.000001'), [-150_000, 0]],
  ['decimal', 'le', number('-1.5'), [-150_000]],
  ['decimal', 'lt', number('-1.50000000000000000001'), []],
  ['decimal', 'gt', number('-1e99'), [-150_000, 0, 1, 700_000, 1_000_000, 1_000_001]],
  ['decimal', 'eq', numberOrText('10'), [1_000_000]],
  ['decimal', 'eq', text('-1.5'), [-150_000]],
  ['decimal', 'eq', text('10.0'), []],
  ['decimal', 'lt', text('10.00001'), [-150_000, 0, 1, 1_000_000]],
  ['decimal', 'ge', text('7'), [700_000]],
  ['decimal', 'gt', instantOrText('1000-01-01'), [700_000]],
  ['decimal', 'lt', instant('2026-01-01'), []],
  ['decimal', 'eq', boolean(false), []],
  // truth values
  ['boolean', 'eq', boolean(true), [true]],
  ['boolean', 'lt', boolean(true), [false]],
  ['boolean', 'ge', boolean(false), [false, true]],
  ['boolean', 'gt', boolean(true), []],
  ['boolean', 'eq', text('TRUE'), [true]],
  ['boolean', 'gt', text('g'), [true]],
  ['boolean', 'gt', numberOrText('1'), [false, true]],
  ['boolean', 'lt', instantOrText('2026-01-01'), []],
  ['boolean', 'eq', number('1'), []],
  ['boolean', 'gt', instant('1970-01-01'), []],
]

const compare = (type: FieldType, comparison: Comparison, comparand: Comparand): Predicate => ({
  kind: 'compare',
  column: columns[type],
  comparison,
  comparand,
})

const written = (comparand: Comparand): string => {
  if ('folded' in comparand) return `${comparand.as} '${comparand.folded}'`
  return `${comparand.as} ${JSON.stringify('value' in comparand ? comparand.value : comparand.instant)}`
}

describe('a comparison', () => {
  for (const [type, comparison, comparand, matching] of table) {
    it(`finds ${matching.length} of ${values[type].length} ${type} values ${comparison} ${written(comparand)}`, async () => {
      const found = await matches(type, compare(type, comparison, comparand))
      assert.deepEqual(
        found.map((place) => values[type][place]),
        matching,
      )
    })
  }

  it('with a text column that has many numbers compares each by its value', async () => {
    const given = Array.from({ length: 2000 }, (_, i) =>
      i % 5 === 0 ? `x${i}` : i % 2 === 0 ? `${i}.0` : `${i}`,
    )
    given[0] = '1e400' // too large to be scaled, and before 500 as a text
    const scope = recordScope(
      partitionOf(
        'bookings',
        given.map((value) => ({ fields: {}, custom: { Text: value } })),
        ['Text'],
      ).partition,
    )
    const over = (limit: number) => [...given.keys()].filter((i) => (i % 5 === 0 ? true : i > limit))
    for (const comparand of [numberOrText('500'), numberOrText('500.5')]) {
      assert.deepEqual(await rowsOf(compare('text', 'gt', comparand), scope), over(500))
    }
    assert.deepEqual(
      await rowsOf(compare('text', 'gt', number('1990')), scope),
      over(1990).filter((i) => i % 5 !== 0 || i === 0),
    )
    assert.deepEqual(
      await rowsOf(compare('text', 'lt', numberOrText('500')), scope),
      [...given.keys()].filter((i) => i % 5 !== 0 && i < 500),
    )
  })
})

describe('a minute beyond 32 bits', () => {
  const end = minute('9999-12-31T23:59')
  const given = [end, minute('2026-01-02T10:30'), null, end - 1]
  const wide = partitionOf('bookings', [{ fields: {}, elements: given.map(inElements('startLocal')) }])
  const cases: readonly (readonly [Comparison, Comparand, readonly number[]])[] = [
    ['eq', instant('9999-12-31T23:59'), [0]],
    ['lt', instant('9999-12-31T23:59'), [1, 3]],
    ['gt', instant('9999-12-31T23:58:30'), [0]],
    ['ge', text('9999-12-31T23:58'), [0, 3]],
    ['eq', text('9999-12-31T23:58'), [3]],
    ['lt', text('6053-01-23T02:08'), [1]],
  ]
  for (const [comparison, comparand, matching] of cases) {
    it(`is ${comparison} ${written(comparand)} in ${matching.length} of 4`, async () => {
      const scope = recordScope(wide.partition).collections.get('segments')!
      assert.equal(scope.column(columns.minute).type, 'wide-minute')
      assert.deepEqual(await rowsOf(compare('minute', comparison, comparand), scope), matching)
    })
  }
})

describe('one-of', () => {
  const oneOf = (type: FieldType, comparands: readonly Comparand[], orNull = false): Predicate => ({
    kind: 'one-of',
    column: columns[type],
    comparands,
    orNull,
  })
  const cases: readonly (readonly [FieldType, readonly Comparand[], readonly FieldValue[]])[] = [
    [
      'text',
      [text('x'), numberOrText('7'), instantOrText('2026-01-02'), boolean(false), text('APPLE')],
      ['apple', 'Apple', 'FALSE', '7', '2026-01-02', '2026-01-02T00:00Z'],
    ],
    ['date', [instant('2026-01-03'), text('9999-12-31'), boolean(true), number('0')], [dates[3]!, dates[4]!]],
    [
      'minute',
      [instant('2026-01-02T10:31'), instant('2026-01-02T10:30'), text('x')],
      [minutes[3]!, minutes[4]!],
    ],
    [
      'integer',
      [number('100'), number('7'), number('7'), text('10'), text('x'), number('0.5')],
      [7, 10, 100],
    ],
    ['decimal', [number('10'), text('7'), number('0.00001'), instant('2026-01-01')], [1, 700_000, 1_000_000]],
    ['boolean', [text('true'), number('1')], [true]],
    ['boolean', [], []],
  ]
  for (const [type, comparands, matching] of cases) {
    it(`finds the ${type} values that equal one of ${comparands.length}`, async () => {
      const found = await matches(type, oneOf(type, comparands))
      assert.deepEqual(
        found.map((place) => values[type][place]),
        matching,
      )
      const withNull = await matches(type, oneOf(type, comparands, true))
      assert.deepEqual(
        withNull,
        [...values[type].keys()].filter((place) => found.includes(place) || values[type][place] === null),
      )
    })
  }

  it('finds the same values with a thousand items as with the few that occur', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => number(String(i / 2)))
    const found = await matches('integer', oneOf('integer', many))
    assert.deepEqual(
      found.map((place) => values.integer[place]),
      [0, 7, 10, 100],
    )
    const amounts = await matches('decimal', oneOf('decimal', many))
    assert.deepEqual(
      amounts.map((place) => values.decimal[place]),
      [0, 700_000, 1_000_000],
    )
    const texts = await matches(
      'text',
      oneOf(
        'text',
        many.map((_, i) => numberOrText(String(i))),
      ),
    )
    assert.deepEqual(
      texts.map((place) => values.text[place]),
      ['7', '10', '10.0', '1e1'],
    )
  })
})

describe('is-null', () => {
  for (const type of Object.keys(values) as FieldType[]) {
    it(`finds the null among ${type} values, which no other predicate finds`, async () => {
      const nulls = [...values[type].keys()].filter((place) => values[type][place] === null)
      assert.deepEqual(await matches(type, { kind: 'is-null', column: columns[type] }), nulls)
      for (const comparison of ['gt', 'le'] as const) {
        const found = await matches(type, compare(type, comparison, text('m')))
        assert.ok(!found.some((place) => nulls.includes(place)))
      }
    })
  }
})

describe('match', () => {
  const cases: readonly (readonly [FieldType, TextFunction, string, readonly FieldValue[]])[] = [
    ['text', 'contains', 'AN', ['banana']],
    ['text', 'startswith', 'app', ['apple', 'Apple']],
    ['text', 'endswith', 'E', ['apple', 'Apple', 'true', 'FALSE']],
    ['text', 'contains', '', values.text.slice(1)],
    ['text', 'endswith', '', values.text.slice(1)],
    ['text', 'startswith', '', values.text.slice(1)],
    ['date', 'contains', '-01-0', [dates[0]!, dates[2]!, dates[3]!]],
    ['date', 'startswith', '2026-01', [dates[2]!, dates[3]!]],
    ['date', 'startswith', '', dates],
    ['date', 'startswith', '2026-01-02x', []],
    ['date', 'endswith', '31', [dates[1]!, dates[4]!]],
    ['minute', 'contains', '02t10:3', [minutes[3]!, minutes[4]!]],
    ['minute', 'contains', '10:3', [minutes[3]!, minutes[4]!]],
    ['minute', 'contains', '01-02', [minutes[2]!, minutes[3]!, minutes[4]!]],
    ['minute', 'contains', 't', minutes.slice(1)],
    ['minute', 'contains', '02T1T', []],
    ['minute', 'startswith', '2026-01-02T10', [minutes[3]!, minutes[4]!]],
    ['minute', 'endswith', '0', [minutes[1]!, minutes[2]!, minutes[3]!]],
    ['minute', 'endswith', '2T10:31', [minutes[4]!]],
    ['minute', 'endswith', 'T10:3', []],
    ['minute', 'endswith', '-02', []],
    ['integer', 'contains', '0', [0, 10, 100]],
    ['integer', 'startswith', '1', [10, 100]],
    ['integer', 'endswith', '-1', [-1]],
    ['decimal', 'contains', '.0000', [1, 1_000_001]],
    ['decimal', 'startswith', '-', [-150_000]],
    ['decimal', 'endswith', '0', [0, 1_000_000]],
    ['boolean', 'contains', 'RU', [true]],
    ['boolean', 'endswith', 'e', [false, true]],
  ]
  for (const [type, textFunction, part, matching] of cases) {
    it(`finds ${matching.length} ${type} values by ${textFunction} '${part}'`, async () => {
      const predicate: Predicate = {
        kind: 'match',
        column: columns[type],
        function: textFunction,
        folded: fold(part),
      }
      const found = await matches(type, predicate)
      assert.deepEqual(
        found.map((place) => values[type][place]),
        matching,
      )
    })
  }
})
