/** Builds the tables of the stores in their schema and brings them up to date: by one node at a time, while the others wait. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, type Migration, sql } from 'kysely'
import { Problem } from '../../kernel/problem.ts'
import { type AdvisoryLock, lockHolder, tryAdvisoryLock } from '../../postgres/advisory-locks.ts'
import { showDatabase } from '../../postgres/database-url.ts'
import type { OnWaiting, Upgrade } from '../database.ts'
import { controlMigrations } from '../migrations/control-migrations.ts'
import { historyMigrations } from '../migrations/history-migrations.ts'
import {
  isUpToDate,
  type MigratedStore,
  type Migrations,
  migrate,
  refuseOtherVersion,
} from '../migrations/migrate.ts'
import { noControlStore } from '../problems.ts'
import { accountRevision, accountSealsInRevision } from './account-revision.ts'
import { columnTypes } from './column-types.ts'
import { openPostgresQueries } from './open-postgres-queries.ts'
import { openPoolForSteps, STORE_SCHEMA } from './store-pools.ts'
import { watchStore } from './store-watch.ts'

/** Rows have no numbers of their own here, as they have on SQLite. */
const numberTheTrail: Migration = {
  up: async (db: Kysely<unknown>) => {
    await controlMigrations['0001-accounts']?.up(db)
    await sql`alter table audit add column written bigint generated always as identity`.execute(db)
  },
}

const steps: { readonly [Part in StorePart]: Migrations } = {
  control: {
    ...controlMigrations,
    '0001-accounts': numberTheTrail,
    '0008-account-revision': accountRevision,
    '0017-account-seals': accountSealsInRevision,
  },
  history: historyMigrations,
}

export type StorePart = 'control' | 'history'

/** Both have their tables in one schema, and each keeps its own list of steps. */
const lists: { readonly [Part in StorePart]: string } = {
  control: 'kysely_migration',
  history: 'kysely_migration_history',
}

type MigrateOptions = {
  /** `false` refuses a database without these tables. */
  readonly create: boolean
  readonly onWaiting?: OnWaiting | undefined
  /** Without it, older tables are refused. */
  readonly upgrade?: Upgrade | undefined
}

const ASK_EVERY_MS = 200

/**
 * Waits for another node that is at it as long as that takes, and no longer than the server answers.
 *
 * @throws Problem DIR103 and DIR107 for tables of another program or a newer one, DIR853 for older ones, DIR106 for missing ones, PGS1xx
 */
export async function migrateStore<Tables>(
  queries: Kysely<Tables>,
  url: string,
  part: StorePart,
  { create, onWaiting, upgrade }: MigrateOptions,
): Promise<void> {
  const name = showDatabase(url)
  const list = lists[part]
  const keptIn = {
    migrationTableName: list,
    migrationLockTableName: `${list}_lock`,
    migrationTableSchema: STORE_SCHEMA,
  }
  const store = { name, isPassing, keptIn, upgrade }
  for (let isTold = false; !(await isUpToDate(queries, steps[part], store)); ) {
    if (!create && !(await hasTable(queries, list))) throw noControlStore(name)
    await refuseOtherVersion(queries, steps[part], store)
    const lock = await tryAdvisoryLock(url, 'store-tables')
    if (lock !== null) return runSteps(url, part, store, lock).finally(lock.release)
    if (!isTold) onWaiting?.(name, await lockHolder(url, 'store-tables'))
    isTold = true
    await sleep(ASK_EVERY_MS)
  }
}

/** The steps may take as long as they need, while the server answers on the connection of the lock. */
async function runSteps(
  url: string,
  part: StorePart,
  store: MigratedStore,
  { lost }: AdvisoryLock,
): Promise<void> {
  const pool = openPoolForSteps(url, lost)
  const watch = watchStore(pool)
  const { queries } = openPostgresQueries<unknown>(pool, { watch, lock: null })
  try {
    await queries.connection().execute(async (connection) => {
      await sql.raw(`create schema if not exists ${STORE_SCHEMA}`).execute(connection)
      await migrate(connection.withPlugin(columnTypes), steps[part], store)
    })
  } catch (problem) {
    throw lost.aborted ? lost.reason : problem
  } finally {
    watch.close()
    await pool.close()
  }
}

/** Whether the database has a control store, of any version. */
export const hasControlTables = <Tables>(queries: Kysely<Tables>): Promise<boolean> =>
  hasTable(queries, lists.control)

async function hasTable<Tables>(queries: Kysely<Tables>, table: string): Promise<boolean> {
  const asked = sql<{
    found: boolean
  }>`select to_regclass(${`${STORE_SCHEMA}.${table}`}) is not null as found`
  const { rows } = await asked.execute(queries)
  return rows[0]?.found === true
}

/** Not an answer of the server about a statement: that is a fault of the tables. */
const isPassing = (error: unknown): boolean =>
  error instanceof Problem && (error.kind === 'unavailable' || error.kind === 'settings')
