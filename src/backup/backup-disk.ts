/**
 * The file operations of backups and restores, so that a test can stop at any step. Whatever the umask, only the owner may
 * read the files and enter the folders: they hold data of clients, and keys.
 */
import { constants } from 'node:fs'
import { chmod, copyFile, open, rename, rm } from 'node:fs/promises'
import { makeFolder } from '../kernel/files/make-folder.ts'
import { syncFolder } from '../kernel/files/sync-folder.ts'
import { Problem } from '../kernel/problem.ts'
import { backupStopped, fileFailed } from './problems.ts'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

export type BackupDisk = {
  /** Copies a file and waits until the disk has it. File systems that can share blocks take no room for it. */
  readonly copy: (from: string, to: string) => Promise<void>
  readonly write: (path: string, text: string) => Promise<void>
  /** Makes missing folders above it, too. */
  readonly makeFolder: (path: string) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
  /** Removes a file, or a folder with its contents; does nothing when it does not exist. */
  readonly remove: (path: string) => Promise<void>
  readonly syncFolder: (path: string) => Promise<void>
}

/** Throws Problem DIR456 with the path and the reason of the file system. */
export const backupDisk: BackupDisk = {
  copy: (from, to) =>
    named(to, async () => {
      await copyFile(from, to, constants.COPYFILE_FICLONE)
      await chmod(to, FILE_MODE)
      await syncFile(to)
    }),
  write: (path, text) =>
    named(path, async () => {
      const handle = await open(path, 'w', FILE_MODE)
      try {
        await handle.writeFile(text)
        await handle.chmod(FILE_MODE)
        await handle.sync()
      } finally {
        await handle.close()
      }
    }),
  makeFolder: (path) => named(path, async () => void makeFolder(path, FOLDER_MODE)),
  rename: (from, to) => named(to, () => rename(from, to)),
  remove: (path) => named(path, () => rm(path, { recursive: true, force: true })),
  syncFolder: (path) => named(path, async () => syncFolder(path)),
}

/** Writes nothing more after the signal; what was written can still be removed. */
export function stoppableDisk(disk: BackupDisk, signal: AbortSignal, folder: string): BackupDisk {
  const unlessStopped =
    <Path extends readonly string[]>(work: (...paths: Path) => Promise<void>) =>
    async (...paths: Path): Promise<void> => {
      if (signal.aborted) throw backupStopped(folder)
      await work(...paths)
    }
  return {
    ...disk,
    copy: unlessStopped(disk.copy),
    write: unlessStopped(disk.write),
    makeFolder: unlessStopped(disk.makeFolder),
    rename: unlessStopped(disk.rename),
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function named<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem || !(error instanceof Error && 'code' in error)) throw error
    throw fileFailed(path, error)
  }
}
