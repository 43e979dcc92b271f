/**
 * Opens files of SQLite, for writing or, where the disk does not let that happen, only to read them. A file with a
 * write-ahead log needs two more files beside it even to be read; where these cannot be made, it is read as it lies there.
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

/** What the stores use of a connection, so that one that only stands in can be used like any other. */
export type Connection = Pick<DatabaseSync, 'close' | 'exec' | 'isOpen' | 'isTransaction'> & {
  readonly prepare: (sql: string) => Statement
}

export type ConnectOptions = {
  /**
   * `full` returns from a commit when the disk has it; `normal` leaves that to a later checkpoint, for facts that may be
   * lost with the power.
   */
  readonly durability: 'full' | 'normal'
  /** How long the thread may be blocked by a lock. */
  readonly timeout: number
  /** After how many pages of the log they are copied into the file; SQLite's own number unless given. */
  readonly checkpointPages?: number
}

/** @throws the error of SQLite when the file cannot be written, be it a lock, the rights or the disk */
export function openToWrite(
  path: string,
  { durability, timeout, checkpointPages }: ConnectOptions,
): DatabaseSync {
  const database = new DatabaseSync(path, { timeout, enableForeignKeyConstraints: true })
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

/** SQLite opens a file that it may not write without a word, and even begins a transaction. Nothing reaches the disk here. */
function proveWritable(database: DatabaseSync): void {
  const version = Number(database.prepare('pragma user_version').get()?.user_version)
  try {
    database.exec(`begin immediate; pragma user_version = ${version}`)
  } catch (error) {
    // Somebody else is writing, so that it can be written.
    if (primaryCode(error) !== BUSY) throw error
  } finally {
    if (database.isTransaction) database.exec('rollback')
  }
}

/**
 * Reads what is committed and writes nothing into the folder of the file. What others commit later may stay unseen: look at
 * {@link fingerprintOf} now and then.
 *
 * @throws the error of SQLite when it cannot be read either
 */
export function openToRead(path: string): DatabaseSync {
  const before = fingerprintOf(path)
  const database = sharedWithOthers(path) ?? (hasLog(path) ? openWithLog(path) : openAsItIs(path))
  if (fingerprintOf(path) === before) return database
  // Somebody wrote in between, so that it can be read like any other the next time.
  database.close()
  return openToRead(path)
}

/** Where the log and its index are there: SQLite reads them without writing. */
function sharedWithOthers(path: string): DatabaseSync | null {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    database.prepare('select count(*) from sqlite_schema').get()
    return database
  } catch (error) {
    database.close()
    // READONLY: of a folder in which the log cannot be made.
    if ([CANTOPEN, IOERR, READONLY].includes(primaryCode(error) ?? 0)) return null
    throw error
  }
}

/** Right as long as nobody writes: without a log everything committed is in the file itself. What a log holds is left out. */
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

/** A crash has left changes in the log, such as a key that was taken away: they have to be read with it. */
function openWithLog(path: string): DatabaseSync {
  try {
    return inMemory(readAlone(path))
  } catch (error) {
    if (primaryCode(error) === BUSY) throw error
    return openCopy(path)
  }
}

/** Who is alone keeps the index of the log in memory. Needs no room on the disk, but the right to write. */
function readAlone(path: string): Uint8Array {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('pragma locking_mode = exclusive')
    return database.serialize()
  } finally {
    database.close()
  }
}

/** The bytes that say that there is a log: https://sqlite.org/fileformat2.html#file_format_version_numbers */
const FORMAT_VERSIONS = [18, 19]

function inMemory(content: Uint8Array): DatabaseSync {
  for (const at of FORMAT_VERSIONS) content[at] = 1
  const database = new DatabaseSync(':memory:')
  database.deserialize(content)
  database.exec('pragma query_only = on')
  return database
}

/** Needs room elsewhere, but no right to write here. */
function openCopy(path: string): DatabaseSync {
  const folder = mkdtempSync(join(placeForCopies(), 'tripfolio-store-'))
  try {
    const copy = join(folder, 'copy.db')
    for (const companion of ['', '-wal']) {
      copyFileSync(path + companion, copy + companion)
      // The rights come along, and may be to read only.
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
    // What is open stays open.
    rmSync(folder, { recursive: true })
  }
}

/** In memory where Linux offers that, because a full disk may be that of temporary files as well. */
function placeForCopies(): string {
  return statSync('/dev/shm', { throwIfNoEntry: false })?.isDirectory() === true ? '/dev/shm' : tmpdir()
}

const hasLog = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

/** Another one as soon as somebody has written. */
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

/** The low byte of an extended result code is the primary one. Undefined for what is no error of SQLite. */
export const primaryCode = (error: unknown): number | undefined => {
  const code = resultCode(error)
  return code === undefined ? undefined : code & 0xff
}

const resultCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined

/** Of reading, what is damaged in the file or on the disk: https://sqlite.org/rescode.html#ioerr_read */
const READ_FAILURES: ReadonlySet<number> = new Set([266, 522, 8202, 8458, 8714])

/** Whether the disk is full, or not to be written: nothing is wrong with the file. */
export function isRefusalToWrite(error: unknown): boolean {
  const code = resultCode(error)
  if (code === undefined) return false
  const primary = code & 0xff
  return primary === READONLY || primary === FULL || (primary === IOERR && !READ_FAILURES.has(code))
}
