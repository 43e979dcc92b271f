/**
 * One refresh at a time per data folder. The lock is the operating system's, held through an SQLite file: it ends with the
 * process that holds it, however that process ends, so there is no stale lock to recognise and no process id to mistake.
 * What the file holds is only told to people: a file that is damaged is emptied and used.
 */
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { alreadyRunning, lockUnusable } from '../problems.ts'

export const lockPath = (dataFolder: string): string => join(dataFolder, 'refresh.lock')

type RefreshLock = { readonly release: () => void }

/**
 * @throws Problem ING121 while another refresh holds the lock, in this process or another one
 * @throws Problem ING124 when the file cannot be used at all
 */
export function lockRefresh(dataFolder: string): RefreshLock {
  const path = lockPath(dataFolder)
  try {
    return lockFile(path, dataFolder)
  } catch (error) {
    if (!isDamage(error)) throw isSqlite(error) ? lockUnusable(path, error) : error
  }
  try {
    // In its place, not by a new file: locks belong to the file itself, so that one who holds it despite the damage keeps it.
    truncateSync(path)
    return lockFile(path, dataFolder)
  } catch (error) {
    throw isSqlite(error) || isSystemError(error) ? lockUnusable(path, error) : error
  }
}

function lockFile(path: string, dataFolder: string): RefreshLock {
  const file = new DatabaseSync(path, { timeout: 0 })
  try {
    // Readers may still look while the second transaction is open: that is how the one that is refused learns the pid.
    file.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${process.pid}; COMMIT; BEGIN IMMEDIATE`)
  } catch (error) {
    const holder = holderOf(file)
    file.close()
    throw resultOf(error) === SQLITE.BUSY ? alreadyRunning(dataFolder, holder) : error
  }
  return { release: () => file.close() }
}

/** Undefined while the holder is writing its pid, and when the file was emptied since. */
function holderOf(file: DatabaseSync): number | undefined {
  try {
    return Number(file.prepare('PRAGMA user_version').get()?.user_version) || undefined
  } catch {
    return undefined
  }
}

const SQLITE = { BUSY: 5, READONLY: 8, CORRUPT: 11, NOTADB: 26 } as const

/** A wrong byte in the header may also claim that the file is of a version that can only be read. */
const damages: readonly (number | undefined)[] = [SQLITE.READONLY, SQLITE.CORRUPT, SQLITE.NOTADB]

const isDamage = (error: unknown): boolean => damages.includes(resultOf(error))
const isSqlite = (error: unknown): boolean => resultOf(error) !== undefined
const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error

/** Without what extended codes add in their higher bits. */
const resultOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
