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
import { migrate } from '../migrate.ts'
import { nodeSqliteDialect } from '../node-sqlite-dialect.ts'
import { connect, prepareFile, whenFree } from '../sqlite-file.ts'
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

export async function openHistory(path: string): Promise<History> {
  prepareFile(path, { create: true })
  await returnFreedSpace(path)
  const database = await connect(path, { durability: 'normal', timeout: 0 })
  // Pages that many runs share are copied into the file less often: half the cost of a record, for 16 MiB of log.
  database.exec('pragma wal_autocheckpoint = 4000')
  const db = new Kysely<HistoryDatabase>({ dialect: nodeSqliteDialect(database, path) })
  try {
    await migrate(db, historyMigrations, path)
  } catch (error) {
    await db.destroy()
    throw error
  }
  return {
    record: openRecorder(db, database, path),
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
 * Lets pruning give pages back to the disk. The mode of the file is decided with its first page, which the change to a
 * write-ahead log writes: https://sqlite.org/pragma.html#pragma_auto_vacuum. A file that has pages stays as it is.
 */
const returnFreedSpace = (path: string): Promise<void> =>
  whenFree(path, () => {
    const database = new DatabaseSync(path, { timeout: 0 })
    try {
      database.exec('pragma auto_vacuum = incremental; pragma journal_mode = wal')
    } finally {
      database.close()
    }
  })
