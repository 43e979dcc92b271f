/** Builds the tables of the stores in their schema and brings them up to date: by one node at a time, while the others wait. */
import { type Kysely, type Migration, sql } from 'kysely'
import { Problem } from '../../kernel/problem.ts'
import { lockCall } from '../../postgres/advisory-locks.ts'
import { showDatabase } from '../../postgres/database-url.ts'
import { controlMigrations } from '../migrations/control-migrations.ts'
import { historyMigrations } from '../migrations/history-migrations.ts'
import { isUpToDate, type Migrations, migrate } from '../migrations/migrate.ts'
import { noControlStore } from '../problems.ts'
import { accountRevision } from './account-revision.ts'
import { columnTypes } from './column-types.ts'
import { STORE_SCHEMA } from './store-pools.ts'

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
  },
  history: historyMigrations,
}

export type StorePart = 'control' | 'history'

/** Both have their tables in one schema, and each keeps its own list of steps. */
const lists: { readonly [Part in StorePart]: string } = {
  control: 'kysely_migration',
  history: 'kysely_migration_history',
}

/**
 * @param create `false` refuses a database without these tables
 * @throws Problem DIR103 and DIR107 for tables of another program or a newer one, DIR106 for missing ones, PGS1xx
 */
export async function migrateStore<Tables>(
  queries: Kysely<Tables>,
  url: string,
  part: StorePart,
  { create }: { readonly create: boolean },
): Promise<void> {
  const name = showDatabase(url)
  const list = lists[part]
  const keptIn = {
    migrationTableName: list,
    migrationLockTableName: `${list}_lock`,
    migrationTableSchema: STORE_SCHEMA,
  }
  const store = { name, isPassing, keptIn }
  if (await isUpToDate(queries, steps[part], store)) return
  if (!create && !(await hasTable(queries, list))) throw noControlStore(name)
  await queries.connection().execute(async (connection) => {
    const run = (statement: string) => sql.raw(statement).execute(connection)
    // Another node may need long for its steps.
    await run('set statement_timeout = 0')
    await run(`select ${lockCall('pg_advisory_lock', 'store-tables')}`)
    try {
      await run(`create schema if not exists ${STORE_SCHEMA}`)
      await migrate(connection.withPlugin(columnTypes), steps[part], store)
    } finally {
      await run(`select ${lockCall('pg_advisory_unlock', 'store-tables')}`)
      await run('reset statement_timeout')
    }
  })
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
