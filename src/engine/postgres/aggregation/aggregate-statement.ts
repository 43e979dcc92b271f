/**
 * Compiles an aggregation to one statement. Its steps are common table expressions: `items` are the rows that are grouped, with
 * the keys of the dimensions and the values of the aggregates; `groups` are the groups; `shown` gives each folded text its first
 * spelling among all items. Every table is restricted to the client, so that on Citus it runs in one shard.
 */
import type { Aggregate, AggregationPlan, Dimension } from '../../../query/aggregation.ts'
import { datasetsByName, namedFields, searchedCollections } from '../../../schema/datasets.ts'
import type { PlacedData } from '../../../snapshot/postgres/placed-data.ts'
import { type GroupLimits, groupBytes } from '../../group-set.ts'
import { columnsIn, elementScope, recordScope, type Selection, selectionOf } from '../selections.ts'
import type { Statement } from '../statements.ts'
import type { SqlColumn } from '../stored-columns.ts'
import {
  aggregateSql,
  itemTypes,
  keyOf,
  keyType,
  shownAggregate,
  takenBy,
  takenType,
} from './aggregate-values.ts'

/**
 * Its row has how many groups there are, and as JSON how many distinct values are counted in them and the page, an array of arrays
 * with numbers as texts. The page is null where a limit is exceeded.
 */
export function aggregateStatement(
  plan: AggregationPlan,
  placed: PlacedData,
  limits: GroupLimits,
): Statement {
  const { dataset, where, dimensions, aggregates, paging } = plan
  const selection = selectionOf({ dataset, where, orderBy: [], paging: null, select: null }, placed)
  const { parameters } = selection
  const keys = dimensions.map((_, i) => `k${i}`)
  const made = aggregates.map((aggregate, i) => `${aggregateSql(aggregate, `v${i}`, flagOf(plan))} as a${i}`)
  const texts = dimensions.flatMap((each, i) => (isText(each) ? [`min(t${i}) as t${i}`] : []))
  const grouped = keys.length === 0 ? '' : ` group by ${keys.join(', ')}`
  const firsts = dimensions.flatMap((each, i) =>
    isText(each) ? [`min(t${i}) over (partition by k${i}) as s${i}`] : [],
  )
  const order = orderOf(plan)
  const distinct = aggregates.flatMap(({ method }, i) => (method === 'countdistinct' ? [`a${i}`] : []))
  const paged =
    paging === null
      ? ''
      : ` limit ${parameters.add(paging.limit, 'bigint')} offset ${parameters.add(paging.offset, 'bigint')}`
  const [mostGroups, mostBytes] = [
    parameters.add(limits.groups, 'bigint'),
    parameters.add(limits.bytes, 'bigint'),
  ]
  const members = dimensions.length + aggregates.length
  return {
    text: `with items as (${itemsOf(plan, placed, selection)}),
      groups as (select ${listOf([...keys, ...texts, ...made])} from items${grouped}),
      shown as (select ${listOf(['groups.*', ...firsts])} from groups),
      counted as (select count(*) as total, coalesce(sum(${distinct.join(' + ') || '0'}), 0)::bigint as values from groups)
      select counted.total as total, json_build_array(counted.values,
        case when counted.total <= ${mostGroups} and ${bytesOf(members)} <= ${mostBytes} then
          (select json_agg(json_build_array(${membersOf(plan)})${order}) from (select * from shown${order}${paged}) page)
        end)::text as records
      from counted`,
    values: parameters.values,
  }
}

/** The formula of {@link groupBytes}. */
const bytesOf = (members: number): string =>
  `(${groupBytes(1, members, 0)} * counted.total + ${groupBytes(0, 0, 1)} * counted.values)`

/** A selection of nothing but rows still needs a column. */
const listOf = (columns: readonly string[]): string =>
  columns.length === 0 ? '1 as nothing' : columns.join(', ')

const isText = ({ value }: Dimension): boolean => value === null || value.column.type === 'text'

const isOfElements = ({ groupsOf, collection }: AggregationPlan): boolean =>
  groupsOf === 'elements' && collection !== null

