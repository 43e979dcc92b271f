/**
 * What the writer of snapshots asks of the file system, so that a test can watch the order or end it at any step. Files are
 * readable by the group and folders can be entered by it, whatever the umask: they hold data of clients.
 */
import { chmod, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Problem } from '../../kernel/problem.ts'
import { storageFault } from '../../kernel/storage-fault.ts'
import { CLIENT_FILE_MODE, makeDataFolder, syncFolder } from '../format/layout.ts'
import { cannotStore } from '../problems.ts'

/** A change is durable when the file, and the folder that names it, are synced. */
export type SnapshotDisk = {
  /** Makes an empty file, or empties the one that is there. */
  readonly create: (path: string) => Promise<NewFile>
  readonly makeFolder: (path: string) => Promise<void>
  readonly link: (from: string, to: string) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
  /** A file or a folder with all that is in it; nothing when it is not there. */
  readonly remove: (path: string) => Promise<void>
  readonly syncFolder: (path: string) => Promise<void>
}

type NewFile = {
  readonly write: (chunk: Uint8Array) => Promise<void>
  /** Done when the disk has what was written. */
  readonly sync: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Refuses with a Problem that names the path where the disk is full, read-only or not this user's to write. */
export const snapshotDisk: SnapshotDisk = {
  create: (path) => named(path, () => create(path)),
  makeFolder: async (path) => makeDataFolder(path),
  link: async (from, to) => {
    await link(from, to)
    // What an older version wrote may be open to others.
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

/** The system's error about an open file does not say which one. */
async function named<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const fault = error instanceof Problem ? undefined : storageFault(error)
    throw fault === undefined ? error : cannotStore(path, fault, error)
  }
}

/** Written and synced; its name is durable when its folder is synced as well. */
export async function writeSynced(
  disk: SnapshotDisk,
  path: string,
  chunks: readonly Uint8Array[],
): Promise<void> {
  const file = await disk.create(path)
  try {
    for (const chunk of chunks) await file.write(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Other readers see the old content or the new one, also after a power cut. */
export async function replaceDurably(disk: SnapshotDisk, path: string, content: string): Promise<void> {
  const temporary = `${path}.${process.pid}`
  await writeSynced(disk, temporary, [Buffer.from(content)])
  await disk.rename(temporary, path)
  await disk.syncFolder(dirname(path))
}
