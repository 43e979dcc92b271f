/**
 * Builds and publishes one snapshot. Everything is written into a draft folder that no reader looks at; publishing syncs
 * it, renames it, and then switches the `current` file in one durable step. When the process is killed before that step, the
 * previous snapshot stays current and a later run removes the leftovers. Files of unchanged clients are linked from it.
 */
import { join } from 'node:path'
import { storedNames } from '../../schema/datasets.ts'
import { createStepRecorder, type StepRecorder } from '../changes/step-recorder.ts'
import { fileStepSink, oldestStep, removeOldSteps, stepsInDataFolder } from '../changes/stored-steps.ts'
import { noteSuccession } from '../changes/stored-successions.ts'
import type { CollectionBuilder } from '../format/collection-builder.ts'
import { FORMAT_VERSION } from '../format/file-format.ts'
import {
  clientFolder,
  currentFile,
  draftFolder,
  listSnapshotIds,
  newSnapshotId,
  readCurrentId,
  snapshotFolder,
  snapshotsFolder,
} from '../format/layout.ts'
import { partitionOf, readCollection } from '../format/read-collection.ts'
import { serializeCollection } from '../format/serialize-collection.ts'
import { countedManifest, usableManifest } from '../intact-manifest.ts'
import {
  type ClientFiles,
  countsOf,
  examineManifest,
  type FileEntry,
  MANIFEST_FILE,
  type Manifest,
  type RefreshWarning,
  type SnapshotCounts,
  serializeManifest,
} from '../manifest.ts'
import { loadVerified, verifyFile } from '../verify.ts'
import { removeLeftovers, removeSnapshots } from './leftovers.ts'
import { contentOfManifest, oldSnapshots } from './old-snapshots.ts'
import { type RowCounts, rowCountsOf, type TableRows } from './row-counts.ts'
import { replaceDurably, type SnapshotDisk, snapshotDisk, writeSynced } from './snapshot-disk.ts'

/** What a refresh says of the snapshot that it publishes. */
export type AboutSnapshot = {
  readonly extractedAt: Date
  readonly clients: readonly { readonly clientNumber: string; readonly name: string }[]
  readonly rejects: number
  readonly tables?: TableRows
  readonly invoicesWithoutBooking?: number
  readonly warnings?: readonly RefreshWarning[]
}

export interface SnapshotDraft {
  readonly id: string
  /**
   * A folder on the data folder's file system, for files that a refresh writes beside the records, such as the list of rejects.
   * Publishing keeps them with the snapshot, abandoning removes them.
   */
  readonly folder: string
  /** The snapshot that is current while this one is built. */
  readonly previous: {
    readonly id: string
    readonly counts: SnapshotCounts
  } | null
  /** Row counts of the previous snapshot in any format. Null when there is nothing to compare with. */
  readonly rowsBefore: RowCounts | null
  /** Bookings in the newest snapshot whose counts can be read, even if it is damaged. */
  readonly bookingsBefore: number
  /** Writes a client's collection; `kept` is true when an equal file was linked from the previous snapshot. */
  add(builder: CollectionBuilder): Promise<{ readonly bytes: number; readonly kept: boolean }>
  /** Makes the draft the current snapshot. All collections of every client must have been added. */
  publish(about: AboutSnapshot): Promise<PublishedDraft>
  /** Removes the draft; the current snapshot stays. */
  abandon(): Promise<void>
}

/** `warnings` are those that the snapshot keeps besides the ones it was given. */
type PublishedDraft = { readonly id: string; readonly warnings: readonly RefreshWarning[] }

/** Where a refresh publishes its snapshot. */
export interface SnapshotDestination {
  /** Where that is, in words for an operator. */
  readonly name: string
  /** Begins a snapshot, and removes what killed refreshes left. The caller holds the lock. */
  begin(): Promise<SnapshotDraft>
  /** Removes all but the newest `keep` snapshots and those that `oldSnapshots` keeps. The current one always stays. */
  removeOldSnapshots(keep: number): Promise<void>
  /** Removes what is known of changes that are this many days older than the oldest snapshot. */
  removeOldChanges(days: number): Promise<void>
  /**
   * Keeps refreshes on other machines out. The lock of the data folder, which each refresh holds, keeps out only those on
   * the same folder.
   *
   * @returns null while another refresh holds the lock
   */
  lock?(): Promise<DestinationLock | null>
  /** The machine and process that hold the lock, such as `node-a:4711`; undefined when that cannot be found out. */
  lockHolder?(): Promise<string | undefined>
}

