/**
 * Evaluates an aggregation in the plainest way: row by row, with maps of values and whole numbers of any length. It is slow but
 * obviously right; tests compare engines with it.
 */
import { formatDate, parseDate } from '../../kernel/calendar.ts'
import { compareCodePoints, compareTexts, fold } from '../../kernel/text.ts'
import {
  type Aggregate,
  type AggregatedColumn,
  type AggregationPlan,
  type Dimension,
  typeOfAggregate,
  typeOfDimension,
} from '../../query/aggregation.ts'
import type { FieldValue } from '../../schema/field.ts'
import type { GroupColumn, GroupValue } from '../group-set.ts'
import { collectionsOf, evaluatePlan, type PlainRow } from './evaluate-plan.ts'

type Values = Readonly<Record<string, FieldValue>>

/** A record, or a record with one of its elements. */
type Item = { readonly row: PlainRow; readonly element: Values | null }

type Group = { readonly items: readonly Item[]; readonly keys: readonly GroupValue[] }

/** The groups of the page, in columns, and how many there are without paging. */
export function evaluateAggregation(
  rows: readonly PlainRow[],
  plan: AggregationPlan,
): { readonly total: number; readonly count: number; readonly columns: readonly GroupColumn[] } {
  const { where, dimensions, aggregates, orderBy, paging, groupsOf, collection } = plan
  const elementsOf = (row: PlainRow) => (collection === null ? [] : collectionsOf(row)(collection))
  const { page: selected } = evaluatePlan(rows, { where, orderBy: [], paging: null, select: null })
  const items = selected.flatMap((row): Item[] =>
    groupsOf === 'records' ? [{ row, element: null }] : elementsOf(row).map((element) => ({ row, element })),
  )
  const members = groupsIn(items, dimensions).map(({ items: own, keys }) => [
    ...keys,
    ...aggregates.map((aggregate) => aggregated(own, aggregate, groupsOf === 'records' ? elementsOf : null)),
  ])
  members.sort((a, b) => {
    for (const { member, descending } of orderBy) {
      const order = compareValues(a[member] ?? null, b[member] ?? null)
      if (order !== 0) return descending ? -order : order
    }
    return 0
  })
  const shown = paging === null ? members : members.slice(paging.offset, paging.offset + paging.limit)
  const types = [...dimensions.map(typeOfDimension), ...aggregates.map(typeOfAggregate)]
  const columns = [...dimensions, ...aggregates].map(({ member: name }, i) => ({
    name,
    type: types[i] as GroupColumn['type'],
    values: shown.map((group) => group[i] ?? null),
  }))
  return { total: members.length, count: shown.length, columns }
}

function groupsIn(items: readonly Item[], dimensions: readonly Dimension[]): readonly Group[] {
  if (dimensions.length === 0) return [{ items, keys: [] }]
  const keysOf = (item: Item) => dimensions.map((dimension) => keyOf(item, dimension))
  const folded = (key: GroupValue) => (typeof key === 'string' ? fold(key) : key)
  const byKey = Map.groupBy(items, (item) => JSON.stringify(keysOf(item).map(folded)))
  const firstSpelling = dimensions.map((dimension) => {
    const first = new Map<string, string>()
    for (const item of items) {
      const key = keyOf(item, dimension)
      if (typeof key !== 'string') continue
      const known = first.get(fold(key))
      if (known === undefined || compareCodePoints(key, known) < 0) first.set(fold(key), key)
    }
    return first
  })
  return [...byKey.values()].map((own) => ({
    items: own,
    keys: keysOf(own[0] as Item).map((key, i) =>
      typeof key === 'string' ? (firstSpelling[i]?.get(fold(key)) ?? key) : key,
    ),
  }))
}

function keyOf(item: Item, { value, part }: Dimension): GroupValue {
  if (value === null) return null
  const found = cellOf(item, value)
  if (found === null || part === null) return found
  const day = value.column.type === 'minute' ? Math.floor(Number(found) / 1440) : Number(found)
  const date = formatDate(day)
  switch (part) {
    case 'year':
      return Number(date.slice(0, 4))
    case 'quarter':
      return `${date.slice(0, 4)}-Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`
    case 'month':
      return date.slice(0, 7)
    case 'week':
      return isoWeek(day)
    case 'date':
      return day
  }
}

/** The week belongs to the year of its Thursday, and counts the Thursdays of that year. */
function isoWeek(day: number): string {
  // Day 0 is a Thursday; in a week that begins on Monday it is the fourth day.
  const weekday = (((day + 3) % 7) + 7) % 7
  const thursday = day - weekday + 3
  const first = parseDate('0000-01-01') as number
  const year = thursday < first ? '-0001' : formatDate(thursday).slice(0, 4)
  const january = thursday < first ? first - 365 : (parseDate(`${year}-01-01`) as number)
  return `${year}-W${String(Math.floor((thursday - january) / 7) + 1).padStart(2, '0')}`
}

function cellOf({ row, element }: Item, { of, column }: AggregatedColumn): FieldValue {
  if (of === 'element') return element?.[column.kind === 'field' ? column.name : ''] ?? null
  return (column.kind === 'field' ? row.fields[column.name] : row.custom[column.label]) ?? null
}

function aggregated(
  items: readonly Item[],
  aggregate: Aggregate,
  elementsOf: ((row: PlainRow) => readonly Values[]) | null,
): GroupValue {
  if (aggregate.method === 'count') return items.length
  const { value, method } = aggregate
  if (value === null) return method === 'countdistinct' ? 0 : null
  const own =
    elementsOf !== null && value.of === 'element'
      ? items.flatMap(({ row }) => elementsOf(row).map((element) => ({ row, element })))
      : items
  const found = own.map((item) => cellOf(item, value)).filter((each) => each !== null)
  if (method === 'countdistinct') {
    return new Set(found.map((each) => (typeof each === 'string' ? fold(each) : Number(each)))).size
  }
  if (found.length === 0) return null
  const sum = () => found.reduce((total, each) => total + BigInt(Number(each)), 0n)
  switch (method) {
    case 'sum': {
      const total = sum()
      return Number.isSafeInteger(Number(total)) ? Number(total) : total
    }
    case 'average':
      return roundedQuotient(sum() * (value.column.type === 'decimal' ? 1n : 100_000n), BigInt(found.length))
    case 'min':
      return found.reduce((best, each) => (compareValues(each, best) < 0 ? each : best))
    case 'max':
      return found.reduce((best, each) => (compareValues(each, best) > 0 ? each : best))
  }
}

/** Half away from zero. */
function roundedQuotient(of: bigint, by: bigint): number {
  const quotient = of / by
  const rest = of - quotient * by
  if (2n * rest >= by) return Number(quotient + 1n)
  return Number(2n * -rest >= by ? quotient - 1n : quotient)
}

function compareValues(a: GroupValue, b: GroupValue): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  if (typeof a === 'string') return comparePeriods(a, String(b))
  return a < b ? -1 : a > b ? 1 : 0
}

/** Only the week before year 0 has a sign; it is before all others. */
function comparePeriods(a: string, b: string): number {
  const early = '-0001-W52'
  if (a === early || b === early) return Number(b === early) - Number(a === early)
  return compareTexts(a, b)
}