/** The flag of items that are records, where elements stand beside them. */
const flagOf = ({ groupsOf, collection }: AggregationPlan): string | null =>
  groupsOf === 'records' && collection !== null ? 'is_record' : null

function itemsOf(plan: AggregationPlan, placed: PlacedData, selection: Selection): string {
  const { dataset, collection } = plan
  const { tables, client, rows, parameters } = selection
  const scope = recordScope(dataset, placed, selection)
  if (collection === null) return `select ${columnsOf(plan, { record: scope.column, element: null })} ${rows}`
  const named = searchedCollections(datasetsByName[dataset]).find(({ name }) => name === collection)
  const table = tables.additional.get(collection) ?? tables.elements
  if (named === undefined || table === null)
    throw new Error(`The records of ${dataset} have no ${collection}`)
  const elements = elementScope(dataset, columnsIn('e', namedFields(named)), parameters)
  const joined = `from (select f.* ${rows}) f join ${table} e
    on e.client_number = ${client} and e.ordinal = f.ordinal`
  if (isOfElements(plan))
    return `select ${columnsOf(plan, { record: scope.column, element: elements.column })} ${joined}`
  // In groups of records, an element is an item of its own in the group of its record.
  return `select ${columnsOf(plan, { record: scope.column, element: null })}, true as is_record ${rows}
    union all
    select ${columnsOf(plan, { record: null, element: elements.column, keys: scope.column })}, false ${joined}`
}

type ColumnOf = ReturnType<typeof recordScope>['column']

/** The columns of an item. Columns of a scope that the item does not have are null. */
type ItemScopes = {
  readonly record: ColumnOf | null
  readonly element: ColumnOf | null
  /** For the keys, where an element has those of its record. */
  readonly keys?: ColumnOf
}

function columnsOf({ dimensions, aggregates }: AggregationPlan, scopes: ItemScopes): string {
  const columnFor = ({ value }: Dimension | Exclude<Aggregate, { method: 'count' }>): SqlColumn | null =>
    value === null ? null : (scopes[value.of]?.(value.column) ?? null)
  const columns = dimensions.flatMap((dimension, i): readonly string[] => {
    const { value, part } = dimension
    const column = columnFor(dimension) ?? (value === null ? null : (scopes.keys?.(value.column) ?? null))
    if (column === null) {
      const key = `null::${keyType(dimension)} as k${i}`
      return isText(dimension) ? [key, `null::${itemTypes.text} as t${i}`] : [key]
    }
    return column.type === 'text'
      ? [`${keyOf(column, part)} as k${i}`, `${column.value} as t${i}`]
      : [`${keyOf(column, part)} as k${i}`]
  })
  aggregates.forEach((aggregate, i) => {
    if (aggregate.method === 'count') return
    const column = columnFor(aggregate)
    const taken = column === null ? `null::${takenType(aggregate)}` : takenBy(aggregate.method, column)
    columns.push(`${taken} as v${i}`)
  })
  return columns.length === 0 ? '1 as nothing' : columns.join(', ')
}

/** Null is the greatest value in PostgreSQL, too. */
function orderOf({ orderBy, dimensions }: AggregationPlan): string {
  const clauses = orderBy.map(({ member, descending }) => {
    const dimension = dimensions[member]
    // The key of a text is its folded form, which no two groups share.
    const name = dimension === undefined ? `a${member - dimensions.length}` : `k${member}`
    return `${name} ${descending ? 'desc' : 'asc'}`
  })
  return clauses.length === 0 ? '' : ` order by ${clauses.join(', ')}`
}

const shownOf = (dimension: Dimension, i: number): string => (isText(dimension) ? `s${i}` : `k${i}`)

const membersOf = ({ dimensions, aggregates }: AggregationPlan): string =>
  [
    ...dimensions.map((each, i) => `${shownOf(each, i)}::text`),
    ...aggregates.map((aggregate, i) => `(${shownAggregate(aggregate, `a${i}`)})::text`),
  ].join(', ')
