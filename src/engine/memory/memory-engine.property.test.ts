import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  formatDate,
  formatMinute,
  instantOfDay,
  instantOfMinute,
  parseInstant,
} from '../../kernel/calendar.ts'
import {
  compareDecimals,
  type Decimal,
  formatDecimal,
  formatScaled,
  parseDecimal,
} from '../../kernel/decimal.ts'
import { compareCodePoints, fold } from '../../kernel/text.ts'
import type { ColumnRef, Comparand, Comparison, Predicate, SortKey } from '../../query/plan/plan-nodes.ts'
import { datasets } from '../../schema/datasets.ts'
import type { FieldType, FieldValue } from '../../schema/field.ts'
import { createMemoryEngine } from './memory-engine.ts'
import { type FixtureRow, partitionOf } from './partition-fixture.ts'

// The plainest reading of the plan: row by row, value by value.

type Row = Required<FixtureRow>
type Values = Readonly<Record<string, FieldValue>>

const cellOf = (values: Values, custom: Values, column: ColumnRef): FieldValue =>
  (column.kind === 'field' ? values[column.name] : custom[column.label]) ?? null

function isTrue(predicate: Predicate, values: Values, custom: Values, elements: readonly Values[]): boolean {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value
    case 'and':
      return predicate.operands.every((operand) => isTrue(operand, values, custom, elements))
    case 'or':
      return predicate.operands.some((operand) => isTrue(operand, values, custom, elements))
    case 'not':
      return !isTrue(predicate.operand, values, custom, elements)
    case 'any': {
      const { condition } = predicate
      return elements.some((element) => condition === null || isTrue(condition, element, {}, []))
    }
    case 'is-null':
      return cellOf(values, custom, predicate.column) === null
    case 'compare': {
      const value = cellOf(values, custom, predicate.column)
      return compares(value, predicate.column.type, predicate.comparison, predicate.comparand)
    }
    case 'one-of': {
      const value = cellOf(values, custom, predicate.column)
      if (value === null) return predicate.orNull
      return predicate.comparands.some((each) => compares(value, predicate.column.type, 'eq', each))
    }
    case 'match': {
      const value = cellOf(values, custom, predicate.column)
      if (value === null) return false
      const text = fold(textOf(value, predicate.column.type))
      if (predicate.function === 'contains') return text.includes(predicate.folded)
      return predicate.function === 'startswith'
        ? text.startsWith(predicate.folded)
        : text.endsWith(predicate.folded)
    }
  }
}

function compares(value: FieldValue, type: FieldType, comparison: Comparison, comparand: Comparand): boolean {
  if (value === null) return false
  const order = orderOf(value, type, comparand)
  if (order === undefined) return false
  const outcomes = { eq: order === 0, gt: order > 0, ge: order >= 0, lt: order < 0, le: order <= 0 }
  return outcomes[comparison]
}

/** Negative, zero or positive; undefined where there is nothing to compare with. */
function orderOf(
  value: string | number | boolean,
  type: FieldType,
  comparand: Comparand,
): number | undefined {
  const byText = (folded: string) => compareCodePoints(fold(textOf(value, type)), folded)
  switch (comparand.as) {
    case 'text':
      return byText(comparand.folded)
    case 'number':
    case 'number-or-text': {
      const number = ['text', 'integer', 'decimal'].includes(type)
        ? parseDecimal(textOf(value, type))
        : undefined
      if (number !== undefined) return compareDecimals(number, comparand.value)
      return comparand.as === 'number' ? undefined : byText(comparand.folded)
    }
    case 'instant':
    case 'instant-or-text': {
      const instant = instantOf(value, type)
      if (instant !== undefined) return instant - comparand.instant
      return comparand.as === 'instant' ? undefined : byText(comparand.folded)
    }
    case 'boolean': {
      const truth = ['text', 'boolean'].includes(type) ? fold(String(value)) : ''
      if (truth !== 'true' && truth !== 'false') return undefined
      return Number(truth === 'true') - Number(comparand.value)
    }
  }
}

function instantOf(value: string | number | boolean, type: FieldType): number | undefined {
  if (type === 'date') return instantOfDay(Number(value))
  if (type === 'minute') return instantOfMinute(Number(value))
  return type === 'text' ? parseInstant(String(value)) : undefined
}

function textOf(value: string | number | boolean, type: FieldType): string {
  if (type === 'date') return formatDate(Number(value))
  if (type === 'minute') return formatMinute(Number(value))
  return type === 'decimal' ? formatScaled(Number(value)) : String(value)
}

