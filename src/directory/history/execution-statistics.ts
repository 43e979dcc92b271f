/** Statistics of each endpoint, by name, from the totals of days, which outlive the runs. */
import { type Kysely, sql } from 'kysely'
import { parseDate } from '../../kernel/calendar.ts'
import type { ExecutionStatistics } from '../../schema/execution-shapes.ts'
import { momentOf } from './execution-row.ts'
import type { History } from './history.ts'
import type { HistoryTables } from './history-tables.ts'
import { badDay } from './problems.ts'

type StatisticsFilter = NonNullable<Parameters<History['statistics']>[0]>

export async function executionStatistics(
  db: Kysely<HistoryTables>,
  { endpointId, from, to }: StatisticsFilter,
): Promise<readonly ExecutionStatistics[]> {
  for (const day of [from, to]) if (day !== undefined && parseDate(day) === undefined) throw badDay(day)
  let query = db.selectFrom('endpoint_days as days')
  if (endpointId !== undefined) query = query.where('endpoint_id', '=', endpointId)
  if (from !== undefined) query = query.where('day', '>=', from)
  if (to !== undefined) query = query.where('day', '<', to)
  const rows = await query
    .groupBy('endpoint_id')
    .select(['endpoint_id', newestName.as('endpoint_name')])
    .select(({ fn }) => [
      fn.sum<number>('runs').as('runs'),
      fn.sum<number>('succeeded').as('succeeded'),
      fn.sum<number>('failed').as('failed'),
      fn.sum<number>('cancelled').as('cancelled'),
      fn.sum<number>('execution_ms').as('execution_ms'),
      fn.max<number>('longest_ms').as('longest_ms'),
      fn.sum<number>('statements').as('statements'),
      fn.max<number>('last_started_at').as('last_started_at'),
    ])
    .orderBy('endpoint_name')
    .orderBy('endpoint_id')
    .execute()
  return rows.map((row) => ({
    endpointId: row.endpoint_id,
    endpointName: row.endpoint_name,
    runs: row.runs,
    succeeded: row.succeeded,
    failed: row.failed,
    cancelled: row.cancelled,
    successRate: row.succeeded / row.runs,
    meanExecutionTimeMs: row.execution_ms / row.runs,
    maxExecutionTimeMs: row.longest_ms,
    meanStatementCount: row.statements / row.runs,
    lastRunAt: momentOf(row.last_started_at),
  }))
}

/** The newest name of all days, not only of the requested ones: it is the name that readers know. */
const newestName = sql<string>`(select named.endpoint_name from endpoint_days as named
  where named.endpoint_id = days.endpoint_id order by named.day desc limit 1)`
