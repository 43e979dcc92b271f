/** What SQL says for the dimensions and the aggregates of an aggregation. Periods are the integers of `src/query/periods.ts`. */
import type { Aggregate, DatePart, Dimension } from '../../../query/aggregation.ts'
import type { FieldType } from '../../../schema/field.ts'
import type { SqlColumn } from '../stored-columns.ts'

/** Types of a value among the items that are grouped. */
export const itemTypes: { readonly [T in FieldType]: string } = {
  text: 'text collate "C"',
  date: 'integer',
  minute: 'bigint',
  integer: 'integer',
  decimal: 'bigint',
  boolean: 'boolean',
}

/** What items are grouped by. */
export function keyOf(column: SqlColumn, part: DatePart | null): string {
  if (column.type === 'text') return column.folded
  return part === null ? column.value : periodOf[part](dayOf(column))
}

/** A minute before the day 0 rounds towards zero, so that all minutes are moved behind it, by a number of whole days. */
const dayOf = ({ type, value }: SqlColumn): string =>
  type === 'minute' ? `((${value} + 1440 * 800000::bigint) / 1440 - 800000)::integer` : value

/** PostgreSQL has no year 0: dates are read 400 years later, when the calendar repeats itself. */
const extracted = (unit: string, day: string): string =>
  `extract(${unit} from (date '2370-01-01' + ${day}))::integer`

const yearOf = (day: string): string => `(${extracted('year', day)} - 400)`

const periodOf: { readonly [P in DatePart]: (day: string) => string } = {
  year: yearOf,
  quarter: (day) => `(4 * ${yearOf(day)} + ${extracted('quarter', day)} - 1)`,
  month: (day) => `(12 * ${yearOf(day)} + ${extracted('month', day)} - 1)`,
  // Day 0 is a Thursday. Divisions round towards zero, so that all days are moved behind it, by a number of whole weeks.
  week: (day) => `((${day} + 3 + 7 * 1000000) / 7 - 1000000)`,
  date: (day) => day,
}

export const keyType = ({ value, part }: Dimension): string =>
  value === null ? itemTypes.text : part === null ? itemTypes[value.column.type] : 'integer'

/**
 * What an aggregate takes from an item: of a text that is counted the folded one, and of a text that is compared both, since
 * arrays are compared by their elements in turn.
 */
export function takenBy(method: Aggregate['method'], { type, value, folded }: SqlColumn): string {
  if (type !== 'text') return value
  if (method === 'countdistinct') return folded
  return `case when ${value} is null then null else array[${folded}, ${value}] end`
}

/** The type of what an aggregate takes. */
export const takenType = (aggregate: Exclude<Aggregate, { method: 'count' }>): string =>
  isLeastOrGreatestText(aggregate) ? 'text[]' : itemTypes[aggregate.value?.column.type ?? 'text']

/** SQL of an aggregate's value as it is shown. */
export const shownAggregate = (aggregate: Aggregate, name: string): string =>
  isLeastOrGreatestText(aggregate) ? `${name}[2]` : name

const isLeastOrGreatestText = (aggregate: Aggregate): boolean =>
  (aggregate.method === 'min' || aggregate.method === 'max') &&
  (aggregate.value?.column.type ?? 'text') === 'text'

/** @param value name of what the aggregate takes; @param records condition for items that count as records */
export function aggregateSql(aggregate: Aggregate, value: string, records: string | null): string {
  switch (aggregate.method) {
    case 'count':
      return records === null ? 'count(*)' : `count(*) filter (where ${records})`
    case 'sum':
      return `sum(${value})`
    case 'min':
    case 'max':
      return `${aggregate.method}(${value})`
    case 'countdistinct':
      return `count(distinct ${value})`
    case 'average': {
      const scale = aggregate.value?.column.type === 'decimal' ? '' : ' * 100000'
      const sum = `(sum(${value})::numeric${scale})`
      // Rounded half away from zero by whole numbers, because quotients of numeric are rounded themselves.
      return `sign(${sum}) * div(2 * abs(${sum}) + count(${value}), 2 * nullif(count(${value}), 0))`
    }
  }
}
