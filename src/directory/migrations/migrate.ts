/**
 * Brings the tables of a store up to date: all pending steps in one transaction, in a new store, and in an older one only for
 * whoever asks for it. Refuses a store that a newer program has changed, and a file with tables of another program; both stay
 * as they are. A store that is up to date is only read.
 */
import { type Kysely, type Migration, Migrator, type MigratorProps, sql } from 'kysely'
import type { Upgrade } from '../database.ts'
import { migrationFailed, storeIsNewer, storeIsOlder } from '../problems.ts'

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
  /** Without it, an older store is refused and stays as it is. */
  readonly upgrade?: Upgrade | undefined
  /** Copies a store of this step before it is changed. @returns where the copy is; null when another program was faster */
  readonly keepCopy?: (step: string) => Promise<string | null>
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
  const { name, isPassing, keptIn, upgrade, keepCopy } = store
  const before = (await refuseOtherVersion(db, migrations, store)) ?? null
  const copy = before === null || keepCopy === undefined ? null : await keepCopy(before)
  const provider = { getMigrations: async () => migrations }
  const { error } = await new Migrator({ db, provider, ...keptIn }).migrateToLatest()
  if (error === undefined) {
    if (before !== null) upgrade?.onUpgraded({ store: name, before, copy })
    return
  }
  if (isPassing(error)) throw error
  throw migrationFailed(name, error)
}

/**
 * @returns the last step of an older store that may be brought up to date; undefined for a new one
 * @throws Problem DIR103 for a newer store, DIR853 for an older one without `upgrade`
 */
export async function refuseOtherVersion<Tables>(
  db: Kysely<Tables>,
  migrations: Migrations,
  store: MigratedStore,
): Promise<string | undefined> {
  const applied = await appliedMigrations(db, store)
  const unknown = applied.find((step) => !Object.hasOwn(migrations, step))
  if (unknown !== undefined) throw storeIsNewer(store.name, unknown)
  const last = applied.at(-1)
  const isBehind = last !== undefined && applied.length < Object.keys(migrations).length
  if (isBehind && store.upgrade === undefined) throw storeIsOlder(store.name, last)
  return last
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
