/**
 * Brings a bound query into the form that engines execute and that keys are made of: queries that mean the same by plain
 * rules become the same plan. No pass changes an answer; each is run once, and the order below is what makes once enough.
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
  // Then, because an operand left alone takes its junction's place, which can bring two `not` or two `and` together.
  foldConstants,
  // Before flattening, because the `not not` between two junctions of a kind keeps them apart.
  dropDoubleNots,
  // Before merging, because operands merge within one junction only.
  flattenJunctions,
  // Last of the filter: it leaves nothing behind that the passes above would change.
  mergeOperands,
  // After folding, which is how a filter turns out to be true for every record.
  dropTrueFilter,
  // Before the next, because a repeated key may hide that the keys before it are those of the default order.
  dropRepeatedSortKeys,
  dropDefaultSortKeys,
]

export function planQuery(bound: BoundQuery): QueryPlan {
  return passes.reduce((current, pass) => pass(current), bound)
}

function dropTrueFilter(plan: QueryPlan): QueryPlan {
  return plan.where?.kind === 'constant' && plan.where.value ? { ...plan, where: null } : plan
}
