/**
 * A lock of the operating system, held through a file of SQLite: it ends when its process ends, even by a crash. The file
 * holds nothing of value: a damaged one is emptied and used.
 */
import { truncateSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { BUSY, CORRUPT, NOTADB, primaryCode, READONLY } from './open-sqlite.ts'

export type FileLock = { readonly release: () => void }

/** Another process holds the lock; `holder` is its process id when it wrote one that can be read. */
export type HeldLock = { readonly holder: number | undefined }

type Options = {
  /** Writes the id of this process into the file, for processes that find it locked. */
  readonly tellHolder?: boolean
  /** Lets others hold the lock in the same way; only a lock that is not shared keeps it out, and is kept out by it. */
  readonly shared?: boolean
}

/** @throws the error of SQLite, or of the file system, when the file cannot be used */
export function lockFile(
  path: string,
  { tellHolder = false, shared = false }: Options = {},
): FileLock | HeldLock {
  const begin = shared ? SHARED : 'begin exclusive'
  const attempt = () => tryLock(path, tellHolder ? TELL_HOLDER : begin)
  try {
    return attempt()
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  // Empties the file instead of replacing it: locks belong to the file itself, so a process that holds one keeps it.
  truncateSync(path)
  return attempt()
}

/** The second transaction leaves the file readable, so that a refused process can read the id. */
const TELL_HOLDER = `begin immediate; pragma user_version = ${process.pid}; commit; begin immediate`

/** A transaction that has read something; it also locks an empty file. */
const SHARED = 'begin; select count(*) from sqlite_schema'

function tryLock(path: string, begin: string): FileLock | HeldLock {
  const file = new DatabaseSync(path, { timeout: 0 })
  try {
    file.exec(begin)
  } catch (error) {
    const holder = holderOf(file)
    file.close()
    if (primaryCode(error) === BUSY) return { holder }
    throw error
  }
  return { release: () => file.close() }
}

/** Undefined while the holder is writing its id, and when the file has been emptied since. */
function holderOf(file: DatabaseSync): number | undefined {
  try {
    return Number(file.prepare('pragma user_version').get()?.user_version) || undefined
  } catch {
    return undefined
  }
}

/** READONLY, because a damaged header may claim a format version that can only be read. */
const DAMAGES: readonly (number | undefined)[] = [READONLY, CORRUPT, NOTADB]

const isDamage = (error: unknown): boolean => DAMAGES.includes(primaryCode(error))

/** True when SQLite or the file system refuses the file, false for a defect in our code. */
export const isRefusedFile = (error: unknown): boolean =>
  primaryCode(error) !== undefined || (error instanceof Error && 'syscall' in error)
