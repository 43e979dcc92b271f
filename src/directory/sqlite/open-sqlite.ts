/**
 * Opens files of SQLite to write or, when they cannot be written, only to read. Even reading a file with a write-ahead log
 * needs two more files beside it; where these cannot be created, the file is read as it is.
 */
import { chmodSync, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

export type Statement = {
  readonly all: (...values: SQLInputValue[]) => Record<string, SQLOutputValue>[]
  readonly get: (...values: SQLInputValue[]) => Record<string, SQLOutputValue> | undefined
  readonly run: (...values: SQLInputValue[]) => { readonly changes: number | bigint }
  readonly columns: () => readonly object[]
}

/** The part of a connection that the stores use; `StandInDatabase` provides it too. */
export type Connection = Pick<DatabaseSync, 'close' | 'exec' | 'isOpen' | 'isTransaction'> & {
  readonly prepare: (sql: string) => Statement
}

export type ConnectOptions = {
  /**
   * With `full`, a commit returns when the disk has it; `normal` leaves that to a later checkpoint, for facts that a power cut
   * may lose.
   */
  readonly durability: 'full' | 'normal'
  /** How long a lock may block the thread. */
  readonly lockTimeoutMs: number
  /** How many pages of the log start a checkpoint, which copies them into the file; by default SQLite's own number. */
  readonly checkpointPages?: number
}

/** @throws the error of SQLite when the file cannot be written: because of a lock, the rights or the disk */
export function openToWrite(
  path: string,
  { durability, lockTimeoutMs, checkpointPages }: ConnectOptions,
): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: lockTimeoutMs, enableForeignKeyConstraints: true })
  try {
    database.exec(`pragma journal_mode = wal; pragma synchronous = ${durability}; pragma fullfsync = on`)
    if (checkpointPages !== undefined) database.exec(`pragma wal_autocheckpoint = ${checkpointPages}`)
    proveWritable(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** SQLite opens a file that it may not write without an error, and even begins a transaction. Nothing reaches the disk here. */
function proveWritable(database: DatabaseSync): void {
  const version = Number(database.prepare('pragma user_version').get()?.user_version)
  try {
    database.exec(`begin immediate; pragma user_version = ${version}`)
  } catch (error) {
    // Another connection is writing, so the file can be written.
    if (primaryCode(error) !== BUSY) throw error
  } finally {
    if (database.isTransaction) database.exec('rollback')
  }
}

/**
 * Reads what is committed and writes nothing into the folder of the file. Later commits of other connections may stay unseen:
 * compare {@link fingerprintOf} now and then.
 *
 * @throws the error of SQLite when the file cannot be read either
 */
export function openToRead(path: string): DatabaseSync {
  const before = fingerprintOf(path)
  const database = sharedWithOthers(path) ?? (hasLog(path) ? openWithLog(path) : openAsItIs(path))
  if (fingerprintOf(path) === before) return database
  // Another connection has written in between: the next attempt reads the new state.
  database.close()
  return openToRead(path)
}

/** Opens a file whose log and index exist, which SQLite reads without writing. Null when they do not. */
function sharedWithOthers(path: string): DatabaseSync | null {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    database.prepare('select count(*) from sqlite_schema').get()
    return database
  } catch (error) {
    database.close()
    // READONLY is the error in a folder in which the log cannot be created.
    if ([CANTOPEN, IOERR, READONLY].includes(primaryCode(error) ?? 0)) return null
    throw error
  }
}

/** Correct while nothing writes and no log exists: then everything committed is in the file. Changes in a log are not seen. */
export function openAsItIs(path: string): DatabaseSync {
  const database = new DatabaseSync(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true })
  try {
    database.prepare('select count(*) from sqlite_schema').get()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** A crash has left changes in the log, such as the removal of a key: they must be read too. */
function openWithLog(path: string): DatabaseSync {
  try {
    return inMemory(readAlone(path))
  } catch (error) {
    if (primaryCode(error) === BUSY) throw error
    return openCopy(path)
  }
}

/** Exclusive mode keeps the index of the log in memory. Needs no room on the disk, but the right to write. */
function readAlone(path: string): Uint8Array {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('pragma locking_mode = exclusive')
    return database.serialize()
  } finally {
    database.close()
  }
}

/** The header bytes that announce a log: https://sqlite.org/fileformat2.html#file_format_version_numbers */
const FORMAT_VERSIONS = [18, 19]

function inMemory(content: Uint8Array): DatabaseSync {
  for (const at of FORMAT_VERSIONS) content[at] = 1
  const database = new DatabaseSync(':memory:')
  database.deserialize(content)
  database.exec('pragma query_only = on')
  return database
}

/** Needs room in another folder, but no right to write in this one. */
function openCopy(path: string): DatabaseSync {
  const folder = mkdtempSync(join(placeForCopies(), 'tripfolio-store-'))
  try {
    const copy = join(folder, 'copy.db')
    for (const companion of ['', '-wal']) {
      copyFileSync(path + companion, copy + companion)
      // The copy has the rights of the original, which may forbid writing.
      chmodSync(copy + companion, 0o600)
    }
    const database = new DatabaseSync(copy)
    try {
      database.exec('pragma journal_mode = delete; pragma query_only = on')
      return database
    } catch (error) {
      database.close()
      throw error
    }
  } finally {
    // An open file stays usable after its removal.
    rmSync(folder, { recursive: true })
  }
}

/** In memory where Linux offers that, because temporary files may lie on the same full disk. */
function placeForCopies(): string {
  return statSync('/dev/shm', { throwIfNoEntry: false })?.isDirectory() === true ? '/dev/shm' : tmpdir()
}

const hasLog = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

/** Changes as soon as a connection has written. */
export function fingerprintOf(path: string): string {
  const parts = ['', '-wal'].map((companion) => {
    const found = statSync(path + companion, { throwIfNoEntry: false, bigint: true })
    return found === undefined ? '-' : `${found.ino} ${found.size} ${found.mtimeNs}`
  })
  return parts.join(' ')
}

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
export const BUSY = 5
export const READONLY = 8
export const IOERR = 10
export const CORRUPT = 11
const FULL = 13
export const CANTOPEN = 14
export const NOTADB = 26

/** The low byte of an extended result code is the primary one. Undefined for other errors. */
export const primaryCode = (error: unknown): number | undefined => {
  const code = resultCode(error)
  return code === undefined ? undefined : code & 0xff
}

const resultCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined

/** Extended IOERR codes of failed reads, from damage in the file or on the disk: https://sqlite.org/rescode.html#ioerr_read */
const READ_FAILURES: ReadonlySet<number> = new Set([266, 522, 8202, 8458, 8714])

/** True when the disk is full or may not be written; the file itself is sound. */
export function isRefusalToWrite(error: unknown): boolean {
  const code = resultCode(error)
  if (code === undefined) return false
  const primary = code & 0xff
  return primary === READONLY || primary === FULL || (primary === IOERR && !READ_FAILURES.has(code))
}
