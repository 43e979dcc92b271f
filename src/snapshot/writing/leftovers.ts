/**
 * Removes snapshots, and what killed runs leave in a data folder. A snapshot is first renamed to a name that no reader uses,
 * so that a half-removed one never counts as a snapshot.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { snapshotFolder, snapshotsFolder } from '../format/layout.ts'
import type { SnapshotDisk } from './snapshot-disk.ts'

const REMOVED = '.removed-'

/** Removes published snapshots for good. */
export async function removeSnapshots(
  dataFolder: string,
  ids: readonly string[],
  disk: SnapshotDisk,
): Promise<void> {
  if (ids.length === 0) return
  const folder = snapshotsFolder(dataFolder)
  for (const id of ids) await disk.rename(snapshotFolder(dataFolder, id), join(folder, REMOVED + id))
  // Before the files are removed: after a power cut, a folder under its old name must be complete.
  await disk.syncFolder(folder)
  for (const id of ids) await disk.remove(join(folder, REMOVED + id))
}

/** Removes drafts of ended processes, remains of removed snapshots, and what an unfinished switch of `current` left. */
export async function removeLeftovers(dataFolder: string, disk: SnapshotDisk): Promise<void> {
  for (const path of [
    ...(await pathsIn(snapshotsFolder(dataFolder), isLeftover)),
    ...(await pathsIn(dataFolder, (name) => name.startsWith('current.') && isDead(name))),
  ]) {
    await disk.remove(path)
  }
}

async function pathsIn(folder: string, isWanted: (name: string) => boolean): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter(isWanted).map((name) => join(folder, name))
}

const isLeftover = (name: string): boolean =>
  name.startsWith(REMOVED) || (name.startsWith('.draft-') && isDead(name))

/** Whether the process whose id is at the end of the name can no longer be writing. */
function isDead(name: string): boolean {
  const pid = /[-.](\d+)$/.exec(name)?.[1]
  if (pid === undefined) return false
  // A process has one draft at a time; in a container a new process often has the pid of the one that was killed.
  return Number(pid) === process.pid || !isAlive(Number(pid))
}

/** Whether a process of this id runs on this machine, also one of another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
