/** One run in full, by its id; null when it was never recorded or has been deleted. */
import type { Kysely } from 'kysely'
import type { Execution } from '../../schema/execution-shapes.ts'
import { executionOf, SUMMARY_COLUMNS } from './execution-row.ts'
import type { HistoryTables } from './history-tables.ts'

export async function findExecution(db: Kysely<HistoryTables>, id: string): Promise<Execution | null> {
  const row = await db
    .selectFrom('executions')
    .innerJoin('execution_details as more', 'more.sequence', 'executions.sequence')
    .select(SUMMARY_COLUMNS.map((column) => `executions.${column}` as const))
    .select('more.detail')
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : executionOf(row, row.detail)
}
