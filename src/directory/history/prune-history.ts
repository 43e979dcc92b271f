/**
 * Removes the oldest rows of a history that exceeds its limits, in small batches so that writers and readers never wait long:
 * runs with their notepads, notepads without a run, deliveries whose window is over, figures, and jobs of reruns. Totals of days
 * stay. The space is returned to the disk, except for a reserve that the next runs fill.
 */
import type { Transaction } from 'kysely'
import type { HistoryDatabase } from '../database.ts'
import { pruneFigures } from './endpoint-figures.ts'
import type { Retention } from './history.ts'
import type { HistoryTables } from './history-tables.ts'

/** The most rows of each kind in one batch, and the bytes after which a batch ends. */
const BATCH_ROWS = 200
const BATCH_BYTES = 4 * 2 ** 20

const DAY_MS = 86_400_000

/** @returns how many rows it has removed or, once there are none, how many units of space it has returned to the disk */
export function pruneHistory(
  { queries, reclaimSpace }: Pick<HistoryDatabase, 'queries' | 'reclaimSpace'>,
  retention: Retention,
  now: Date,
): Promise<number> {
  const cutoff = now.getTime() - retention.days * DAY_MS
  return queries.transaction().execute(async (transaction) => {
    const removed =
      (await pruneDeliveries(transaction, now.getTime())) +
      (await pruneRecords(transaction, retention, cutoff)) +
      (await pruneReruns(transaction, cutoff)) +
      (retention.figures === undefined
        ? 0
        : await pruneFigures(transaction, retention.figures, now.getTime(), BATCH_ROWS))
    return removed > 0 ? removed : reclaimSpace()
  })
}

async function pruneDeliveries(db: Transaction<HistoryTables>, now: number): Promise<number> {
  const rows = await db
    .deleteFrom('deliveries')
    .where('sequence', 'in', (is) =>
      is.selectFrom('deliveries').select('sequence').where('until', '<=', now).limit(BATCH_ROWS),
    )
    .returning('sequence')
    .execute()
  return rows.length
}

/** One job at a time, because a job has up to a thousand runs. */
async function pruneReruns(db: Transaction<HistoryTables>, cutoff: number): Promise<number> {
  const removed = await db
    .deleteFrom('rerun_jobs')
    .where('sequence', 'in', (is) =>
      is
        .selectFrom('rerun_jobs')
        .select('sequence')
        .where('requested_at', '<', cutoff)
        .where('is_open', '=', 0)
        .orderBy('sequence')
        .limit(1),
    )
    .returning('id')
    .execute()
  return removed.length
}

/** The totals of the history; they fall while rows are chosen for a batch. */
type Kept = { executions: number; bytes: number }

async function pruneRecords(
  db: Transaction<HistoryTables>,
  retention: Retention,
  cutoff: number,
): Promise<number> {
  const kept: Kept = await db.selectFrom('kept').select(['executions', 'bytes']).executeTakeFirstOrThrow()
  const before = { ...kept }
  const executions = await chooseExecutions(db, retention, cutoff, kept)
  // Notepads without a run are cheap to find only after all runs over the limits are gone.
  const orphans = executions.length === 0 ? await chooseOrphans(db, retention, cutoff, kept) : []
  if (executions.length + orphans.length === 0) return 0
  const notepads = await db
    .deleteFrom('notepads')
    .where((is) =>
      is.or([
        is(
          'execution_id',
          'in',
          executions.map(({ id }) => id),
        ),
        is(
          'sequence',
          'in',
          orphans.map(({ sequence }) => sequence),
        ),
      ]),
    )
    .returning('sequence')
    .execute()
  // The foreign key removes their details too.
  await db
    .deleteFrom('executions')
    .where(
      'sequence',
      'in',
      executions.map(({ sequence }) => sequence),
    )
    .execute()
  await db
    .updateTable('kept')
    .set((is) => ({
      executions: is('executions', '-', before.executions - kept.executions),
      bytes: is('bytes', '-', before.bytes - kept.bytes),
    }))
    .execute()
  return executions.length + notepads.length
}

async function chooseExecutions(
  db: Transaction<HistoryTables>,
  retention: Retention,
  cutoff: number,
  kept: Kept,
) {
  const oldest = await db
    .selectFrom('executions')
    .select(['sequence', 'id', 'started_at', 'bytes'])
    .select((is) =>
      is
        .selectFrom('notepads')
        .whereRef('execution_id', '=', 'executions.id')
        .select(({ fn, lit }) => fn.coalesce(fn.sum<number>('notepads.bytes'), lit(0)).as('sum'))
        .as('notepad_bytes'),
    )
    .orderBy('started_at')
    .orderBy('sequence')
    .limit(BATCH_ROWS)
    .execute()
  const least = kept.bytes - BATCH_BYTES
  const isOver = (startedAt: number) =>
    startedAt < cutoff || kept.executions > retention.count || kept.bytes > retention.bytes
  return oldest.filter(({ started_at, bytes, notepad_bytes }) => {
    if (kept.bytes <= least || !isOver(started_at)) return false
    kept.executions -= 1
    kept.bytes -= bytes + (notepad_bytes ?? 0)
    return true
  })
}

/** Chooses notepads whose run was never recorded: by age, and by bytes only when no runs are left to remove. */
async function chooseOrphans(
  db: Transaction<HistoryTables>,
  retention: Retention,
  cutoff: number,
  kept: Kept,
) {
  const oldest = await db
    .selectFrom('notepads')
    .select(['sequence', 'created_at', 'bytes'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom('executions').select('id').whereRef('executions.id', '=', 'notepads.execution_id')),
      ),
    )
    .$if(kept.executions > 0 || kept.bytes <= retention.bytes, (query) =>
      query.where('created_at', '<', cutoff),
    )
    .orderBy('created_at')
    .orderBy('sequence')
    .limit(BATCH_ROWS)
    .execute()
  return oldest.filter(({ created_at, bytes }) => {
    if (created_at >= cutoff && kept.bytes <= retention.bytes) return false
    kept.bytes -= bytes
    return true
  })
}
