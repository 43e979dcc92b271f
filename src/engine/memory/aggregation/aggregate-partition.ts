/**
 * Computes an aggregation over the columns of a partition. This is its table of contents: select records, number the groups,
 * aggregate, put in order. No step makes an object per row. Columns of groups come out in final order.
 */
import {
  type Aggregate,
  type AggregatedColumn,
  type AggregationPlan,
  typeOfAggregate,
  typeOfDimension,
} from '../../../query/aggregation.ts'
import type { CollectionName } from '../../../schema/datasets.ts'
import type { Column } from '../../../snapshot/partition.ts'
import { checkGroups, type GroupColumn, type GroupLimits, type GroupValue } from '../../group-set.ts'
import { matching } from '../matching.ts'
import type { RequestMeter } from '../request-meter.ts'
import type { ElementScope, Scope } from '../scope.ts'
import { scratch } from '../scratch.ts'
import { done, type Work } from '../work.ts'
import {
  type Aggregated,
  aggregateColumn,
  aggregateOfNull,
  countsOf,
  type GroupedRows,
} from './aggregates.ts'
import { type Codes, codesOf, nullCodes } from './dimension-codes.ts'
import { countRows, type Grouping, groupRows } from './group-numbers.ts'
import { orderGroups } from './group-order.ts'
import {
  type ElementRows,
  elementRows,
  inBlocks,
  type Rows,
  recordRows,
  recordsOfElements,
} from './selected-rows.ts'

export type Groups = {
  readonly total: number
  /** All groups in final order. */
  readonly columns: readonly GroupColumn[]
}

/** @throws OverGroupLimit, OverBudget */
export function* aggregatePartition(
  plan: AggregationPlan,
  records: Scope,
  limits: GroupLimits,
  meter: RequestMeter,
): Work<Groups> {
  const { dimensions, aggregates } = plan
  const sources = yield* sourcesOf(plan, records, meter)
  const codes: Codes[] = []
  for (const { value, part } of dimensions) {
    const { rows } = sources
    codes.push(
      value === null ? nullCodes(rows) : yield* codesOf(sources.column(value), sources.rowsOf(value), part),
    )
  }
  const members = dimensions.length + aggregates.length
  const wantsNumbers = aggregates.some(({ method }) => method !== 'count')
  const grouping = yield* groupRows(codes, sources.rows.count, members, limits, wantsNumbers)
  const aggregated: Aggregated[] = []
  let distinct = 0
  for (const aggregate of aggregates) {
    const made = yield* aggregateGroups(aggregate, sources, grouping)
    distinct += made.distinct
    checkGroups({ groups: grouping.occurring.length, members, distinct }, limits)
    aggregated.push(made)
  }
  const order = yield* orderGroups(plan, codes, aggregated, grouping)
  const columns = yield* columnsOf(plan, { codes, aggregated, grouping, order })
  for (const { source } of codes) if (source.kind === 'codes' && source.isScratch) scratch.give(source.codes)
  if (grouping.isScratch) scratch.give(grouping.numbers)
  return { total: order.length, columns }
}

/** The rows that groups consist of, and how columns are read for them. */
type Sources = {
  readonly rows: Rows
  readonly column: (value: AggregatedColumn) => Column
  /** The row numbers of a column of dimensions. */
  readonly rowsOf: (value: AggregatedColumn) => Rows
  /** The rows that an aggregate takes, with their groups. */
  readonly grouped: (value: AggregatedColumn, grouping: Grouping) => Work<GroupedRows>
}

function* sourcesOf(plan: AggregationPlan, records: Scope, meter: RequestMeter): Work<Sources> {
  const selected = yield* recordRows(yield* matching(plan.where, records, meter), records)
  const scope = plan.collection === null ? null : elementScope(records, plan.collection)
  const column = ({ of, column: ref }: AggregatedColumn): Column =>
    (of === 'element' ? (scope ?? records) : records).column(ref)
  if (scope === null) return recordSources(selected, column)
  const elements = yield* elementRows(selected, scope)
  if (plan.groupsOf === 'elements') {
    const owners = yield* recordsOfElements(selected, elements)
    const rowsOf = ({ of }: AggregatedColumn) => (of === 'element' ? elements : owners)
    return {
      rows: elements,
      column,
      rowsOf,
      grouped: (value, { numbers, limit, counts }) =>
        done({ rows: rowsOf(value), groups: numbers, limit, counts }),
    }
  }
  return { ...recordSources(selected, column), grouped: groupedWithElements(selected, elements) }
}

const recordSources = (rows: Rows, column: Sources['column']): Sources => ({
  rows,
  column,
  rowsOf: () => rows,
  grouped: (_value, { numbers, limit, counts }) => done({ rows, groups: numbers, limit, counts }),
})

function elementScope({ collections }: Scope, collection: CollectionName): ElementScope {
  const elements = collections.get(collection)
  if (elements === undefined) throw new Error(`The plan names the collection ${collection}`)
  return elements
}

/** In groups of records, an element is in the group of its record. */
function groupedWithElements(selected: Rows, elements: ElementRows): Sources['grouped'] {
  let ofElements: GroupedRows | null = null
  return function* (value, { numbers, limit, counts }) {
    if (value.of === 'record') return { rows: selected, groups: numbers, limit, counts }
    if (ofElements === null) {
      const groups = new Int32Array(elements.count)
      yield* inBlocks(elements.count, (from, to) => {
        for (let i = from; i < to; i++) groups[i] = numbers[elements.owners[i]!]!
      })
      ofElements = { rows: elements, groups, limit, counts: yield* countRows(groups, limit) }
    }
    return ofElements
  }
}

function* aggregateGroups(aggregate: Aggregate, sources: Sources, grouping: Grouping): Work<Aggregated> {
  if (aggregate.method === 'count') return countsOf(grouping.counts)
  const { method, value } = aggregate
  if (value === null) return aggregateOfNull(method)
  return yield* aggregateColumn(method, sources.column(value), yield* sources.grouped(value, grouping))
}

type Made = {
  readonly codes: readonly Codes[]
  readonly aggregated: readonly Aggregated[]
  readonly grouping: Grouping
  readonly order: Int32Array
}

function* columnsOf(
  { dimensions, aggregates }: AggregationPlan,
  { codes, aggregated, grouping, order }: Made,
): Work<readonly GroupColumn[]> {
  const columns: GroupColumn[] = []
  for (const [i, dimension] of dimensions.entries()) {
    const { shownAt } = codes[i] as Codes
    const own = grouping.codes[i] as Int32Array
    const values = yield* valuesOf(order, (place) => shownAt(own[place]!))
    columns.push({ name: dimension.member, type: typeOfDimension(dimension), values })
  }
  for (const [i, aggregate] of aggregates.entries()) {
    const { shownAt } = aggregated[i] as Aggregated
    const values = yield* valuesOf(order, (place) => shownAt(grouping.occurring[place]!))
    columns.push({ name: aggregate.member, type: typeOfAggregate(aggregate), values })
  }
  return columns
}

function* valuesOf(order: Int32Array, shownAt: (place: number) => GroupValue): Work<readonly GroupValue[]> {
  const values = new Array<GroupValue>(order.length)
  yield* inBlocks(order.length, (from, to) => {
    for (let place = from; place < to; place++) values[place] = shownAt(order[place]!)
  })
  return values
}
