/** Notes that scripts store with their runs: any JSON value. A note never changes and is removed with its run. */
import type { Kysely, Selectable } from 'kysely'
import type { Notepad } from '../../schema/execution-shapes.ts'
import { momentOf } from './execution-row.ts'
import type { History } from './history.ts'
import type { HistoryTables, NotepadRow } from './history-tables.ts'

/** The most notepads in a list, which are the newest: an endpoint may write many in a year. */
const MOST_LISTED = 1000

export const createNotepads = (db: Kysely<HistoryTables>): History['notepads'] => ({
  create: (notepad) => create(db, notepad),
  list: (filter) => list(db, filter),
  find: (id) => find(db, id),
  remove: (id) => remove(db, id),
})

function create(db: Kysely<HistoryTables>, notepad: Notepad): Promise<void> {
  const content = JSON.stringify(notepad.content ?? null)
  const bytes = Buffer.byteLength(content)
  return db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('notepads')
      .values({
        id: notepad.id,
        source_id: notepad.sourceId,
        execution_id: notepad.executionId,
        created_at: Date.parse(notepad.createdAt),
        created_by: notepad.createdBy,
        content,
        bytes,
      })
      .execute()
    await transaction
      .updateTable('kept')
      .set((is) => ({ bytes: is('bytes', '+', bytes) }))
      .execute()
  })
}

async function list(
  db: Kysely<HistoryTables>,
  { executionId, sourceId }: Parameters<History['notepads']['list']>[0],
): Promise<readonly Notepad[]> {
  let query = db.selectFrom('notepads').selectAll()
  if (executionId !== undefined) query = query.where('execution_id', '=', executionId)
  if (sourceId !== undefined) query = query.where('source_id', '=', sourceId)
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('sequence', 'desc')
    .limit(MOST_LISTED)
    .execute()
  return rows.map(notepadOf).reverse()
}

async function find(db: Kysely<HistoryTables>, id: string): Promise<Notepad | null> {
  const row = await db.selectFrom('notepads').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : notepadOf(row)
}

function remove(db: Kysely<HistoryTables>, id: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const removed = await transaction
      .deleteFrom('notepads')
      .where('id', '=', id)
      .returning('bytes')
      .executeTakeFirst()
    if (removed === undefined) return false
    await transaction
      .updateTable('kept')
      .set((is) => ({ bytes: is('bytes', '-', removed.bytes) }))
      .execute()
    return true
  })
}

const notepadOf = (row: Selectable<NotepadRow>): Notepad => ({
  id: row.id,
  sourceId: row.source_id,
  executionId: row.execution_id,
  createdAt: momentOf(row.created_at),
  createdBy: row.created_by,
  content: JSON.parse(row.content),
})
