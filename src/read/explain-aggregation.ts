/**
 * `tripfolio explain --apply TEXT`: says what an aggregation of version 2 means: what its groups consist of, and the name, type
 * and origin of each member. Labels are not checked, because they are the client's own.
 */
import {
  type AggregationPlan,
  type GroupType,
  typeOfAggregate,
  typeOfDimension,
} from '../query/aggregation.ts'
import { bindAggregation } from '../query/bind/bind-aggregation.ts'
import type { QueryLimits } from '../query/limits.ts'
import { parseParameters } from '../query/odata/parameters.ts'
import { datasets, type ListName } from '../schema/datasets.ts'

export type ExplainedAggregation = {
  readonly dataset: ListName
  /** `records`, or the name of a collection. */
  readonly groupsOf: string
  readonly hasFilter: boolean
  readonly members: readonly { readonly name: string; readonly type: GroupType; readonly from: string }[]
  /** Names of members, each with its direction, as far as they decide. */
  readonly orderBy: readonly string[]
}

/** @throws QueryProblem when the aggregation cannot be understood */
export function explainAggregation(
  apply: string,
  dataset: ListName,
  limits: QueryLimits,
): ExplainedAggregation {
  const { aggregation, texts } = parseParameters([['$apply', apply]], limits)
  if (aggregation === null) throw new Error('A parameter $apply gave no aggregation')
  const plan = bindAggregation(aggregation, datasets[dataset], [], texts, 'null')
  const { dimensions, aggregates, groupsOf, collection, where, orderBy } = plan
  const members = [
    ...dimensions.map((each) => ({
      name: each.member,
      type: typeOfDimension(each),
      from: each.part === null ? pathOf(each.value, plan) : `${each.part} of ${pathOf(each.value, plan)}`,
    })),
    ...aggregates.map((each) => ({
      name: each.member,
      type: typeOfAggregate(each),
      from:
        each.method === 'count'
          ? `number of ${groupsOf === 'elements' ? collection : dataset}`
          : `${each.method} of ${pathOf(each.value, plan)}`,
    })),
  ]
  return {
    dataset,
    groupsOf: groupsOf === 'elements' ? String(collection) : 'records',
    hasFilter: where !== null,
    members,
    orderBy: orderBy.map(({ member, descending }) => `${members[member]?.name}${descending ? ' desc' : ''}`),
  }
}

function pathOf(
  value: AggregationPlan['dimensions'][number]['value'],
  { collection }: AggregationPlan,
): string {
  if (value === null) return 'a label'
  const name = value.column.kind === 'field' ? value.column.name : value.column.label
  return value.of === 'element' ? `${collection}.${name}` : name
}

/** For people: a line for the groups, and one per member. */
export function explanationLines({
  dataset,
  groupsOf,
  hasFilter,
  members,
  orderBy,
}: ExplainedAggregation): readonly string[] {
  const of = groupsOf === 'records' ? dataset : `${groupsOf} of ${dataset}`
  return [
    `groups of ${of}${hasFilter ? ' that satisfy the filter' : ''}`,
    ...members.map(({ name, type, from }) => `${name}: ${type}, ${from}`),
    ...(orderBy.length === 0 ? [] : [`ordered by ${orderBy.join(', ')}`]),
  ]
}
