/**
 * The small mutable part of the service, in one SQLite file that every thread and process opens for itself. Opening
 * brings the tables up to date. Refused: a folder that cannot be written, a file that is no control store, and a store
 * that a newer version has changed.
 */
import { join } from 'node:path'
import { Kysely } from 'kysely'
import { type Accounts, createAccounts } from './accounts.ts'
import type { ControlDatabase } from './control-database.ts'
import { type Freshness, type KeyLookup, openKeyLookup } from './key-lookup.ts'
import { migrateToLatest } from './migrations.ts'
import { nodeSqliteDialect } from './node-sqlite-dialect.ts'
import { connect, prepareFile } from './sqlite-file.ts'

export type ControlStore = {
  readonly accounts: Accounts & Omit<KeyLookup, 'close'>
  /** Writes what is still only noted, and lets go of the file. */
  readonly close: () => Promise<void>
}

/** Where the control store of a data folder lies. */
export const controlStorePath = (dataFolder: string): string => join(dataFolder, 'control.db')

type OpenOptions = {
  /** `false` refuses a store that is not there yet, for commands that only make sense on an existing one. */
  readonly create?: boolean
  /** Of lookups. */
  readonly freshness?: Freshness
}

export async function openControlStore(
  path: string,
  { create = true, freshness = 'call' }: OpenOptions = {},
): Promise<ControlStore> {
  prepareFile(path, { create })
  const db = await openDatabase(path)
  try {
    await migrateToLatest(db, path)
    const { close, ...lookups } = await openKeyLookup(path, db, freshness)
    return {
      accounts: { ...createAccounts(db), ...lookups },
      close: async () => {
        close()
        await db.destroy()
      },
    }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** A writer that finds the file locked lets its thread go on and tries again: hence no time-out of SQLite's own. */
async function openDatabase(path: string): Promise<Kysely<ControlDatabase>> {
  const database = await connect(path, { durability: 'full', timeout: 0 })
  return new Kysely<ControlDatabase>({ dialect: nodeSqliteDialect(database, path) })
}
