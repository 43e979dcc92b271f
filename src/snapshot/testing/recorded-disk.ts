/** A real disk for tests that records its operations, and can lose power before any of them. */
import { readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { type SnapshotDisk, snapshotDisk } from '../writing/snapshot-disk.ts'

/** One operation, with paths relative to the data folder. */
export type DiskStep = {
  readonly kind:
    | 'create'
    | 'write'
    | 'sync-file'
    | 'link'
    | 'rename'
    | 'remove'
    | 'make-folder'
    | 'sync-folder'
  readonly path: string
  /** The old path of a rename. */
  readonly from?: string
}

export type RecordedDisk = SnapshotDisk & { readonly steps: readonly DiskStep[] }

/** @param power the number of the step before which the process dies; later steps do nothing */
export function recordDisk(dataFolder: string, power = Number.POSITIVE_INFINITY): RecordedDisk {
  const steps: DiskStep[] = []
  const shown = (path: string) => relative(dataFolder, path)
  const step = (kind: DiskStep['kind'], path: string, from?: string) => {
    if (steps.length >= power) throw new Error('killed')
    steps.push({ kind, path: shown(path), ...(from !== undefined && { from: shown(from) }) })
  }
  return {
    steps,
    async create(path) {
      step('create', path)
      const file = await snapshotDisk.create(path)
      return {
        write: async (chunk) => {
          // Some bytes may have been written when the process is killed.
          if (steps.length === power) await file.write(chunk.subarray(0, chunk.byteLength >> 1))
          step('write', path)
          await file.write(chunk)
        },
        sync: async () => {
          step('sync-file', path)
          await file.sync()
        },
        // Not a step: the system closes the files of a dead process.
        close: file.close,
      }
    },
    async makeFolder(path) {
      step('make-folder', path)
      await snapshotDisk.makeFolder(path)
    },
    async link(from, to) {
      step('link', to, from)
      await snapshotDisk.link(from, to)
    },
    async rename(from, to) {
      step('rename', to, from)
      await snapshotDisk.rename(from, to)
    },
    async remove(path) {
      step('remove', path)
      // Removing a folder takes many system calls: some of them have happened when the process is killed.
      if (steps.length === power) await removeSome(path)
      else await snapshotDisk.remove(path)
    },
    async syncFolder(path) {
      step('sync-folder', path)
      await snapshotDisk.syncFolder(path)
    },
  }
}

async function removeSome(path: string): Promise<void> {
  const [first] = await readdir(path).catch(() => [])
  if (first !== undefined) await rm(join(path, first), { recursive: true })
}
