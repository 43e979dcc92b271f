/**
 * Opens the history of runs, a file of SQLite beside the control store that threads and processes share. Brings its tables up
 * to date and refuses the same files as the control store.
 *
 * Commits do not wait for the disk. A crash of the process loses nothing. A power cut loses the runs of the last moments,
 * which are only records, and the deliveries of these moments, which their senders then repeat: a webhook may arrive twice
 * anyway. Lasting changes that a run makes lie in the control store, whose commits do wait.
 */
import { DatabaseSync } from 'node:sqlite'
import type { HistoryDatabase, OnWriting, Upgrade } from '../database.ts'
import type { HistoryTables } from '../history/history-tables.ts'
import { historyMigrations } from '../migrations/history-migrations.ts'
import { migrate } from '../migrations/migrate.ts'
import { isNotWritable } from '../problems.ts'
import { sqliteExpressions } from './expressions.ts'
import { fileToMigrate } from './kept-copy.ts'
import { openQueries } from './open-queries.ts'
import { type Connection, openAsItIs } from './open-sqlite.ts'
import { connect, prepareFile } from './sqlite-file.ts'
import { type WriteWatch, watchWrites } from './write-watch.ts'

/**
 * The service works without a writable history: one that cannot be written is only read, and an empty one in memory replaces
 * one that cannot be created, until the next start.
 */
export async function openHistoryDatabase(
  path: string,
  {
    onWriting,
    upgrade,
  }: { readonly onWriting?: OnWriting | undefined; readonly upgrade?: Upgrade | undefined } = {},
): Promise<HistoryDatabase> {
  const watch = watchWrites(onWriting)
  try {
    prepareFile(path, { create: true, setUp: SET_UP })
    const connection = await connect(path, OPTIONS, openAsItIs)
    watch.opened(connection, path)
    return await historyOn(connection, path, watch, upgrade)
  } catch (error) {
    if (!isNotWritable(error)) throw error
    const connection = new DatabaseSync(':memory:')
    const history = await historyOn(connection, path, watch)
    connection.exec('pragma query_only = on')
    watch.failed(error)
    return history
  }
}

async function historyOn(
  connection: Connection,
  path: string,
  watch: WriteWatch,
  upgrade?: Upgrade,
): Promise<HistoryDatabase> {
  const { queries, runEach, close } = openQueries<HistoryTables>(connection, path, { watch })
  try {
    await migrate(queries, historyMigrations, fileToMigrate(path, upgrade))
  } catch (error) {
    await close()
    throw error
  }
  const reclaimSpace = async () => reclaimPages(connection)
  return { queries, runEach, expressions: sqliteExpressions, reclaimSpace, close }
}

/**
 * Allows free pages to be returned to the disk. The mode is fixed when the file gets its first page
 * (https://sqlite.org/pragma.html#pragma_auto_vacuum); a file that has pages stays as it is.
 */
const SET_UP = 'pragma auto_vacuum = incremental'

/** Rare checkpoints copy pages that many runs share less often: half the cost of a record, for 16 MiB of log. */
const OPTIONS = { durability: 'normal', lockTimeoutMs: 0, checkpointPages: 4000 } as const

/** In pages of 4 KiB: how many free ones stay for the next runs, and how many are returned to the disk at once. */
const RESERVE_PAGES = 2560
const RETURNED_PAGES = 500

/** Bypasses the query builder: its driver takes one step of a statement without rows, but this one takes a step for each page. */
function reclaimPages(connection: Connection): number {
  const free = Number(connection.prepare('pragma freelist_count').get()?.freelist_count)
  const pages = Math.min(free - RESERVE_PAGES, RETURNED_PAGES)
  if (pages <= 0) return 0
  connection.exec(`pragma incremental_vacuum(${pages})`)
  return pages
}