export type DestinationLock = {
  /** Aborted with a Problem when another refresh may have got the lock: this one must not publish any more. */
  readonly lost: AbortSignal
  readonly release: () => Promise<void>
}

export const dataFolderDestination = (dataFolder: string): SnapshotDestination => ({
  name: dataFolder,
  begin: () => beginSnapshot(dataFolder),
  removeOldSnapshots: (keep) => removeOldSnapshots(dataFolder, keep),
  removeOldChanges: async (days) => {
    const oldest = oldestStep(await listSnapshotIds(dataFolder), days)
    if (oldest !== null) await removeOldSteps(stepsInDataFolder(dataFolder), oldest)
  },
})

/** @throws Problem SNP201 or SNP202 when the data folder cannot be written */
export async function beginSnapshot(
  dataFolder: string,
  disk: SnapshotDisk = snapshotDisk,
): Promise<SnapshotDraft> {
  await disk.makeFolder(snapshotsFolder(dataFolder))
  await removeLeftovers(dataFolder, disk)
  const [newest] = await listSnapshotIds(dataFolder)
  const id = newSnapshotId(new Date(), newest)
  const folder = draftFolder(dataFolder, id)
  await disk.makeFolder(folder)
  const previous = await usableManifest(dataFolder)
  // It may be damaged, and another one compared with.
  const current = (await readCurrentId(dataFolder)) ?? previous?.id ?? newest ?? null
  const counted = await countedManifest(dataFolder)
  const comparable = previous ?? counted
  const entries = new Map<string, Partial<ClientFiles>>()
  const clientsBefore = new Map(previous?.clients.map((client) => [client.clientNumber, client]))
  const steps = createStepRecorder(
    previous && {
      version: (clientNumber, stored) => clientsBefore.get(clientNumber)?.[stored].sha256,
      clientNumbers: () => clientsBefore.keys(),
      load: async (clientNumber, stored) => {
        const entry = clientsBefore.get(clientNumber)?.[stored] as FileEntry
        const bytes = await loadVerified(join(snapshotFolder(dataFolder, previous.id), entry.path), entry)
        return { partition: readCollection(bytes, { clientNumber, stored, version: entry.sha256 }) }
      },
    },
    fileStepSink(stepsInDataFolder(dataFolder), id),
  )

  return {
    id,
    folder,
    previous: previous === null ? null : { id: previous.id, counts: countsOf(previous) },
    rowsBefore: comparable === null ? null : rowCountsOf(comparable),
    bookingsBefore: counted === null ? 0 : countsOf(counted).bookings,

    async add(builder) {
      const before = clientsBefore.get(builder.clientNumber)?.[builder.stored]
      const beforePath = before && join(snapshotFolder(dataFolder, previous?.id as string), before.path)
      const { entry, kept } = await writeCollection(
        folder,
        builder,
        before && { entry: before, path: beforePath as string },
        { disk, steps },
      )
      entries.set(builder.clientNumber, { ...entries.get(builder.clientNumber), [builder.stored]: entry })
      return { bytes: entry.bytes, kept }
    },

    async publish(about) {
      const { warnings, ...recorded } = await steps.finish(entries.keys())
      const manifest = manifestOf(id, withWarnings(about, warnings), entries)
      for (const clientNumber of entries.keys()) {
        await disk.syncFolder(join(folder, clientFolder(clientNumber)))
      }
      await writeSynced(disk, join(folder, MANIFEST_FILE), [Buffer.from(serializeManifest(manifest))])
      await disk.syncFolder(folder)
      await disk.rename(folder, snapshotFolder(dataFolder, id))
      await disk.syncFolder(snapshotsFolder(dataFolder))
      const succession = { snapshot: id, before: current, compared: previous?.id ?? null, ...recorded }
      await noteSuccession(stepsInDataFolder(dataFolder), succession)
      await replaceDurably(disk, currentFile(dataFolder), `${id}\n`)
      return { id, warnings }
    },

    async abandon() {
      await disk.remove(folder)
      if ((await readCurrentId(dataFolder)) === id) return
      const isPublished = (await listSnapshotIds(dataFolder)).includes(id)
      // The draft was renamed, but could not be made current.
      if (isPublished) await removeSnapshots(dataFolder, [id], disk)
      await steps.abandon()
    },
  }
}

