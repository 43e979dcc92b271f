/** For tests: random aggregations of the columns of a list and of its elements. */
import fc from 'fast-check'
import {
  type Aggregate,
  type AggregatedColumn,
  type AggregationPlan,
  aggregateMethods,
  type Dimension,
  dateParts,
  type GroupSortKey,
} from '../../query/aggregation.ts'
import type { ColumnRef, Predicate } from '../../query/plan/plan-nodes.ts'
import type { CollectionName } from '../../schema/datasets.ts'

type Columns = {
  readonly dataset: AggregationPlan['dataset']
  readonly columns: readonly ColumnRef[]
  readonly collections: { readonly [Name in CollectionName]?: readonly ColumnRef[] }
  readonly predicate: fc.Arbitrary<Predicate>
  readonly paging: fc.Arbitrary<AggregationPlan['paging']>
}

type Value = AggregatedColumn | null

export const arbitraryAggregations = (of: Columns): fc.Arbitrary<AggregationPlan> =>
  fc.oneof(
    ...Object.entries(of.collections).map(([collection, inner]) =>
      aggregationsOf({ ...of, collection: collection as CollectionName, inner }),
    ),
  )

type ColumnsOfOne = Columns & { readonly collection: CollectionName; readonly inner: readonly ColumnRef[] }

function aggregationsOf(of: ColumnsOfOne): fc.Arbitrary<AggregationPlan> {
  const records = of.columns.map((column): AggregatedColumn => ({ of: 'record', column }))
  const elements = of.inner.map((column): AggregatedColumn => ({ of: 'element', column }))
  const value = fc.constantFrom<Value[]>(...records, ...elements, ...records, null)
  const dimensions = fc.array(value.chain(dimension), { maxLength: 3 })
  const part = fc.record({
    dimensions,
    aggregates: fc.array(value.chain(aggregate), { maxLength: 4 }),
    where: fc.option(of.predicate, { nil: null, freq: 3 }),
    order: fc.array(fc.record({ member: fc.nat(6), descending: fc.boolean() }), { maxLength: 4 }),
    paging: of.paging,
  })
  return part.map(({ where, paging, order, ...given }) => {
    const groupsOf = given.dimensions.some((each) => each.value?.of === 'element') ? 'elements' : 'records'
    const meaningful = given.aggregates.filter((each) => groupsOf === 'records' || !isRecordSum(each))
    const dimensionsNamed = given.dimensions.map((each, i) => ({ ...each, member: `d${i}` }))
    const needed = given.dimensions.length + meaningful.length === 0 ? [count] : meaningful
    const aggregates = needed.map((each, i) => ({ ...each, member: `a${i}` }))
    const used = [...dimensionsNamed, ...aggregates].some(
      (each) => 'value' in each && each.value?.of === 'element',
    )
    return {
      dataset: of.dataset,
      where,
      paging,
      groupsOf,
      collection: used ? of.collection : null,
      dimensions: dimensionsNamed,
      aggregates,
      orderBy: completed(order, dimensionsNamed.length, aggregates.length),
    }
  })
}

/** An aggregation has a member at least. */
const count: Aggregate = { member: '', method: 'count' }

const isRecordSum = (each: Aggregate): boolean =>
  (each.method === 'sum' || each.method === 'average') && each.value?.of !== 'element'

function dimension(value: Value): fc.Arbitrary<Dimension> {
  const type = value?.column.type
  const part = type === 'date' || type === 'minute' ? fc.constantFrom(null, ...dateParts) : fc.constant(null)
  return part.map((each) => ({ member: '', value, part: each }))
}

function aggregate(value: Value): fc.Arbitrary<Aggregate> {
  const type = value?.column.type ?? 'text'
  const isNumber = type === 'integer' || type === 'decimal'
  const methods = aggregateMethods.filter((method) => {
    if (method === 'sum' || method === 'average') return isNumber
    return method === 'countdistinct' || type !== 'boolean'
  })
  return fc
    .constantFrom('count' as const, ...methods)
    .map((method) => (method === 'count' ? { member: '', method } : { member: '', method, value }))
}

/** Without repetitions, and with all dimensions. */
function completed(
  order: readonly GroupSortKey[],
  dimensions: number,
  aggregates: number,
): readonly GroupSortKey[] {
  const keys: GroupSortKey[] = []
  const rest = Array.from({ length: dimensions }, (_, member) => ({ member, descending: false }))
  for (const key of [...order, ...rest]) {
    if (key.member >= dimensions + aggregates || keys.some(({ member }) => member === key.member)) continue
    keys.push(key)
  }
  return keys
}
