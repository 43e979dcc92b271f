/**
 * Removes runs that a filter finds, oldest first and in small transactions, with their details and notepads. Figures hold nothing
 * of a caller, so they stay.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { ExecutionFilter } from './history.ts'
import type { HistoryTables } from './history-tables.ts'
import { listExecutions } from './list-executions.ts'
import type { ReadHistory } from './walk-executions.ts'

/** Runs of one transaction. */
const BATCH = 200

export async function deleteExecutions(
  history: ReadHistory,
  filter: ExecutionFilter,
  most: number,
): Promise<number> {
  let removed = 0
  let after: string | undefined
  while (removed < most) {
    const limit = Math.min(BATCH, most - removed)
    const page = await listExecutions(history, filter, { limit, after, sort: 'startedAt' })
    if (page.items.length > 0)
      removed += await removeRuns(
        history.queries,
        page.items.map(({ id }) => id),
      )
    if (page.next === null) break
    after = page.next
    await nextTurn()
  }
  return removed
}

/** Another process may have removed some of them meanwhile. */
function removeRuns(db: Kysely<HistoryTables>, ids: readonly string[]): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const notepads = await transaction
      .deleteFrom('notepads')
      .where('execution_id', 'in', ids)
      .returning('bytes')
      .execute()
    // The foreign key removes their details too.
    const runs = await transaction
      .deleteFrom('executions')
      .where('id', 'in', ids)
      .returning('bytes')
      .execute()
    const bytes = [...notepads, ...runs].reduce((sum, row) => sum + row.bytes, 0)
    await transaction
      .updateTable('kept')
      .set((is) => ({ executions: is('executions', '-', runs.length), bytes: is('bytes', '-', bytes) }))
      .execute()
    return runs.length
  })
}
