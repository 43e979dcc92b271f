/** For tests: random records and random queries on them, with values of every kind in columns of every type. */
import fc from 'fast-check'
import { formatDate, formatMinute, instantOfDay, parseInstant } from '../../../kernel/calendar.ts'
import { type Decimal, formatDecimal, formatScaled, parseDecimal } from '../../../kernel/decimal.ts'
import { fold } from '../../../kernel/text.ts'
import type {
  ColumnRef,
  Comparand,
  Comparison,
  Predicate,
  QueryPlan,
} from '../../../query/plan/plan-nodes.ts'
import type { CollectionName } from '../../../schema/datasets.ts'
import type { FieldType } from '../../../schema/field.ts'
import type { FixtureRow } from './partitions.ts'

// The generated values: numbers, dates, booleans and words, in columns of every type.

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

const traveller = fc.record({ name: orNull(text), department: orNull(text) })
const payment = fc.record({
  merchant: orNull(text),
  receivedDate: orNull(day),
  cardNumber: orNull(text),
  amount,
})
const element = fc.record({
  lineNumber: fc.integer({ min: 1, max: 12 }),
  lineType: text,
  productCode: orNull(text),
  quantity: orNull(amount),
  unitPrice: orNull(amount),
  ticketNumber: orNull(text),
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
    traveller: orNull(text),
    segmentCount: fc.nat(4),
    tripStartUtc: orNull(minute),
    totalAirDistance: orNull(amount),
    currencyCode: orNull(text),
  }),
  custom: fc.record({ Team: orNull(text), Trip: orNull(text) }),
  elements: fc.array(segment, { maxLength: 4 }),
  additional: fc.record({ travellers: fc.array(traveller, { maxLength: 3 }) }),
})
const invoice: fc.Arbitrary<FixtureRow> = fc.record({
  fields: fc.record({
    company: text,
    invoiceNumber: text,
    invoiceDate: day,
    dueDate: day,
    obtSource: orNull(text),
    recordLocator: orNull(text),
    department: orNull(text),
    totalAmount: amount,
    balanceAmount: orNull(amount),
  }),
  custom: fc.record({ Team: orNull(text), Trip: orNull(text) }),
  elements: fc.array(element, { maxLength: 4 }),
  additional: fc.record({ payments: fc.array(payment, { maxLength: 3 }) }),
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
  field('traveller', 'text'),
  field('segmentCount', 'integer'),
  field('tripStartUtc', 'minute'),
  field('totalAirDistance', 'decimal'),
  field('currencyCode', 'text'),
  ...custom,
]
const invoiceColumns = [
  field('company', 'text'),
  field('invoiceNumber', 'text'),
  field('invoiceDate', 'date'),
  field('dueDate', 'date'),
  field('obtSource', 'text'),
  field('recordLocator', 'text'),
  field('department', 'text'),
  field('totalAmount', 'decimal'),
  field('balanceAmount', 'decimal'),
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
  field('ticketNumber', 'text'),
]
const travellerColumns = [field('name', 'text'), field('department', 'text')]
const paymentColumns = [
  field('merchant', 'text'),
  field('receivedDate', 'date'),
  field('cardNumber', 'text'),
  field('amount', 'decimal'),
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
      kind: fc.constant('compare' as const),
      column,
      comparison: fc.constantFrom<Comparison[]>('gt', 'lt'),
      comparand: literal.map((text): Comparand => ({ as: 'text', folded: fold(text), text })),
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

/** Predicates that also repeat the same part in several places. */
const repeating = (predicate: fc.Arbitrary<Predicate>): fc.Arbitrary<Predicate> =>
  fc.oneof(
    predicate,
    fc.array(predicate, { minLength: 1, maxLength: 3 }).chain((parts) => combined(fc.constantFrom(...parts))),
  )

type Case = {
  readonly dataset: 'itineraries' | 'invoices'
  readonly row: fc.Arbitrary<FixtureRow>
  readonly columns: readonly ColumnRef[]
  /** The columns of the elements of each collection. */
  readonly collections: { readonly [Name in CollectionName]?: readonly ColumnRef[] }
}

const cases: readonly Case[] = [
  {
    dataset: 'itineraries',
    row: booking,
    columns: bookingColumns,
    collections: { segments: segmentColumns, travellers: travellerColumns },
  },
  {
    dataset: 'invoices',
    row: invoice,
    columns: invoiceColumns,
    collections: { lineItems: lineColumns, payments: paymentColumns },
  },
]

export const labels = ['Team', 'Trip'] as const

export const arbitraryQueries = cases.map(({ dataset, row, columns, collections }) => {
  const any = fc.oneof(
    ...Object.entries(collections).map(([collection, inner]) =>
      fc
        .option(repeating(combined(columnPredicate(inner))), { nil: null, freq: 8 })
        .map(
          (condition): Predicate => ({ kind: 'any', collection: collection as CollectionName, condition }),
        ),
    ),
  )
  const predicate = repeating(
    combined(fc.oneof({ arbitrary: columnPredicate(columns), weight: 2 }, { arbitrary: any, weight: 1 })),
  )
  const where = fc.option(predicate, { nil: null, freq: 10 })
  const orderBy = fc.array(
    fc.record({ column: fc.constantFrom<ColumnRef[]>(...columns), descending: fc.boolean() }),
    { maxLength: 3 },
  )
  const paging = fc.option(
    fc.record({ offset: fc.integer({ min: 0, max: 60 }), limit: fc.constantFrom(1, 2, 3, 7, 50) }),
    { nil: null },
  )
  const query: fc.Arbitrary<Omit<QueryPlan, 'dataset'>> = fc.record({
    where,
    orderBy,
    paging,
    select: fc.constant(null),
  })
  return { dataset, row, predicate, query, columns, collections, paging }
})