function compareRows(a: Row, b: Row, orderBy: readonly SortKey[]): number {
  for (const { column, descending } of orderBy) {
    const order = compareValues(cellOf(a.fields, a.custom, column), cellOf(b.fields, b.custom, column))
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

function compareValues(a: FieldValue, b: FieldValue): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return typeof a === 'string' ? compareCodePoints(a, String(b)) : Number(a) - Number(b)
}

// What is generated: values that are numbers, dates, truth values and words at once, in columns of every type.

const texts = [
  '',
  'a',
  'A',
  'b',
  'ab',
  'Ab',
  'AB',
  'Ba',
  'true',
  'False',
  'TRUE',
  '0',
  '-5',
  '10',
  '10.0',
  '1e1',
  '1e400',
  '9007199254740993',
  '9007199254740992.0',
  '-1e400',
  '10.000001',
  '9',
  '2026-01-01',
  '2026-01-01T00:00Z',
  '2026-01-01t00:00',
  '2026-01-02',
  '2025-12-31T23:59:59',
  'Straße',
  'İ',
  'ς',
  'Σ',
  '\u{1d4b3}',
  '\uffee',
  '\ud800',
  'line\nfeed',
  '\n',
  '_',
  '-',
  ':',
  '12:30',
  '-01-0',
]
const text = fc.constantFrom(...texts)
const day = fc.oneof(fc.integer({ min: 20_450, max: 20_460 }), fc.constantFrom(-719_528, 2_932_896, 0, -1))
const minute = fc.oneof(
  fc.integer({ min: 20_454 * 1440, max: 20_455 * 1440 }),
  fc.constantFrom(-719_528 * 1440, 0, -1, 0x7fffffff),
)
const amount = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map((n) => n * 100_000),
  fc.integer({ min: -300_000, max: 1_200_000 }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 0),
)
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 })

const element = fc.record({
  lineNumber: fc.integer({ min: 1, max: 12 }),
  lineType: text,
  productCode: orNull(text),
  quantity: orNull(amount),
  unitPrice: orNull(amount),
})
const segment = fc.record({
  segmentNumber: fc.integer({ min: 1, max: 12 }),
  segmentType: text,
  startLocal: orNull(minute),
  origin: orNull(text),
})
const booking: fc.Arbitrary<FixtureRow> = fc.record({
  fields: fc.record({
    recordLocator: text,
    originatingAgency: text,
    bookingDate: day,
    modifiedAt: minute,
    tripStartLocal: fc.oneof(minute, fc.constant(2_932_897 * 1440 - 1)),
    isTicketed: fc.boolean(),
  }),
  custom: fc.record({ Team: orNull(text), Trip: orNull(text) }),
  elements: fc.array(segment, { maxLength: 4 }),
})
const invoice: fc.Arbitrary<FixtureRow> = fc.record({
  fields: fc.record({
    company: text,
    invoiceNumber: text,
    invoiceDate: day,
    dueDate: day,
    obtSource: orNull(text),
    recordLocator: orNull(text),
  }),
  custom: fc.record({ Team: orNull(text), Trip: orNull(text) }),
  elements: fc.array(element, { maxLength: 4 }),
})

const field = (name: string, type: FieldType): ColumnRef => ({ kind: 'field', name, type })
const custom: readonly ColumnRef[] = ['Team', 'Trip'].map((label) => ({
  kind: 'custom',
  label,
  type: 'text',
}))
const bookingColumns = [
  field('recordLocator', 'text'),
  field('originatingAgency', 'text'),
  field('bookingDate', 'date'),
  field('modifiedAt', 'minute'),
  field('tripStartLocal', 'minute'),
  field('isTicketed', 'boolean'),
  ...custom,
]
const invoiceColumns = [
  field('company', 'text'),
  field('invoiceNumber', 'text'),
  field('invoiceDate', 'date'),
  field('dueDate', 'date'),
  field('obtSource', 'text'),
  field('recordLocator', 'text'),
  ...custom,
]
const segmentColumns = [
  field('segmentNumber', 'integer'),
  field('segmentType', 'text'),
  field('startLocal', 'minute'),
  field('origin', 'text'),
]
const lineColumns = [
  field('lineNumber', 'integer'),
  field('lineType', 'text'),
  field('productCode', 'text'),
  field('quantity', 'decimal'),
  field('unitPrice', 'decimal'),
]

const literal = fc.oneof(
  text,
  day.map(formatDate),
  minute.map(formatMinute),
  minute.map((value) => `${formatMinute(value)}:30+10:00`),
  amount.map(formatScaled),
  fc.constantFrom('-', '0', '20', '2026', '1', '26-01-0', '01t0', 't', 't00:0', ':00', 'e', '.5'),
)
const decimal: fc.Arbitrary<Decimal> = fc.oneof(
  amount.map((value) => parseDecimal(formatScaled(value)) as Decimal),
  fc
    .constantFrom(
      '1e400',
      '-1e400',
      '0.000001',
      '10.000001',
      '-0.000001',
      '1e-400',
      '9007199254740992',
      '9007199254740992.5',
    )
    .map((each) => parseDecimal(each) as Decimal),
)
const comparand: fc.Arbitrary<Comparand> = fc.oneof(
  literal.map((value): Comparand => ({ as: 'text', folded: fold(value) })),
  decimal.map((value): Comparand => ({ as: 'number', value })),
  decimal.map((value): Comparand => ({ as: 'number-or-text', value, folded: fold(formatDecimal(value)) })),
  fc
    .tuple(decimal, literal)
    .map(([value, other]): Comparand => ({ as: 'number-or-text', value, folded: fold(other) })),
  literal.map((value): Comparand => {
    const instant = parseInstant(value)
    return instant === undefined ? { as: 'text', folded: fold(value) } : { as: 'instant', instant }
  }),
  fc.tuple(day, fc.integer({ min: -90_000, max: 90_000 }), literal).map(
    ([value, off, other]): Comparand => ({
      as: 'instant-or-text',
      instant: instantOfDay(value) + off,
      folded: fold(other),
    }),
  ),
  fc.boolean().map((value): Comparand => ({ as: 'boolean', value })),
)

