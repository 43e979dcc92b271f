/**
 * Steps as immutable objects: files below `<data>/changes/`, or objects in the storage that several nodes share. The key of a
 * step has everything that a walk needs, so a list of a client's keys is the graph of its versions:
 *
 *     <client>/<collection>.<from>-<to>.<snapshot whose refresh wrote it>.<SHA-256 of the content>
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { storageFault } from '../../kernel/files/storage-fault.ts'
import type { Problem } from '../../kernel/problem.ts'
import { isOutOfFiles } from '../../observe/open-files.ts'
import type { Version2Stored } from '../../schema/datasets.ts'
import { clientFolder, timeOfSnapshot } from '../format/layout.ts'
import { openFolderStore } from '../objects/folder-store.ts'
import type { ObjectReader } from '../objects/object-reader.ts'
import type { ObjectStore, StoredObject } from '../objects/object-store.ts'
import { storageAway } from '../objects/problems.ts'
import { UploadQueue } from '../objects/upload-queue.ts'
import { cannotStore, isUnavailable, noRoomToOpen, notReadableNow } from '../problems.ts'
import { decodeStep, encodeStep } from './step.ts'
import { CHANGES_FOLDER, type StepFiles, sha256Of } from './step-files.ts'
import type { StepSink, StepSource } from './step-store.ts'
import { fileSuccessions, removeSuccessions } from './stored-successions.ts'

export function stepsInDataFolder(dataFolder: string): StepFiles {
  const folder = join(dataFolder, CHANGES_FOLDER)
  return {
    store: openFolderStore(folder),
    prefix: '',
    // A list of the store would ask for the size of each file.
    list: async (prefix) => {
      const names = await readdir(join(folder, prefix)).catch(noneIfMissing)
      return names.map((name) => ({ key: prefix + name }))
    },
    load: async ({ key, sha256 }) => {
      const bytes = await readFile(join(folder, key))
      if (sha256Of(bytes) !== sha256) throw new Error('its checksum does not match')
      return bytes
    },
    problemOf: (cause) => {
      const fault = storageFault(cause)
      return fault === undefined ? cause : cannotStore(folder, fault, cause)
    },
  }
}

/** @param installation the id of the control store */
export const stepsInStorage = (
  { store, reader }: { readonly store: ObjectStore; readonly reader: ObjectReader },
  installation: string,
): StepFiles => ({
  store,
  // Not below the objects of the snapshots: they are listed as a whole by each refresh, and what no manifest names is removed.
  prefix: `changes-${installation}/`,
  list: (prefix) => listed(store, prefix),
  load: ({ key, bytes = 0, sha256 }) => reader.load({ key, bytes, sha256 }),
  problemOf: (cause) => storageAway(store.name, cause),
})

export const fileStepSource = (open: () => Promise<StepFiles>): StepSource => ({
  edges: async (clientNumber, stored) => {
    const telling = tellingOf(clientNumber, stored)
    const { prefix, list, load } = await open()
    const objects = await list(`${prefix}${clientFolder(clientNumber)}/`).catch(telling)
    return objects.flatMap((object) => {
      const parts = partsOf(object.key)
      if (parts?.stored !== stored) return []
      const { from, to, snapshot, sha256 } = parts
      const read = async () => {
        const bytes = await load({ ...object, sha256 }).catch(telling)
        return decodeStep(bytes, { clientNumber, stored, from, to })
      }
      return [{ from, to, snapshot, read }]
    })
  },
  successions: async () => fileSuccessions(await open()),
})

/** Callers are not told the names of servers. */
const tellingOf =
  (clientNumber: string, stored: Version2Stored) =>
  (cause: unknown): never => {
    const known = isOutOfFiles(cause) ? noRoomToOpen(clientNumber, stored, cause) : cause
    throw known !== cause || isUnavailable(known)
      ? notReadableNow(`What changed in the ${stored} of client '${clientNumber}'`, known as Problem)
      : known
  }

function noneIfMissing(error: NodeJS.ErrnoException): readonly string[] {
  if (error.code === 'ENOENT') return []
  throw error
}

async function listed(store: ObjectStore, prefix: string): Promise<readonly StoredObject[]> {
  const objects: StoredObject[] = []
  try {
    for await (const object of store.list(prefix)) objects.push(object)
  } catch (cause) {
    throw storageAway(store.name, cause)
  }
  return objects
}

export function fileStepSink({ store, prefix, problemOf }: StepFiles, snapshot: string): StepSink {
  const uploads = new UploadQueue(store, problemOf)
  return {
    add: async (step) => {
      const bytes = encodeStep(step)
      const { clientNumber, stored, from, to } = step
      const sha256 = sha256Of(bytes)
      const key = `${prefix}${clientFolder(clientNumber)}/${stored}.${from}-${to}.${snapshot}.${sha256}`
      await uploads.add(key, { chunks: [bytes], bytes: bytes.byteLength, sha256 })
    },
    stored: () => uploads.stored(),
    abandon: async () => {
      await uploads.ended()
      await store.delete(uploads.keys)
    },
  }
}

/**
 * Removes the steps that refreshes before a moment wrote. What a killed refresh left goes with them: until then it is a true
 * statement that nobody asks for.
 *
 * @returns how many were removed
 */
export async function removeOldSteps({ store, prefix }: StepFiles, before: Date): Promise<number> {
  const old: string[] = []
  const successions: string[] = []
  const counts = new Map<string, number>()
  for await (const { key } of store.list(prefix)) {
    const parts = partsOf(key)
    if (parts === null) successions.push(key)
    else if (timeOfSnapshot(parts.snapshot) < before.getTime()) old.push(key)
    else counts.set(parts.snapshot, (counts.get(parts.snapshot) ?? 0) + 1)
  }
  // First, because as long as they are there, the steps are said to be complete.
  await removeSuccessions(store, successions, before, counts)
  await store.delete(old)
  return old.length
}

/** How long steps are kept: some days beyond the oldest retained snapshot. */
export function oldestStep(snapshotIds: readonly string[], days: number): Date | null {
  const [oldest] = snapshotIds.toSorted()
  return oldest === undefined ? null : new Date(timeOfSnapshot(oldest) - days * DAY_MS)
}

const DAY_MS = 86_400_000

const KEY = /\/(bookings|invoices)\.(\w+)-(\w+)\.([^./]+)\.([0-9a-f]{64})$/

/** Null for a file that is no step. */
function partsOf(key: string) {
  const [, stored, from = '', to = '', snapshot = '', sha256 = ''] = KEY.exec(key) ?? []
  if (stored !== 'bookings' && stored !== 'invoices') return null
  return { stored, from, to, snapshot, sha256 } as const
}
