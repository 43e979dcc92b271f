/**
 * A lock of the operating system, held through a file of SQLite: it ends with the process that holds it, however that process
 * ends. The file holds nothing of value: one that is damaged is emptied and used.
 */
import { truncateSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { BUSY, CORRUPT, NOTADB, primaryCode, READONLY } from './open-sqlite.ts'

export type FileLock = { readonly release: () => void }

/** Somebody else holds it; with the id of their process when they tell it and can be asked. */
export type HeldLock = { readonly holder: number | undefined }

type Options = {
  /** Writes the id of this process into the file, for those who find it locked. */
  readonly tellHolder?: boolean
}

/** @throws the error of SQLite, or of the file system, when the file cannot be used */
export function lockFile(path: string, { tellHolder = false }: Options = {}): FileLock | HeldLock {
  const attempt = () => tryLock(path, tellHolder ? TELL_HOLDER : 'begin exclusive')
  try {
    return attempt()
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  // In its place, not by a new file: locks belong to the file itself, so that one who holds it despite the damage keeps it.
  truncateSync(path)
  return attempt()
}

/** Readers may still look while the second transaction is open: that is how the one that is refused learns the id. */
const TELL_HOLDER = `begin immediate; pragma user_version = ${process.pid}; commit; begin immediate`

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

/** Undefined while the holder is writing its id, and when the file was emptied since. */
function holderOf(file: DatabaseSync): number | undefined {
  try {
    return Number(file.prepare('pragma user_version').get()?.user_version) || undefined
  } catch {
    return undefined
  }
}

/** A wrong byte in the header may also claim that the file is of a version that can only be read. */
const DAMAGES: readonly (number | undefined)[] = [READONLY, CORRUPT, NOTADB]

const isDamage = (error: unknown): boolean => DAMAGES.includes(primaryCode(error))

/** Whether SQLite or the file system refuses the file, and not a defect of ours. */
export const isRefusedFile = (error: unknown): boolean =>
  primaryCode(error) !== undefined || (error instanceof Error && 'syscall' in error)
