/**
 * The history of runs as a file of SQLite beside the control store, which threads and processes share. Opening brings its
 * tables up to date and refuses what the control store refuses of its file.
 *
 * Commits do not wait for the disk. A crash of the process loses nothing; a power cut loses the runs of the last moments,
 * which are records and no promises, and the deliveries of the same moments, which their senders then repeat: a webhook
 * may come twice anyway. What a run has changed for good lies in the control store, which does wait.
 */
import { DatabaseSync } from 'node:sqlite'
import type { HistoryDatabase, OnWriting } from '../database.ts'
import type { HistoryTables } from '../history/history-tables.ts'
import { isForWantOfRoom } from '../problems.ts'
import { sqliteExpressions } from './expressions.ts'
import { historyMigrations } from './history-migrations.ts'
import { migrate } from './migrate.ts'
import { openQueries } from './open-queries.ts'
import { type Connection, openAsItIs } from './open-sqlite.ts'
import { connect, prepareFile } from './sqlite-file.ts'
import { type WriteWatch, watchWrites } from './write-watch.ts'

/**
 * The history is no reason not to answer anybody: where it cannot be written it is only read, and where it cannot even be
 * made an empty one stands in for it until the next start.
 */
export async function openHistoryDatabase(
  path: string,
  { onWriting }: { readonly onWriting?: OnWriting | undefined } = {},
): Promise<HistoryDatabase> {
  const watch = watchWrites(onWriting)
  try {
    prepareFile(path, { create: true, setUp: SET_UP })
    const connection = await connect(path, OPTIONS, openAsItIs)
    watch.opened(connection, path)
    return await historyOn(connection, path, watch)
  } catch (error) {
    if (!isForWantOfRoom(error)) throw error
    const connection = new DatabaseSync(':memory:')
    const history = await historyOn(connection, path, watch)
    connection.exec('pragma query_only = on')
    watch.failed(error)
    return history
  }
}

async function historyOn(connection: Connection, path: string, watch: WriteWatch): Promise<HistoryDatabase> {
  const { queries, runEach, close } = openQueries<HistoryTables>(connection, path, { watch })
  try {
    await migrate(queries, historyMigrations, path)
  } catch (error) {
    await close()
    throw error
  }
  const reclaimSpace = async () => reclaimPages(connection)
  return { queries, runEach, expressions: sqliteExpressions, reclaimSpace, close }
}

/**
 * Lets pages be given back to the disk. The mode of the file is decided with its first page:
 * https://sqlite.org/pragma.html#pragma_auto_vacuum. A file that has pages stays as it is.
 */
const SET_UP = 'pragma auto_vacuum = incremental'

/** Pages that many runs share are copied into the file less often: half the cost of a record, for 16 MiB of log. */
const OPTIONS = { durability: 'normal', timeout: 0, checkpointPages: 4000 } as const

/** Pages of 4 KiB: free ones that stay for the next runs to fill, and how many are given back at once. */
const RESERVE_PAGES = 2560
const RETURNED_PAGES = 500

/** Past the query builder, whose driver takes one step of a statement that answers no rows; this one has a step for each page. */
function reclaimPages(connection: Connection): number {
  const free = Number(connection.prepare('pragma freelist_count').get()?.freelist_count)
  const pages = Math.min(free - RESERVE_PAGES, RETURNED_PAGES)
  if (pages <= 0) return 0
  connection.exec(`pragma incremental_vacuum(${pages})`)
  return pages
}