function columnPredicate(columns: readonly ColumnRef[]): fc.Arbitrary<Predicate> {
  const column = fc.constantFrom(...columns)
  return fc.oneof(
    column.map((of): Predicate => ({ kind: 'is-null', column: of })),
    fc.record({
      kind: fc.constant('compare' as const),
      column,
      comparison: fc.constantFrom<Comparison[]>('eq', 'gt', 'ge', 'lt', 'le'),
      comparand,
    }),
    fc.record({
      kind: fc.constant('one-of' as const),
      column,
      comparands: fc.array(comparand, { maxLength: 12 }),
      orNull: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('match' as const),
      column,
      function: fc.constantFrom('contains' as const, 'startswith' as const, 'endswith' as const),
      folded: literal.chain((value) => {
        const folded = fold(value)
        return fc
          .tuple(fc.nat(folded.length), fc.nat(folded.length))
          .map(([a, b]) => folded.slice(Math.min(a, b), Math.max(a, b)))
      }),
    }),
  )
}

function combined(leaf: fc.Arbitrary<Predicate>): fc.Arbitrary<Predicate> {
  return fc.letrec<{ node: Predicate }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      leaf,
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        operands: fc.array(tie('node'), { maxLength: 3 }),
      }),
      tie('node').map((operand): Predicate => ({ kind: 'not', operand })),
      fc.boolean().map((value): Predicate => ({ kind: 'constant', value })),
    ),
  })).node
}

const cases = [
  {
    dataset: 'itineraries',
    row: booking,
    columns: bookingColumns,
    collection: 'segments',
    inner: segmentColumns,
  },
  { dataset: 'invoices', row: invoice, columns: invoiceColumns, collection: 'lineItems', inner: lineColumns },
] as const

describe('the memory engine, against reading row by row', () => {
  for (const { dataset, row, columns, collection, inner } of cases) {
    const { stored } = datasets[dataset]
    const any = fc
      .option(combined(columnPredicate(inner)), { nil: null, freq: 8 })
      .map((condition): Predicate => ({ kind: 'any', collection, condition }))
    const where = fc.option(
      combined(fc.oneof({ arbitrary: columnPredicate(columns), weight: 2 }, { arbitrary: any, weight: 1 })),
      { nil: null, freq: 10 },
    )
    const orderBy = fc.array(
      fc.record({ column: fc.constantFrom<ColumnRef[]>(...columns), descending: fc.boolean() }),
      { maxLength: 3 },
    )
    const paging = fc.option(
      fc.record({ offset: fc.integer({ min: 0, max: 60 }), limit: fc.constantFrom(1, 2, 3, 7, 50) }),
      { nil: null },
    )

    it(`selects, orders and pages the same ${dataset}`, async () => {
      const plans = fc.array(fc.record({ where, orderBy, paging }), { minLength: 1, maxLength: 12 })
      const property = fc.asyncProperty(
        fc.array(row, { maxLength: 150, size: 'max' }),
        plans,
        fc.constantFrom(0, 10_000_000),
        async (given, queries, selectionCacheBytes) => {
          const { partition, rows, records } = partitionOf(stored, given, ['Team', 'Trip'])
          const engine = createMemoryEngine({ selectionCacheBytes })
          // Once with fresh columns, then again once indexes have been built on some of them.
          for (const query of [...queries, ...queries, ...queries]) {
            const expected = rows
              .map((values, i) => ({ values, i }))
              .filter(
                ({ values }) =>
                  query.where === null || isTrue(query.where, values.fields, values.custom, values.elements),
              )
              .sort((a, b) => compareRows(a.values, b.values, query.orderBy))
            const { offset, limit } = query.paging ?? { offset: 0, limit: Infinity }
            const onPage = expected.slice(offset, offset + limit)
            const result = await engine.execute({ dataset, ...query }, partition)
            assert.equal(result.total, expected.length)
            assert.equal(result.count, onPage.length)
            assert.equal(
              Buffer.concat([...result.chunks('json', 100)]).toString(),
              onPage.map(({ i }) => records[i]).join(','),
            )
          }
        },
      )
      await fc.assert(property, { numRuns: 150 })
    })
  }
})
