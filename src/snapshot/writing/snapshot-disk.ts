/**
 * The file operations of the snapshot writer, so that a test can record their order or stop at any step. Whatever the umask,
 * only the owner and the group may read the files and enter the folders, because they hold data of clients.
 */
import { chmod, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { storageFault } from '../../kernel/files/storage-fault.ts'
import { Problem } from '../../kernel/problem.ts'
import { CLIENT_FILE_MODE, makeDataFolder, syncFolder } from '../format/layout.ts'
import { cannotStore } from '../problems.ts'

/** A change is durable when the file, and the folder that names it, are synced. */
export type SnapshotDisk = {
  /** Makes an empty file, or empties the existing one. */
  readonly create: (path: string) => Promise<NewFile>
  readonly makeFolder: (path: string) => Promise<void>
  readonly link: (from: string, to: string) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
  /** Removes a file, or a folder with its contents; does nothing when it does not exist. */
  readonly remove: (path: string) => Promise<void>
  readonly syncFolder: (path: string) => Promise<void>
}

type NewFile = {
  readonly write: (chunk: Uint8Array) => Promise<void>
  /** Resolves when the disk has stored what was written. */
  readonly sync: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Throws a Problem that names the path when the disk is full or read-only, or this user may not write. */
export const snapshotDisk: SnapshotDisk = {
  create: (path) => named(path, () => create(path)),
  makeFolder: async (path) => makeDataFolder(path),
  link: async (from, to) => {
    await link(from, to)
    // A file of an older version may be readable by others.
    await chmod(to, CLIENT_FILE_MODE)
  },
  rename: (from, to) => named(to, () => rename(from, to)),
  remove: (path) => named(path, () => rm(path, { recursive: true, force: true })),
  syncFolder: (path) => named(path, () => syncFolder(path)),
}

async function create(path: string): Promise<NewFile> {
  const handle = await open(path, 'w', CLIENT_FILE_MODE)
  try {
    await handle.chmod(CLIENT_FILE_MODE)
  } catch (error) {
    await handle.close()
    throw error
  }
  return {
    write: (chunk) =>
      named(path, async () => {
        for (let written = 0; written < chunk.byteLength; ) {
          written += (await handle.write(chunk, written)).bytesWritten
        }
      }),
    sync: () => named(path, () => handle.sync()),
    close: () => named(path, () => handle.close()),
  }
}

/** Adds the path to errors: an error of the system about an open file does not name it. */
async function named<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const fault = error instanceof Problem ? undefined : storageFault(error)
    throw fault === undefined ? error : cannotStore(path, fault, error)
  }
}

/** Writes and syncs a file. Its name is durable once its folder is synced too. */
export async function writeSynced(
  disk: SnapshotDisk,
  path: string,
  chunks: readonly Uint8Array[],
): Promise<void> {
  const file = await disk.create(path)
  try {
    for (const piece of joined(chunks)) await file.write(piece)
    await file.sync()
  } finally {
    await file.close()
  }
}

const PIECE_BYTES = 256 * 1024

/** Joins small chunks, because each write costs a turn of the event loop and most of a file's hundreds of chunks are tiny. */
function* joined(chunks: readonly Uint8Array[]): Generator<Uint8Array> {
  let small: Uint8Array[] = []
  let smallBytes = 0
  for (const chunk of chunks) {
    if (smallBytes > 0 && smallBytes + chunk.byteLength > PIECE_BYTES) {
      yield Buffer.concat(small)
      small = []
      smallBytes = 0
    }
    if (chunk.byteLength > PIECE_BYTES) yield chunk
    else {
      small.push(chunk)
      smallBytes += chunk.byteLength
    }
  }
  if (smallBytes > 0) yield Buffer.concat(small)
}

/** Replaces a file so that readers see either the old or the new content, even after a power cut. */
export async function replaceDurably(disk: SnapshotDisk, path: string, content: string): Promise<void> {
  const temporary = `${path}.${process.pid}`
  await writeSynced(disk, temporary, [Buffer.from(content)])
  await disk.rename(temporary, path)
  await disk.syncFolder(dirname(path))
}
