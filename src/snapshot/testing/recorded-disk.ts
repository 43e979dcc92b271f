/** A real disk for tests that writes down what is asked of it, and can lose its power before any step. */
import { readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { type SnapshotDisk, snapshotDisk } from '../writing/snapshot-disk.ts'

/** One request, with paths relative to the data folder. */
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
  /** Of a rename. */
  readonly from?: string
}

export type RecordedDisk = SnapshotDisk & { readonly steps: readonly DiskStep[] }

/** @param power the number of the step before which the process dies; from then on nothing happens any more */
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
          step('write', path)
          await file.write(chunk)
        },
        sync: async () => {
          step('sync-file', path)
          await file.sync()
        },
        // Left to the system when a process dies.
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
      // Removing a folder takes many steps of the system: the first of them are done before a kill shows.
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
