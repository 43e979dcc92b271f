/**
 * What a run that was killed leaves in a data folder, and how a snapshot is removed so that half of it never counts as one:
 * it is renamed first, to a name that no reader looks at.
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
  // Before the files go: after a power cut a folder under its old name would have to be whole.
  await disk.syncFolder(folder)
  for (const id of ids) await disk.remove(join(folder, REMOVED + id))
}

/** Removes drafts of processes that are gone, the rest of removed snapshots, and half a switch of `current`. */
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

/** Whether the process whose id the name ends in cannot be writing any more. */
function isDead(name: string): boolean {
  const pid = /[-.](\d+)$/.exec(name)?.[1]
  if (pid === undefined) return false
  // A process has one draft at a time; in a container a new process often has the pid of the one that was killed.
  return Number(pid) === process.pid || !isAlive(Number(pid))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
