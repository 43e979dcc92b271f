/**
 * One refresh at a time per data folder. The lock is the operating system's, held through an SQLite file: it ends with the
 * process that holds it, however that process ends, so there is no stale lock to recognise and no process id to mistake.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { alreadyRunning } from './problems.ts'

/** @throws Problem ING121 while another refresh holds the lock, in this process or another one */
export function lockRefresh(dataFolder: string): { readonly release: () => void } {
  const file = new DatabaseSync(join(dataFolder, 'refresh.lock'), { timeout: 0 })
  try {
    // Readers may still look while the second transaction is open: that is how the one that is refused learns the pid.
    file.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${process.pid}; COMMIT; BEGIN IMMEDIATE`)
  } catch (error) {
    const holder = holderOf(file)
    file.close()
    throw isBusy(error) ? alreadyRunning(dataFolder, holder) : error
  }
  return { release: () => file.close() }
}

function holderOf(file: DatabaseSync): number | undefined {
  try {
    return Number(file.prepare('PRAGMA user_version').get()?.user_version)
  } catch {
    // The holder is just writing its pid.
    return undefined
  }
}

const SQLITE_BUSY = 5

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
