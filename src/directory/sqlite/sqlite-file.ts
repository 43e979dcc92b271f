/**
 * Opens the file of a store: private to its owner, shared between threads and processes. Waits for the lock of another
 * connection without blocking the thread. Turns errors of SQLite into Problems.
 */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { devNull } from 'node:os'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder } from '../../kernel/files/make-folder.ts'
import { probeFolder } from '../../kernel/files/probe-folder.ts'
import { storageFault } from '../../kernel/files/storage-fault.ts'
import { syncFolder } from '../../kernel/files/sync-folder.ts'
import { Problem } from '../../kernel/problem.ts'
import {
  noControlStore,
  notAStore,
  storeFailed,
  storeIsBusy,
  storeLacksFiles,
  storeNotMade,
  storeNotOpened,
  storeNotWritable,
} from '../problems.ts'
import {
  BUSY,
  CANTOPEN,
  CORRUPT,
  type Connection,
  type ConnectOptions,
  IOERR,
  isRefusalToWrite,
  NOTADB,
  openToWrite,
  primaryCode,
} from './open-sqlite.ts'
import { StandInDatabase } from './stand-in-database.ts'

/** How long a writer waits for the others before it gives up. */
export const PATIENCE_MS = 10_000
const OWNER_ONLY = 0o600
/** https://sqlite.org/fileformat2.html#pages */
const SMALLEST_PAGE = 512

type FileOptions = {
  readonly create: boolean
  /** SQL that runs in a new file before its first page is written. */
  readonly setUp?: string
}

/**
 * Makes sure that the file exists and that only its owner can read it.
 *
 * @throws Problem DIR101 or DIR109 when it cannot be created, DIR102 when it is empty or cut off, DIR106 when it is missing and
 *   `create` is false
 */
export function prepareFile(path: string, { create, setUp = '' }: FileOptions): void {
  if (!create && !existsSync(path)) throw noControlStore(path)
  try {
    makeFolder(dirname(path), 0o700)
    if (!existsSync(path)) createFile(path, setUp)
    const found = statSync(path)
    const { mode, size } = found
    if (found.isDirectory()) throw storeNotOpened(path, new Error('it is a folder'))
    // A new file gets its first page before its name, so a shorter file is damaged. SQLite would take it for a new one.
    if (found.isFile() && size < SMALLEST_PAGE) {
      throw notAStore(path, new Error(size === 0 ? 'it is empty' : `it is cut off after ${size} bytes`))
    }
    if ((mode & 0o077) !== 0) closeToOthers(path)
  } catch (error) {
    if (error instanceof Problem) throw error
    const fault = isRefusalToWrite(error) ? probeFolder(dirname(path)) : storageFault(error)
    throw fault === undefined ? storeNotOpened(path, error) : storeNotMade(path, fault, error)
  }
}

/** Only the owner of a file may change its rights, and nobody on a read-only file system: they are left to the operator. */
function closeToOthers(path: string): void {
  try {
    chmodSync(path, OWNER_ONLY)
  } catch (error) {
    if (!['EROFS', 'EPERM'].includes(storageFault(error)?.code ?? '')) throw error
  }
}

/**
 * Creates the file under another name and links it into place: closing a descriptor of a file drops every POSIX lock that
 * this process has on it, so only SQLite may ever open the file itself. SQLite gives -wal and -shm the same mode.
 */
function createFile(path: string, setUp: string): void {
  const scratch = `${path}.${process.pid}.${crypto.randomUUID()}`
  try {
    writeFileSync(scratch, '', { mode: OWNER_ONLY, flag: 'wx' })
    writeFirstPage(scratch, setUp)
    linkSync(scratch, path)
    syncFolder(dirname(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    for (const companion of ['', '-wal', '-shm', '-journal']) rmSync(scratch + companion, { force: true })
  }
}

/** The switch to a write-ahead log writes the first page. */
function writeFirstPage(path: string, setUp: string): void {
  const database = new DatabaseSync(path)
  try {
    database.exec(`${setUp}; pragma journal_mode = wal`)
  } finally {
    database.close()
  }
}

/**
 * @param openToRead opens what is read while the file cannot be written; by default the function of `open-sqlite.ts`
 * @returns a stand-in while the file cannot be written
 */
export async function connect(
  path: string,
  options: ConnectOptions,
  openToRead?: (path: string) => Connection,
): Promise<Connection> {
  const connection = await whenFree(path, () => {
    try {
      return openToWrite(path, options)
    } catch (cause) {
      if (!isRefusalToWrite(cause) && primaryCode(cause) !== CANTOPEN) throw cause
      return standIn(path, options, cause, openToRead)
    }
  })
  try {
    await whenFree(path, () => refuseStoredCode(path, connection))
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * No version makes triggers, views or virtual tables. In a file that came from elsewhere, a trigger would undo what its operator
 * changes: give a withdrawn key back, or keep changes out of the audit trail.
 */
function refuseStoredCode(path: string, connection: Connection): void {
  const found = connection
    .prepare(
      "select type, name from sqlite_schema where type in ('trigger', 'view') or (type = 'table' and rootpage = 0)",
    )
    .get()
  if (found === undefined) return
  const what = found.type === 'table' ? 'virtual table' : found.type
  throw notAStore(path, new Error(`it has the ${what} '${found.name}', which no version of Tripfolio makes`))
}

function standIn(
  path: string,
  options: ConnectOptions,
  cause: unknown,
  openToRead: ((path: string) => Connection) | undefined,
): Connection {
  try {
    return new StandInDatabase({ path, options, cause, openToRead })
  } catch (failure) {
    // Another connection may hold the lock for a moment. Otherwise the reason why it cannot be written is the more useful one.
    throw isBusy(failure) ? failure : cause
  }
}

/** Does the work as soon as no other connection holds the lock; the thread does other work in between. */
export async function whenFree<T>(path: string, work: () => T, patienceMs = PATIENCE_MS): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (let pause = 1; ; pause = Math.min(2 * pause, 20)) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw storeProblem(path, error)
    }
    await sleep(pause * (0.5 + Math.random()))
  }
}

export const isBusy = (error: unknown): boolean => primaryCode(error) === BUSY

/** The problem behind an error of SQLite. Returns other errors, and those that show a defect in our code, as they are. */
export function storeProblem(path: string, error: unknown): unknown {
  const code = primaryCode(error)
  if (code === undefined) return error
  if (code === BUSY) return storeIsBusy(path, error)
  if (code === NOTADB || code === CORRUPT) return notAStore(path, error)
  if (code === CANTOPEN) return notOpened(path, error)
  if (isRefusalToWrite(error)) return storeNotWritable(path, error)
  return code === IOERR ? storeFailed(path, error) : error
}

function notOpened(path: string, error: unknown): Problem {
  const refusal = refusalOfFiles()
  if (refusal !== undefined) return storeLacksFiles(path, refusal, error)
  return storeNotOpened(path, refusalToRead(path) ?? error)
}

/** SQLite says only that it cannot open the file; the file system says why. */
function refusalToRead(path: string): unknown {
  try {
    accessSync(path, constants.R_OK)
    return undefined
  } catch (error) {
    return error
  }
}

/** A database, its log and its index, and one that another thread may need. */
const FILES_TO_OPEN = 4

/** The code with which the system refuses to open as many files as a database needs; undefined when it opens them. */
function refusalOfFiles(): 'EMFILE' | 'ENFILE' | undefined {
  const descriptors: number[] = []
  try {
    while (descriptors.length < FILES_TO_OPEN) descriptors.push(openSync(devNull, 'r'))
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'EMFILE' || code === 'ENFILE' ? code : undefined
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}
