/**
 * Opens the control store, a file of SQLite that threads and processes share. Creates the file unless told not to, and brings
 * its tables up to date. Refuses a folder that cannot be written, a file that is not a control store, and a store that a newer
 * version has changed.
 */
import type { ControlTables } from '../control-tables.ts'
import type { ControlDatabase, Freshness, OnWriting, Upgrade } from '../database.ts'
import { controlMigrations } from '../migrations/control-migrations.ts'
import { migrate } from '../migrations/migrate.ts'
import { openDataVersion } from './data-version.ts'
import { sqliteExpressions } from './expressions.ts'
import { fileToMigrate } from './kept-copy.ts'
import type { DialectOptions } from './node-sqlite-dialect.ts'
import { type OpenQueries, openQueries } from './open-queries.ts'
import type { Connection } from './open-sqlite.ts'
import { type LatestReads, rememberState } from './remembered-state.ts'
import { openScratchDatabase } from './scratch-database.ts'
import { connect, prepareFile, storeProblem } from './sqlite-file.ts'
import { watchWrites } from './write-watch.ts'

export type ControlDatabaseOptions = {
  readonly create: boolean
  readonly freshness: Freshness
  readonly onWriting?: OnWriting | undefined
  readonly upgrade?: Upgrade | undefined
}

/** How long a relaxed write waits for other writers before it is put off. */
const RELAXED_PATIENCE_MS = 5000

/** SQLite itself must not wait for a lock, which would block the thread: `whenFree` waits and tries again. */
const TIMEOUT_MS = 0

export async function openControlDatabase(
  path: string,
  { create, freshness, onWriting, upgrade }: ControlDatabaseOptions,
): Promise<ControlDatabase> {
  prepareFile(path, { create })
  const watch = watchWrites(onWriting)
  const opened: OpenQueries<ControlTables>[] = []
  const close = async () => {
    for (const each of opened.toReversed()) await each.close()
  }
  const open = async (durability: 'full' | 'normal', options?: DialectOptions) => {
    const connection = await connect(path, { durability, lockTimeoutMs: TIMEOUT_MS })
    const queries = openQueries<ControlTables>(connection, path, options)
    opened.push(queries)
    return { ...queries, connection }
  }
  try {
    const { connection, queries, runEach } = await open('full', { watch })
    watch.opened(connection, path)
    await migrate(queries, controlMigrations, fileToMigrate(path, upgrade))
    const relaxed = await open('normal', { watch, patienceMs: RELAXED_PATIENCE_MS })
    // A separate connection, because a connection does not report its own changes as a new version.
    const reader = await open('normal')
    return {
      queries,
      runEach,
      expressions: sqliteExpressions,
      relaxed,
      latest: rememberState(latestReads(reader, path, freshness)),
      scratch: openScratchDatabase,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function latestReads(
  { connection, queries, prepare }: OpenQueries<ControlTables> & { readonly connection: Connection },
  path: string,
  freshness: Freshness,
): LatestReads {
  const versionNow = openDataVersion(connection, freshness)
  return {
    version: () => {
      try {
        return versionNow()
      } catch (error) {
        throw storeProblem(path, error)
      }
    },
    queries,
    prepare,
  }
}
