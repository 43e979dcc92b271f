/**
 * The two questions that a request can ask: for records, or for groups of them. Both are bound and planned in the same steps, and
 * both are executed by the engine; what comes out is written by the writers of their kind.
 */
import type { ClientData } from '../engine/engine.ts'
import { OverGroupLimit } from '../engine/group-set.ts'
import { writableGroups } from '../engine/writers/groups/write-groups.ts'
import { type WritableRecords, writable } from '../engine/writers/write-records.ts'
import type { Cancellation } from '../kernel/cancellation.ts'
import type { AggregationPlan } from '../query/aggregation.ts'
import { tooManyGroups, tooMuchGroupMemory } from '../query/aggregation-problems.ts'
import { bindAggregation } from '../query/bind/bind-aggregation.ts'
import { bindQuery } from '../query/bind/bind-query.ts'
import type { UnknownLabels } from '../query/bind/resolve-path.ts'
import { aggregationKey } from '../query/plan/aggregation-key.ts'
import { planAggregation } from '../query/plan/plan-aggregation.ts'
import { planKey } from '../query/plan/plan-key.ts'
import type { QueryPlan } from '../query/plan/plan-nodes.ts'
import { planQuery } from '../query/plan/plan-query.ts'
import type { ParsedRequest } from './languages.ts'

/** A planned request. */
export type Question = {
  /** The canonical text of the plan. */
  readonly key: string
  /** Name of the array in JSON; null for the name of the list. */
  readonly member: 'groups' | null
  /** @throws OverBudget; QueryProblem QRY513 or QRY514 when there are too many groups */
  readonly execute: (data: ClientData, cancellation?: Cancellation) => Promise<WritableRecords>
  readonly isRemembered: (data: ClientData) => boolean
}

/** @throws QueryProblem at the first name or literal that does not fit */
export function bindRequest(
  { dataset, query, aggregation, texts }: ParsedRequest,
  labels: readonly string[],
  unknownLabels: UnknownLabels | undefined,
): { readonly plan: () => Question } {
  if (aggregation === null) {
    const bound = bindQuery(query, dataset, labels, texts, unknownLabels)
    return { plan: () => forRecords(planQuery(bound)) }
  }
  const bound = bindAggregation(aggregation, dataset, labels, texts, unknownLabels)
  return { plan: () => forGroups(planAggregation(bound), texts.apply) }
}

const forRecords = (plan: QueryPlan): Question => ({
  key: planKey(plan),
  member: null,
  execute: (data, cancellation) => data.execute(plan, cancellation).then(writable),
  isRemembered: (data) => data.remembers(plan),
})

const forGroups = (plan: AggregationPlan, input: string | undefined): Question => ({
  key: aggregationKey(plan),
  member: 'groups',
  execute: (data, cancellation) =>
    data.aggregate(plan, cancellation).then(writableGroups, (cause: unknown) => {
      if (!(cause instanceof OverGroupLimit)) throw cause
      const at = { parameter: '$apply', column: 0, input }
      throw cause.limit === 'groups' ? tooManyGroups(at, cause.most) : tooMuchGroupMemory(at, cause.most)
    }),
  isRemembered: (data) => data.remembers(plan),
})
