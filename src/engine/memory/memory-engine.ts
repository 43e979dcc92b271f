/**
 * Executes plans over the columns of a client's partition. Enters: a bound plan and the partition. Leaves: the page's rows,
 * to be copied out as finished JSON. Long work pauses for others; what was selected is kept for the next page.
 */
import type { Paging } from '../../query/ast.ts'
import { planKey, sortKeyText } from '../../query/plan/plan-key.ts'
import type { Predicate, QueryPlan, SortKey } from '../../query/plan/plan-nodes.ts'
import { datasetsByName } from '../../schema/datasets.ts'
import type { Partition } from '../../snapshot/partition.ts'
import type { Engine, ResultSet } from '../engine.ts'
import { wholeWindow } from './bitmap.ts'
import { RowOrders } from './indexes/row-orders.ts'
import { everyRow, type MatchingRows, markedRows } from './matching-rows.ts'
import { lower } from './predicates/lower.ts'
import { recordScope, type Scope } from './scope.ts'
import { Selection } from './selection.ts'
import { SelectionCache } from './selection-cache.ts'
import { type ColumnOrder, columnOrder, isConstant, significantKeys, sortWords } from './sort-keys.ts'
import { runWork, type Work } from './work.ts'
import { resultSet } from './writers/write-records.ts'

export type MemoryEngineOptions = {
  /** What may be kept of earlier answers, per partition. By default a thirty-second part of the partition's own size. */
  readonly selectionCacheBytes?: number
}

export function createMemoryEngine(options: MemoryEngineOptions = {}): Engine {
  const opened = new WeakMap<Partition, OpenPartition>()
  return {
    async execute(plan, partition, cancellation) {
      let open = opened.get(partition)
      if (open === undefined) {
        open = openPartition(partition, options)
        opened.set(partition, open)
      }
      return runWork(execute(plan, open), cancellation)
    },
    remembers(plan, partition) {
      const orderBy = significantKeys(plan.orderBy, datasetsByName[plan.dataset].defaultOrder)
      return opened.get(partition)?.selections.has(selectionKey(plan, orderBy)) ?? false
    },
  }
}

type OpenPartition = {
  readonly partition: Partition
  readonly records: Scope
  readonly selections: SelectionCache
  readonly rowOrders: RowOrders
}

const LEAST_CACHE_BYTES = 256 * 1024

function openPartition(partition: Partition, options: MemoryEngineOptions): OpenPartition {
  const cacheBytes = options.selectionCacheBytes ?? Math.max(LEAST_CACHE_BYTES, partition.byteLength / 32)
  const orderBytes = Math.max(LEAST_CACHE_BYTES, partition.byteLength / 16)
  return {
    partition,
    records: recordScope(partition),
    selections: new SelectionCache(cacheBytes),
    rowOrders: new RowOrders(partition.rowCount, orderBytes),
  }
}

function* execute(plan: QueryPlan, open: OpenPartition): Work<ResultSet> {
  const { partition, records, selections, rowOrders } = open
  const { stored, defaultOrder } = datasetsByName[plan.dataset]
  if (stored !== partition.stored) throw new Error(`A plan for ${plan.dataset} was given ${partition.stored}`)
  const orderBy = significantKeys(plan.orderBy, defaultOrder)
  const key = selectionKey(plan, orderBy)
  const selection = selections.get(key) ?? (yield* select(plan.where, orderBy, records, rowOrders))
  const rows = yield* selection.page(...placesOf(plan.paging))
  selections.keep(key, selection)
  return resultSet(partition, plan.dataset, selection.total, rows)
}

/** The same for every page. */
const selectionKey = (plan: QueryPlan, orderBy: readonly SortKey[]): string =>
  planKey({ ...plan, orderBy, paging: null })

function* select(
  where: Predicate | null,
  orderBy: readonly SortKey[],
  records: Scope,
  rowOrders: RowOrders,
): Work<Selection> {
  const rows = yield* matching(where, records)
  const orders: ColumnOrder[] = []
  if (rows.total > 1) {
    for (const key of orderBy) {
      const column = records.column(key.column)
      if (!(yield* isConstant(column, records.count))) orders.push(yield* columnOrder(column, key.descending))
    }
  }
  const key = orderBy.map(sortKeyText).join(',')
  return new Selection(rows, orders, (looksAt) =>
    rowOrders.onceWorthwhile(key, looksAt, () => orders.flatMap(sortWords)),
  )
}

function* matching(where: Predicate | null, records: Scope): Work<MatchingRows> {
  if (where === null) return everyRow(records.count)
  const filter = yield* lower(where, records)
  const bits = records.bitmaps.take()
  yield* filter.fill(bits, wholeWindow(records.count))
  return markedRows(bits, records.bitmaps)
}

/** First place and the place after the last. */
function placesOf(paging: Paging | null): [from: number, to: number] {
  if (paging === null) return [0, Infinity]
  return [paging.offset, paging.offset + paging.limit]
}
