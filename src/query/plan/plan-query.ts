/**
 * Normalises a bound query: queries that have the same meaning by simple rules become the same plan. No pass changes an answer.
 * Each pass runs once; the order of the passes makes that sufficient.
 */
import type { BoundQuery } from '../bound-query.ts'
import { collapseLists } from './passes/collapse-lists.ts'
import { dropDoubleNots } from './passes/drop-double-nots.ts'
import { dropDefaultSortKeys, dropRepeatedSortKeys } from './passes/drop-idle-sort-keys.ts'
import { flattenJunctions } from './passes/flatten-junctions.ts'
import { foldConstants } from './passes/fold-constants.ts'
import { mergeOperands } from './passes/merge-operands.ts'
import type { PlanPass } from './passes/rewrite-predicate.ts'
import type { QueryPlan } from './plan-nodes.ts'

const passes: readonly PlanPass[] = [
  // First, because an empty list is a constant.
  collapseLists,
  // Second, because a single remaining operand replaces its junction, which can bring two `not` or two `and` together.
  foldConstants,
  // Before flattening, because a `not not` separates two junctions of the same kind.
  dropDoubleNots,
  // Before merging, because operands merge within one junction only.
  flattenJunctions,
  // Last pass over the filter: its result has nothing that the passes above would change.
  mergeOperands,
  // After folding, which can turn a filter into the constant true.
  dropTrueFilter,
  // Before the next pass, because a repeated key can hide that the keys before it begin the default order.
  dropRepeatedSortKeys,
  dropDefaultSortKeys,
]

export function planQuery(bound: BoundQuery): QueryPlan {
  return passes.reduce((current, pass) => pass(current), bound)
}

function dropTrueFilter(plan: QueryPlan): QueryPlan {
  return plan.where?.kind === 'constant' && plan.where.value ? { ...plan, where: null } : plan
}
