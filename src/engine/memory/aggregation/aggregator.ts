/**
 * Executes aggregation plans: within their budget, pausing for other requests. The groups of a plan are kept for the next page,
 * within a share of memory.
 */
import type { Cancellation } from '../../../kernel/cancellation.ts'
import { TrialCache } from '../../../kernel/trial-cache.ts'
import type { AggregationPlan } from '../../../query/aggregation.ts'
import { aggregationKey } from '../../../query/plan/aggregation-key.ts'
import { datasetsByName } from '../../../schema/datasets.ts'
import type { Partition } from '../../../snapshot/partition.ts'
import { defaultGroupLimits, type GroupLimits, type GroupSet } from '../../group-set.ts'
import { OverBudget, unlimitedWork, type WorkBudget } from '../../work-budget.ts'
import { RequestMeter, systemClock, type WorkClock } from '../request-meter.ts'
import { recordScope, type Scope } from '../scope.ts'
import { StoppedPlans } from '../stopped-plans.ts'
import { runWork } from '../work.ts'
import { aggregatePartition, type Groups } from './aggregate-partition.ts'

export type Aggregator = {
  readonly aggregate: (
    plan: AggregationPlan,
    partition: Partition,
    cancellation?: Cancellation,
  ) => Promise<GroupSet>
  /** Whether the groups of the plan are kept. */
  readonly remembers: (plan: AggregationPlan, partition: Partition) => boolean
}

export type AggregatorOptions = {
  readonly budget?: WorkBudget
  readonly clock?: WorkClock
  readonly groupLimits?: GroupLimits
}

type Opened = {
  readonly records: Scope
  readonly groups: TrialCache<Groups>
  readonly stopped: StoppedPlans
}

const LEAST_CACHE_BYTES = 256 * 1024

/** Roughly the bytes of a value in a column of groups. */
const BYTES_PER_VALUE = 24

export function createAggregator(options: AggregatorOptions = {}): Aggregator {
  const { budget = unlimitedWork, clock = systemClock, groupLimits = defaultGroupLimits } = options
  const opened = new WeakMap<Partition, Opened>()
  const open = (partition: Partition): Opened => {
    const known = opened.get(partition)
    if (known !== undefined) return known
    const cacheBytes = Math.max(LEAST_CACHE_BYTES, partition.byteLength / 32)
    const made = {
      records: recordScope(partition),
      groups: new TrialCache<Groups>(cacheBytes),
      stopped: new StoppedPlans(),
    }
    opened.set(partition, made)
    return made
  }
  return {
    async aggregate(plan, partition, cancellation) {
      const { stored } = datasetsByName[plan.dataset]
      if (stored !== partition.stored)
        throw new Error(`Expected a partition for ${plan.dataset}, found ${partition.stored}`)
      const { records, groups, stopped } = open(partition)
      const key = keyOfAllPages(plan)
      const known = groups.get(key)
      if (known !== undefined) return pageOf(known, plan, partition)
      const reason = stopped.reasonOf(key, clock.now())
      if (reason !== null) throw reason
      const meter = new RequestMeter(budget, clock)
      try {
        const work = aggregatePartition(plan, records, groupLimits, meter)
        const made = await runWork(work, cancellation, meter)
        groups.keep(key, made, made.total * made.columns.length * BYTES_PER_VALUE + 2 * key.length)
        return pageOf(made, plan, partition)
      } catch (cause) {
        if (cause instanceof OverBudget && cause.overrun.kind !== 'certain')
          stopped.note(key, cause, clock.now())
        throw cause
      }
    },
    remembers: (plan, partition) => opened.get(partition)?.groups.has(keyOfAllPages(plan)) ?? false,
  }
}

const keyOfAllPages = (plan: AggregationPlan): string => aggregationKey({ ...plan, paging: null })

function pageOf(
  { total, columns }: Groups,
  { dataset, paging }: AggregationPlan,
  { clientNumber }: Partition,
): GroupSet {
  const from = Math.min(paging?.offset ?? 0, total)
  const to = Math.min(from + (paging?.limit ?? total), total)
  const page =
    from === 0 && to === total
      ? columns
      : columns.map((column) => ({ ...column, values: column.values.slice(from, to) }))
  return { dataset, clientNumber, total, count: to - from, columns: page }
}
