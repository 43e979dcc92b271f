/**
 * Executes a bound plan over the columns of a client's partition, and returns the page's rows as encoded records. Long work
 * pauses for other requests; the selection is kept for the next page.
 */

import type { Cancellation } from '../../kernel/cancellation.ts'
import type { Paging } from '../../query/ast.ts'
import { planKey, sortKeyText } from '../../query/plan/plan-key.ts'
import type { QueryPlan, SortKey } from '../../query/plan/plan-nodes.ts'
import { type DatasetName, datasetsByName } from '../../schema/datasets.ts'
import type { Partition } from '../../snapshot/partition.ts'
import type { EncodedCollection, RowNumbers } from '../encoded-records.ts'
import type { ResultSet } from '../engine.ts'
import { OverBudget, unlimitedWork, type WorkBudget } from '../work-budget.ts'
import { encodedCollection } from './encoded-partition.ts'
import { RowOrders } from './indexes/row-orders.ts'
import { matching } from './matching.ts'
import type { MatchingRows } from './matching-rows.ts'
import { type ColumnOrder, isConstant, significantKeys, sortWords } from './ordering/sort-keys.ts'
import { RequestMeter, systemClock, type WorkClock } from './request-meter.ts'
import { recordScope, type Scope } from './scope.ts'
import { Selection } from './selection.ts'
import { SelectionCache } from './selection-cache.ts'
import { StoppedPlans } from './stopped-plans.ts'
import { runWork, type Work } from './work.ts'

export type MemoryEngineOptions = {
  /** How many bytes of selections are kept per partition. The default is one thirty-second of the partition's size. */
  readonly selectionCacheBytes?: number
  /** The budget of each request; unlimited by default. */
  readonly budget?: WorkBudget
  /** The clock that measures the budget. */
  readonly clock?: WorkClock
}

export type PlanExecutor = {
  readonly execute: (plan: QueryPlan, partition: Partition, cancellation?: Cancellation) => Promise<ResultSet>
  /** Whether the selection of the plan is kept, so that executing it costs little. */
  readonly remembers: (plan: QueryPlan, partition: Partition) => boolean
}

export function createPlanExecutor(options: MemoryEngineOptions = {}): PlanExecutor {
  const opened = new WeakMap<Partition, OpenPartition>()
  const { budget = unlimitedWork, clock = systemClock } = options
  return {
    async execute(plan, partition, cancellation) {
      let open = opened.get(partition)
      if (open === undefined) {
        open = openPartition(partition, options)
        opened.set(partition, open)
      }
      const { key, orderBy } = significant(plan, partition)
      const { stopped, selections } = open
      const reason = stopped.reasonOf(key, clock.now())
      if (reason !== null && !selections.has(key)) throw reason
      const meter = new RequestMeter(budget, clock)
      try {
        return await runWork(execute({ ...plan, orderBy }, key, open, meter), cancellation, meter)
      } catch (cause) {
        if (cause instanceof OverBudget && cause.overrun.kind !== 'certain')
          stopped.note(key, cause, clock.now())
        throw cause
      }
    },
    remembers(plan, partition) {
      const orderBy = significantKeys(plan.orderBy, datasetsByName[plan.dataset].defaultOrder)
      return opened.get(partition)?.selections.has(selectionKey(plan, orderBy)) ?? false
    },
  }
}

type OpenPartition = {
  readonly partition: Partition
  /** The collections that were requested so far, by dataset. */
  readonly collections: Map<DatasetName, EncodedCollection>
  readonly records: Scope
  readonly selections: SelectionCache
  readonly rowOrders: RowOrders
  readonly stopped: StoppedPlans
}

const LEAST_CACHE_BYTES = 256 * 1024

function openPartition(partition: Partition, options: MemoryEngineOptions): OpenPartition {
  const cacheBytes = options.selectionCacheBytes ?? Math.max(LEAST_CACHE_BYTES, partition.byteLength / 32)
  const orderBytes = Math.max(LEAST_CACHE_BYTES, partition.byteLength / 16)
  return {
    partition,
    collections: new Map(),
    records: recordScope(partition),
    selections: new SelectionCache(cacheBytes),
    rowOrders: new RowOrders(partition.rowCount, orderBytes),
    stopped: new StoppedPlans(),
  }
}

/** The sort keys that matter, and the key that all pages of the plan share. */
function significant(plan: QueryPlan, partition: Partition): Pick<QueryPlan, 'orderBy'> & { key: string } {
  const { stored, defaultOrder } = datasetsByName[plan.dataset]
  if (stored !== partition.stored)
    throw new Error(`Expected a partition for ${plan.dataset}, found ${partition.stored}`)
  const orderBy = significantKeys(plan.orderBy, defaultOrder)
  return { orderBy, key: selectionKey(plan, orderBy) }
}

function* execute(plan: QueryPlan, key: string, open: OpenPartition, meter: RequestMeter): Work<ResultSet> {
  const { records, selections, rowOrders } = open
  let selection = selections.get(key)
  if (selection === undefined) {
    const rows = yield* matching(plan.where, records, meter)
    selection = yield* inOrder(rows, plan.orderBy, records, rowOrders)
  }
  const rows = yield* selection.page(...placesOf(plan.paging))
  selections.keep(key, selection)
  return resultOf(open, plan, selection.total, rows)
}

function resultOf(
  { partition, collections }: OpenPartition,
  { dataset, select: shape }: Pick<QueryPlan, 'dataset' | 'select'>,
  total: number,
  rows: RowNumbers,
): ResultSet {
  let collection = collections.get(dataset)
  if (collection === undefined) {
    collection = encodedCollection(partition, dataset)
    collections.set(dataset, collection)
  }
  const { clientNumber, labels } = partition
  const records = { kind: 'encoded', rows, collection } as const
  return { dataset, clientNumber, labels, shape, total, count: rows.count, records }
}

/** The key is the same for every page, and for every selection of members. */
const selectionKey = (plan: QueryPlan, orderBy: readonly SortKey[]): string =>
  planKey({ ...plan, orderBy, paging: null, select: null })

function* inOrder(
  rows: MatchingRows,
  orderBy: readonly SortKey[],
  records: Scope,
  rowOrders: RowOrders,
): Work<Selection> {
  const orders: ColumnOrder[] = []
  if (rows.total > 1) {
    for (const key of orderBy) {
      const column = records.column(key.column)
      if (!(yield* isConstant(column, records.count))) orders.push({ column, descending: key.descending })
    }
  }
  const key = orderBy.map(sortKeyText).join(',')
  return new Selection(rows, orders, (looksAt) =>
    rowOrders.onceWorthwhile(key, looksAt, () => orders.flatMap(sortWords)),
  )
}

/** The first place and the place after the last. */
function placesOf(paging: Paging | null): [from: number, to: number] {
  if (paging === null) return [0, Infinity]
  return [paging.offset, paging.offset + paging.limit]
}
