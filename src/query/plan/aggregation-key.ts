/**
 * The canonical text of an aggregation plan, for cache keys and entity tags, like plan-key.ts. Members are part of it, because
 * their names are in the answer. Never equal to the key of a list.
 */
import type { Aggregate, AggregatedColumn, AggregationPlan, Dimension } from '../aggregation.ts'
import { columnKey, planKey } from './plan-key.ts'

export function aggregationKey(plan: AggregationPlan): string {
  const { dataset, where, paging, dimensions, aggregates, orderBy } = plan
  const order = orderBy.map(({ member, descending }) => (descending ? '-' : '+') + member).join(',')
  return [
    `apply ${planKey({ dataset, where, orderBy: [], paging, select: null })}`,
    plan.collection ?? '',
    dimensions.map(dimensionKey).join(','),
    aggregates.map(aggregateKey).join(','),
    order,
  ].join('|')
}

const dimensionKey = ({ member, value, part }: Dimension): string =>
  `${part ?? ''}(${valueKey(value)})${JSON.stringify(member)}`

const aggregateKey = (aggregate: Aggregate): string =>
  aggregate.method === 'count'
    ? `count${JSON.stringify(aggregate.member)}`
    : `${aggregate.method}(${valueKey(aggregate.value)})${JSON.stringify(aggregate.member)}`

export const valueKey = (value: AggregatedColumn | null): string =>
  value === null ? 'null' : `${value.of === 'element' ? 'element.' : ''}${columnKey(value.column)}`
