/** Normalises the condition of an aggregation by the passes of plan-query.ts, so that requests of equal meaning are equal plans. */
import type { AggregationPlan } from '../aggregation.ts'
import { planQuery } from './plan-query.ts'

export function planAggregation(bound: AggregationPlan): AggregationPlan {
  const { dataset, where } = bound
  return { ...bound, where: planQuery({ dataset, where, orderBy: [], paging: null, select: null }).where }
}
