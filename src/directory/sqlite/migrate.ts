/**
 * Brings the tables of a store up to date: all pending steps in one transaction. Refuses a store that a newer program has
 * changed, and a file with tables of another program; both stay as they are. A store that is up to date is only read.
 */
import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import { isNotWritable, migrationFailed, storeIsNewer } from '../problems.ts'

/** By name; names sort in the order in which the steps run. A published step never changes. */
export type Migrations = Readonly<Record<string, Migration>>

export async function migrate<Tables>(
  db: Kysely<Tables>,
  migrations: Migrations,
  path: string,
): Promise<void> {
  const names = Object.keys(migrations).sort()
  if (`${await appliedMigrations(db)}` === `${names}`) return
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error === undefined) return
  // A full disk or a missing right is not a fault of the store.
  if (isNotWritable(error)) throw error
  const unknown = (await appliedMigrations(db)).find((name) => !Object.hasOwn(migrations, name))
  // A step that this program does not know was made by a newer program.
  throw unknown === undefined ? migrationFailed(path, error) : storeIsNewer(path, unknown)
}

async function appliedMigrations<Tables>(db: Kysely<Tables>): Promise<readonly string[]> {
  const applied = await sql<{ name: string }>`select name from kysely_migration order by name`
    .execute(db)
    .then(({ rows }) => rows)
    .catch(() => [])
  return applied.map(({ name }) => name)
}
