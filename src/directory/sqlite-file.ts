/**
 * Opens the file of the control store: private to its owner, durable, shared between threads and processes. A lock held
 * by somebody else is waited for without blocking the thread. What SQLite reports becomes a Problem here.
 */
import { chmodSync, existsSync, linkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder } from '../kernel/make-folder.ts'
import { noControlStore, notAControlStore, storeFailed, storeIsBusy, storeNotOpened } from './problems.ts'

/** How long a writer waits for the others before it gives up. */
const PATIENCE_MS = 10_000
const OWNER_ONLY = 0o600

/** Makes sure that the file is there and that nobody but its owner can read it. */
export function prepareFile(path: string, { create }: { readonly create: boolean }): void {
  if (!create && !existsSync(path)) throw noControlStore(path)
  try {
    makeFolder(dirname(path), 0o700)
    if (!existsSync(path)) createEmpty(path)
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, OWNER_ONLY)
  } catch (error) {
    throw storeNotOpened(path, error)
  }
}

/**
 * The file is made elsewhere and linked into place: closing a descriptor of a file drops every POSIX lock this process
 * has on it, so the file itself must never be opened by anything but SQLite. SQLite gives -wal and -shm the same mode.
 */
function createEmpty(path: string): void {
  const scratch = `${path}.${process.pid}.${crypto.randomUUID()}`
  try {
    writeFileSync(scratch, '', { mode: OWNER_ONLY, flag: 'wx' })
    linkSync(scratch, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(scratch, { force: true })
  }
}

/**
 * `full` returns from a commit when the disk has it; `normal` leaves that to a later checkpoint, for facts that may be
 * lost with the power. `timeout` is how long the thread may be blocked by a lock.
 */
export function connect(
  path: string,
  { durability, timeout }: { readonly durability: 'full' | 'normal'; readonly timeout: number },
): Promise<DatabaseSync> {
  return whenFree(path, () => {
    const database = new DatabaseSync(path, { timeout, enableForeignKeyConstraints: true })
    try {
      database.exec(`pragma journal_mode = wal; pragma synchronous = ${durability}; pragma fullfsync = on`)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/** Does the work as soon as no other connection is in the way, letting the thread serve others in between. */
export async function whenFree<T>(path: string, work: () => T, patience = PATIENCE_MS): Promise<T> {
  const deadline = performance.now() + patience
  for (let pause = 1; ; pause = Math.min(2 * pause, 20)) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw storeProblem(path, error)
    }
    await sleep(pause * (0.5 + Math.random()))
  }
}

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
const BUSY = 5
const CORRUPT = 11
const CANTOPEN = 14
const NOTADB = 26
/** READONLY, IOERR and FULL: the disk or the file's permissions. */
const DISK = [8, 10, 13]

const isBusy = (error: unknown): boolean => resultCode(error) === BUSY

/** The problem behind an error of SQLite; an error of another kind, or one that is a defect of ours, comes back as it is. */
export function storeProblem(path: string, error: unknown): unknown {
  const code = resultCode(error)
  if (code === undefined) return error
  if (code === BUSY) return storeIsBusy(path, error)
  if (code === NOTADB || code === CORRUPT) return notAControlStore(path, error)
  if (code === CANTOPEN) return storeNotOpened(path, error)
  return DISK.includes(code) ? storeFailed(path, error) : error
}

/** The low byte of an extended result code is the primary one. */
const resultCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined
