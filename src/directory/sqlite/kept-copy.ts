/**
 * Keeps the file of a store as it was before its tables are brought up to date, beside the file and under the name of its last
 * step: whoever goes back to an older version puts it back. It stays until the next one of the same store is made.
 */
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { storageFault } from '../../kernel/files/storage-fault.ts'
import { syncFolder } from '../../kernel/files/sync-folder.ts'
import type { Upgrade } from '../database.ts'
import type { MigratedStore } from '../migrations/migrate.ts'
import { isNotWritable, storeNotMade } from '../problems.ts'
import { copyDatabase } from './copy-database.ts'

export const fileToMigrate = (path: string, upgrade: Upgrade | undefined): MigratedStore => ({
  name: path,
  isPassing: isNotWritable,
  upgrade,
  keepCopy: (step) => keepCopy(path, step),
})

const MARK = '.before-upgrade-from-'

/** @throws Problem DIR108 or DIR109 when there is no room for it: then nothing may be changed */
async function keepCopy(path: string, step: string): Promise<string | null> {
  const kept = `${path}${MARK}${step}`
  const draft = `${kept}.${process.pid}.${crypto.randomUUID()}`
  try {
    await copyDatabase(path, draft)
    // Another program may have brought the store up to date since it was looked at.
    if (lastStep(draft) !== step) return null
    removeOlder(path)
    renameSync(draft, kept)
    syncFolder(dirname(path))
    return kept
  } catch (error) {
    const fault = storageFault(error)
    throw fault === undefined ? error : storeNotMade(kept, fault, error)
  } finally {
    rmSync(draft, { force: true })
  }
}

function lastStep(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database.prepare('select max(name) as step from kysely_migration').get()?.step
  } finally {
    database.close()
  }
}

/** Only whole copies: a draft, and the journal beside it, belongs to a program that may still write it. */
function removeOlder(path: string): void {
  const folder = dirname(path)
  const beginning = `${basename(path)}${MARK}`
  for (const name of readdirSync(folder)) {
    if (name.startsWith(beginning) && !/\.\d+\.[\da-f-]{36}/.test(name)) rmSync(join(folder, name))
  }
}