export const withWarnings = (about: AboutSnapshot, found: readonly RefreshWarning[]): AboutSnapshot => ({
  ...about,
  warnings: [...(about.warnings ?? []), ...found],
})

/** @param entries what was added, by client number */
export const manifestOf = (
  id: string,
  { extractedAt, clients, rejects, tables, invoicesWithoutBooking, warnings = [] }: AboutSnapshot,
  entries: ReadonlyMap<string, Partial<ClientFiles>>,
): Manifest => ({
  format: FORMAT_VERSION,
  id,
  extractedAt: extractedAt.toISOString(),
  publishedAt: new Date().toISOString(),
  rejects,
  clients: clients.map(({ clientNumber, name }) => {
    return { clientNumber, name, ...completeFiles(clientNumber, entries.get(clientNumber)) }
  }),
  ...(tables !== undefined && { tables }),
  ...(invoicesWithoutBooking !== undefined && { invoicesWithoutBooking }),
  warnings: [...warnings],
})

/** @throws Error when a collection of the client was not added */
function completeFiles(clientNumber: string, files: Partial<ClientFiles> = {}): ClientFiles {
  const missing = storedNames.filter((stored) => files[stored] === undefined)
  if (missing.length > 0)
    throw new Error(`Client '${clientNumber}' lacks ${missing.join(', ')} in the snapshot`)
  return files as ClientFiles
}

/** Removes the snapshots that `oldSnapshots` chooses. The current one always stays. */
export async function removeOldSnapshots(
  dataFolder: string,
  keep: number,
  disk: SnapshotDisk = snapshotDisk,
): Promise<void> {
  const current = await readCurrentId(dataFolder)
  const ids = await listSnapshotIds(dataFolder)
  if (ids.length <= keep) return
  const snapshots: { readonly id: string; readonly content: string | null }[] = []
  for (const id of ids) {
    const { manifest } = await examineManifest(snapshotFolder(dataFolder, id))
    snapshots.push({ id, content: contentOfManifest(manifest) })
  }
  const old = oldSnapshots(snapshots, keep).filter(({ id }) => id !== current)
  await removeSnapshots(
    dataFolder,
    old.map(({ id }) => id),
    disk,
  )
}

async function writeCollection(
  draft: string,
  builder: CollectionBuilder,
  before: { readonly entry: FileEntry; readonly path: string } | undefined,
  { disk, steps }: { readonly disk: SnapshotDisk; readonly steps: StepRecorder },
): Promise<{ entry: FileEntry; kept: boolean }> {
  const { batch, chunks, bytes, sha256 } = await serializeCollection(builder)
  const { clientNumber, stored } = builder
  const identity = { clientNumber, stored, version: sha256 }
  await steps.note(identity, () => partitionOf(batch, bytes, identity))
  const clientPath = clientFolder(builder.clientNumber)
  const path = `${clientPath}/${builder.stored}.arrow`
  const entry = { path, bytes, sha256, rows: builder.rowCount, elements: builder.elementCount }
  await disk.makeFolder(join(draft, clientPath))
  const kept = before?.entry.sha256 === sha256 && (await linkIntact(before, join(draft, path), disk))
  if (!kept) await writeSynced(disk, join(draft, path), chunks)
  return { entry, kept }
}

/** Links the previous file unless it was damaged meanwhile, or the file system does not support links. */
async function linkIntact(
  before: { entry: FileEntry; path: string },
  target: string,
  disk: SnapshotDisk,
): Promise<boolean> {
  if ((await verifyFile(before.path, before.entry)) !== null) return false
  try {
    await disk.link(before.path, target)
    return true
  } catch {
    // The new file must not be written through this link: the previous snapshot uses the same file.
    await disk.remove(target)
    return false
  }
}
