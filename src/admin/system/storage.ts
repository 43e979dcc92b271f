/** How much room the data folder has and what takes it, and how much memory the process has. All sizes are in bytes. */
import { stat, statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import Type from '../../kernel/type.ts'
import { nullable } from '../../schema/shapes.ts'
import { filesOf } from '../../snapshot/manifest.ts'
import type { AdminDeps } from '../admin-deps.ts'

const bytes = (description: string) => Type.Integer({ description })

export const Storage = Type.Object({
  freeBytes: bytes('Free space on the disk of the data folder'),
  totalBytes: bytes('Size of the disk of the data folder'),
  controlBytes: nullable(bytes('Size of the control store; null when it is in a database')),
  historyBytes: nullable(bytes('Size of the history; null when it is in a database')),
  snapshotBytes: bytes('Size of the retained snapshots'),
})

export const Memory = Type.Object({
  residentBytes: bytes('Memory of the whole process'),
  limitBytes: bytes('Memory of the machine or the container'),
})

export async function storageOf({ dataFolder, config, manifests }: AdminDeps) {
  const { bavail, blocks, bsize } = await statfs(dataFolder)
  const isInDatabase = config.store !== undefined
  let snapshotBytes = 0
  for (const id of await manifests.published()) snapshotBytes += await bytesOfSnapshot(id, manifests)
  return {
    freeBytes: bavail * bsize,
    totalBytes: blocks * bsize,
    controlBytes: isInDatabase ? null : await databaseBytes(dataFolder, 'control.db'),
    historyBytes: isInDatabase ? null : await databaseBytes(dataFolder, 'history.db'),
    snapshotBytes,
  }
}

/** A snapshot never changes, and to look at all its files takes long. */
const knownSnapshots = new Map<string, number>()

async function bytesOfSnapshot(id: string, manifests: AdminDeps['manifests']): Promise<number> {
  const known = knownSnapshots.get(id)
  if (known !== undefined) return known
  const manifest = await manifests.intact(id)
  if (manifest === null) return 0
  const size = manifest.clients.flatMap(filesOf).reduce((total, { bytes }) => total + bytes, 0)
  if (knownSnapshots.size >= MOST_KNOWN) knownSnapshots.clear()
  knownSnapshots.set(id, size)
  return size
}

const MOST_KNOWN = 1000

/** With the log of SQLite, which is written into the database later. */
async function databaseBytes(folder: string, name: string): Promise<number> {
  const sizes = await Promise.all([name, `${name}-wal`].map((file) => sizeOf(join(folder, file))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

export function memory() {
  const limit = process.constrainedMemory()
  return {
    residentBytes: process.memoryUsage.rss(),
    // Without a limit the system tells 0 or a number larger than the memory.
    limitBytes: limit > 0 && limit < totalmem() ? limit : totalmem(),
  }
}
