/**
 * Brings the tables of a store up to date: every pending step in one transaction. Refused: a store that a newer program
 * has changed, and a file whose tables are somebody else's; both stay as they are. A store that is up to date is only read.
 */
import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import { isForWantOfRoom, migrationFailed, storeIsNewer } from '../problems.ts'

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
  // Nothing is wrong with the store when there is no room to change it.
  if (isForWantOfRoom(error)) throw error
  const unknown = (await appliedMigrations(db)).find((name) => !Object.hasOwn(migrations, name))
  // A step in the store that this program does not have: a newer program was here.
  throw unknown === undefined ? migrationFailed(path, error) : storeIsNewer(path, unknown)
}

async function appliedMigrations<Tables>(db: Kysely<Tables>): Promise<readonly string[]> {
  const applied = await sql<{ name: string }>`select name from kysely_migration order by name`
    .execute(db)
    .then(({ rows }) => rows)
    .catch(() => [])
  return applied.map(({ name }) => name)
}
