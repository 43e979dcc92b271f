/** Executes an aggregation on the tables of records: one statement, whose row is read into columns of groups. */
import type { Cancellation } from '../../../kernel/cancellation.ts'
import {
  type AggregationPlan,
  type GroupType,
  typeOfAggregate,
  typeOfDimension,
} from '../../../query/aggregation.ts'
import type { PlacedData } from '../../../snapshot/postgres/placed-data.ts'
import { checkGroups, type GroupLimits, type GroupSet, type GroupValue } from '../../group-set.ts'
import { groupsOfNothing, periodValue, sumOf } from '../../group-values.ts'
import type { RecordServer } from '../server.ts'
import { aggregateStatement } from './aggregate-statement.ts'

type Tools = {
  readonly server: Pick<RecordServer, 'ask'>
  readonly groupLimits: GroupLimits
  readonly cancellation: Cancellation | undefined
}

/** @throws OverGroupLimit, OverBudget, Problem PGS1xx, or the reason of the cancellation */
export async function aggregatePlaced(
  plan: AggregationPlan,
  placed: PlacedData,
  { server, groupLimits, cancellation }: Tools,
): Promise<GroupSet> {
  const { dataset, dimensions, aggregates, paging } = plan
  const { clientNumber } = placed
  if (placed.rows === 0) {
    const groups = groupsOfNothing(plan)
    const { offset, limit } = paging ?? { offset: 0, limit: groups.length }
    const page = groups.slice(offset, offset + limit)
    return { dataset, clientNumber, total: groups.length, ...columnsOf(plan, page) }
  }
  const row = await server.ask(aggregateStatement(plan, placed, groupLimits), cancellation)
  const total = Number(row.total)
  const [distinct, groups] = JSON.parse(`${row.records}`) as [number, (string | null)[][] | null]
  checkGroups({ groups: total, members: dimensions.length + aggregates.length, distinct }, groupLimits)
  const page = (groups ?? []).map((group) =>
    group.map((text, i) => (text === null ? null : valueIn(text, i, plan))),
  )
  return { dataset, clientNumber, total, ...columnsOf(plan, page) }
}

function columnsOf(
  { dimensions, aggregates }: AggregationPlan,
  page: readonly (readonly GroupValue[])[],
): Pick<GroupSet, 'count' | 'columns'> {
  const types = [...dimensions.map(typeOfDimension), ...aggregates.map(typeOfAggregate)]
  const columns = [...dimensions, ...aggregates].map(({ member }, i) => ({
    name: member,
    type: types[i] as GroupType,
    values: page.map((group) => group[i] ?? null),
  }))
  return { count: page.length, columns }
}

function valueIn(text: string, place: number, { dimensions, aggregates }: AggregationPlan): GroupValue {
  const dimension = dimensions[place]
  if (dimension !== undefined) {
    const { part } = dimension
    return part === null ? typed(text, typeOfDimension(dimension)) : periodValue(part, Number(text))
  }
  const aggregate = aggregates[place - dimensions.length]
  return aggregate === undefined ? null : typed(text, typeOfAggregate(aggregate))
}

function typed(text: string, type: GroupType): GroupValue {
  switch (type) {
    case 'text':
      return text
    case 'boolean':
      return text === 'true'
    case 'date':
    case 'minute':
    case 'integer':
    case 'decimal':
      return Number(text)
    case 'long':
    case 'long-decimal':
      return sumOf(text)
  }
}
