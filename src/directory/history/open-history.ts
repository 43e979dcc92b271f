/**
 * Opens the history of a data folder: one SQLite file, private to its owner, that threads and processes share. Opening
 * brings its tables up to date and refuses what the control store refuses of its file.
 *
 * Commits do not wait for the disk. A crash of the process loses nothing; a power cut loses the runs of the last moments,
 * which are records and no promises, and the deliveries of the same moments, which their senders then repeat: a webhook
 * may come twice anyway. What a run has changed for good lies in the control store, which does wait.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { isForWantOfRoom } from '../problems.ts'
import { migrate } from '../sqlite/migrate.ts'
import { nodeSqliteDialect } from '../sqlite/node-sqlite-dialect.ts'
import { type Database, openAsItIs } from '../sqlite/open-sqlite.ts'
import { connect, prepareFile } from '../sqlite/sqlite-file.ts'
import { type OnWriting, type WriteWatch, watchWrites } from '../sqlite/write-watch.ts'
import { createDeliveries } from './deliveries.ts'
import { executionStatistics } from './execution-statistics.ts'
import { findExecution } from './find-execution.ts'
import type { History } from './history.ts'
import type { HistoryDatabase } from './history-database.ts'
import { historyMigrations } from './history-migrations.ts'
import { listExecutions } from './list-executions.ts'
import { createNotepads } from './notepads.ts'
import { pruneHistory } from './prune-history.ts'
import { openRecorder } from './record-executions.ts'

/** Where the history of a data folder lies. */
export const historyPath = (dataFolder: string): string => join(dataFolder, 'history.db')

type OpenOptions = {
  /** Told when it can no longer be written, and when it can again. */
  readonly onWriting?: OnWriting | undefined
}

/**
 * The history is no reason not to answer anybody: where it cannot be written it is only read, and where it cannot even be
 * made an empty one stands in for it until the next start.
 */
export async function openHistory(path: string, { onWriting }: OpenOptions = {}): Promise<History> {
  const watch = watchWrites(onWriting)
  try {
    prepareFile(path, { create: true, setUp: SET_UP })
    const database = await connect(path, OPTIONS, openAsItIs)
    watch.opened(database, path)
    return await historyIn(database, path, watch)
  } catch (error) {
    if (!isForWantOfRoom(error)) throw error
    const database = new DatabaseSync(':memory:')
    const history = await historyIn(database, path, watch)
    database.exec('pragma query_only = on')
    watch.failed(error)
    return history
  }
}

async function historyIn(database: Database, path: string, watch: WriteWatch): Promise<History> {
  const db = new Kysely<HistoryDatabase>({ dialect: nodeSqliteDialect(database, path, watch) })
  try {
    await migrate(db, historyMigrations, path)
  } catch (error) {
    await db.destroy()
    throw error
  }
  const record = openRecorder(db, database, path)
  return {
    record: async (executions) => {
      try {
        await record(executions)
      } catch (error) {
        watch.failed(error)
        throw error
      }
    },
    list: (filter, page) => listExecutions(db, filter, page),
    find: (id) => findExecution(db, id),
    statistics: (filter = {}) => executionStatistics(db, filter),
    prune: (retention, now) => pruneHistory(db, database, retention, now),
    notepads: createNotepads(db),
    deliveries: createDeliveries(db),
    close: () => db.destroy(),
  }
}

/**
 * Lets pruning give pages back to the disk. The mode of the file is decided with its first page:
 * https://sqlite.org/pragma.html#pragma_auto_vacuum. A file that has pages stays as it is.
 */
const SET_UP = 'pragma auto_vacuum = incremental'

/** Pages that many runs share are copied into the file less often: half the cost of a record, for 16 MiB of log. */
const OPTIONS = { durability: 'normal', timeout: 0, checkpointPages: 4000 } as const
