/**
 * The layout of a data folder:
 *
 *     <data>/current                          the id of the current snapshot
 *     <data>/changes/<client>/...             what changed between versions of a client (`../changes/stored-steps.ts`)
 *     <data>/snapshots/<id>/manifest.json
 *     <data>/snapshots/<id>/<client>/bookings.arrow, invoices.arrow
 *     <data>/snapshots/.draft-<id>-<pid>/     being built; never read, removed when its process is gone
 *     <data>/snapshots/.removed-<id>/         being removed; never read
 */
import { createHash, randomBytes } from 'node:crypto'
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../kernel/files/make-folder.ts'
import { storageFault } from '../../kernel/files/storage-fault.ts'
import { cannotStore, folderUnusable } from '../problems.ts'

export const snapshotsFolder = (dataFolder: string): string => join(dataFolder, 'snapshots')
export const snapshotFolder = (dataFolder: string, id: string): string =>
  join(snapshotsFolder(dataFolder), id)
export const currentFile = (dataFolder: string): string => join(dataFolder, 'current')
export const draftFolder = (dataFolder: string, id: string): string =>
  join(snapshotsFolder(dataFolder), `.draft-${id}-${process.pid}`)

/** Mode of files with data of clients: the owner may write, the group may read, others have no access. */
export const CLIENT_FILE_MODE = 0o640
const CLIENT_FOLDER_MODE = 0o750

export const SNAPSHOT_ID = /^\d{8}T\d{9}Z-[0-9a-f]{4}$/

/** Ids such as `20260102T030405678Z-1f3a` sort by creation time, even when the clock has been set back since. */
export function newSnapshotId(now: Date, newest: string | undefined): string {
  const time = newest === undefined ? now.getTime() : Math.max(now.getTime(), timeOfSnapshot(newest) + 1)
  return `${new Date(time).toISOString().replace(/[-:.]/g, '')}-${randomBytes(2).toString('hex')}`
}

/** When a snapshot was begun, in milliseconds since 1970. */
export function timeOfSnapshot(id: string): number {
  return Date.parse(id.replace(/^(....)(..)(..)T(..)(..)(..)(...)Z.*$/, '$1-$2-$3T$4:$5:$6.$7Z'))
}

/** The ids of all published snapshots, newest first. */
export async function listSnapshotIds(dataFolder: string): Promise<string[]> {
  const names = await readdir(snapshotsFolder(dataFolder)).catch(() => [])
  return names
    .filter((name) => SNAPSHOT_ID.test(name))
    .sort()
    .reverse()
}

/** The id in the `current` file, or undefined when there is no such file or it holds no valid id. */
export async function readCurrentId(dataFolder: string): Promise<string | undefined> {
  const text = await readFile(currentFile(dataFolder), 'utf8').catch(() => '')
  return SNAPSHOT_ID.test(text.trim()) ? text.trim() : undefined
}

/**
 * The name of a client's folder: the safe characters of its number, and enough of its hash that no two clients share a folder,
 * because numbers may differ only in letter case or in characters that are not safe in file names.
 */
export function clientFolder(clientNumber: string): string {
  const readable = clientNumber.replace(/[^A-Za-z0-9_-]/g, '_')
  return `${readable}-${createHash('sha256').update(clientNumber).digest('hex').slice(0, 32)}`
}

/**
 * Makes the folder so that other users cannot enter it, whatever the umask.
 *
 * @throws Problem SNP201 or SNP202 when the folder cannot be made
 */
export function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder, CLIENT_FOLDER_MODE)
  } catch (cause) {
    const fault = storageFault(cause)
    throw fault === undefined ? folderUnusable(folder, cause) : cannotStore(folder, fault, cause)
  }
}

/** Makes a folder's entries durable: a rename is durable only once its folder is synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
