/**
 * Brings the tables of a store up to date: all pending steps in one transaction. Refuses a store that a newer program has
 * changed, and a file with tables of another program; both stay as they are. A store that is up to date is only read.
 */
import { type Kysely, type Migration, Migrator, type MigratorProps, sql } from 'kysely'
import { migrationFailed, storeIsNewer } from '../problems.ts'

/** By name; names sort in the order in which the steps run. A published step never changes. */
export type Migrations = Readonly<Record<string, Migration>>

export type MigratedStore = {
  /** As messages name it: the path of a file, or server and database. */
  readonly name: string
  /** True for an error that says nothing about the tables: a full disk, a missing right, a server that is away. */
  readonly isPassing: (error: unknown) => boolean
  /** The table that keeps which steps were run, unless it is Kysely's default. */
  readonly keptIn?: Pick<
    MigratorProps,
    'migrationTableName' | 'migrationLockTableName' | 'migrationTableSchema'
  >
}

/** Changes nothing. */
export async function isUpToDate<Tables>(
  db: Kysely<Tables>,
  migrations: Migrations,
  store: MigratedStore,
): Promise<boolean> {
  return `${await appliedMigrations(db, store)}` === `${Object.keys(migrations).sort()}`
}

export async function migrate<Tables>(
  db: Kysely<Tables>,
  migrations: Migrations,
  store: MigratedStore,
): Promise<void> {
  if (await isUpToDate(db, migrations, store)) return
  const { name, isPassing, keptIn } = store
  const provider = { getMigrations: async () => migrations }
  const { error } = await new Migrator({ db, provider, ...keptIn }).migrateToLatest()
  if (error === undefined) return
  if (isPassing(error)) throw error
  const unknown = (await appliedMigrations(db, store)).find((step) => !Object.hasOwn(migrations, step))
  // A step that this program does not know was made by a newer program.
  throw unknown === undefined ? migrationFailed(name, error) : storeIsNewer(name, unknown)
}

async function appliedMigrations<Tables>(
  db: Kysely<Tables>,
  { isPassing, keptIn }: MigratedStore,
): Promise<readonly string[]> {
  const table = keptIn?.migrationTableName ?? 'kysely_migration'
  const applied = await sql<{ name: string }>`select name from ${sql.table(table)} order by name`
    .execute(db)
    .then(({ rows }) => rows)
    .catch((error) => {
      if (isPassing(error)) throw error
      return []
    })
  return applied.map(({ name }) => name)
}
