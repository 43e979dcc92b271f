/**
 * Publishes snapshots to storage that several nodes share. Files of unchanged clients are the objects of the snapshot before;
 * the others are uploaded while the next clients are built. Publishing is one transaction of the control store. A refresh that
 * is killed before it leaves objects that the collector removes, and a row that the next refresh removes.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createStepRecorder } from '../changes/step-recorder.ts'
import { fileStepSink, oldestStep, removeOldSteps, stepsInStorage } from '../changes/stored-steps.ts'
import { noteSuccession } from '../changes/stored-successions.ts'
import { draftFolder, makeDataFolder, newSnapshotId, snapshotsFolder } from '../format/layout.ts'
import { partitionOf, readCollection } from '../format/read-collection.ts'
import { serializeCollection } from '../format/serialize-collection.ts'
import { candidates } from '../intact-manifest.ts'
import { type ClientFiles, countsOf, type FileEntry, type Manifest } from '../manifest.ts'
import type { BesideEntry } from '../manifest-shape.ts'
import { removeLeftovers } from '../writing/leftovers.ts'
import { contentOfManifest, oldSnapshots } from '../writing/old-snapshots.ts'
import { rowCountsOf } from '../writing/row-counts.ts'
import { snapshotDisk } from '../writing/snapshot-disk.ts'
import {
  manifestOf,
  type SnapshotDestination,
  type SnapshotDraft,
  withWarnings,
} from '../writing/snapshot-writer.ts'
import { collectObjects } from './collect-objects.ts'
import { countedManifestObject, manifestObject } from './manifest-object.ts'
import { keyOf, prefixOf } from './object-keys.ts'
import type { ObjectReader } from './object-reader.ts'
import type { ObjectStore } from './object-store.ts'
import { draftEnded, storageAway } from './problems.ts'
import { examinePublished } from './shared-source.ts'
import type { PublishedSnapshot, SnapshotIndex } from './snapshot-index.ts'
import { UploadQueue } from './upload-queue.ts'

export type SharedParts = {
  readonly dataFolder: string
  readonly store: ObjectStore
  readonly reader: ObjectReader
  readonly index: SnapshotIndex
  /** The id of the control store. */
  readonly installation: string
  /** The PostgreSQL database on which all nodes lock; undefined when the control store is a file of one node. */
  readonly lockUrl?: string | undefined
  /** Who publishes, for the trail of changes. */
  readonly by: string
  /** How long the files of removed snapshots are kept for readers. */
  readonly graceMs?: number | undefined
}

export const sharedDestination = (parts: SharedParts): SnapshotDestination => ({
  name: parts.store.name,
  begin: () => beginShared(parts),
  removeOldSnapshots: async (keep) => {
    await retireOld(parts, keep)
    await collectObjects(parts)
  },
  removeOldChanges: async (days) => {
    const oldest = oldestStep(
      (await parts.index.list()).map(({ id }) => id),
      days,
    )
    if (oldest !== null) await removeOldSteps(stepsInStorage(parts, parts.installation), oldest)
  },
  ...(parts.lockUrl !== undefined && lockOn(parts.lockUrl)),
})

async function retireOld({ index, reader }: SharedParts, keep: number): Promise<void> {
  const published = await index.list()
  if (published.length <= keep) return
  const snapshots: { readonly id: string; readonly content: string | null }[] = []
  for (const each of published) {
    const { manifest } = await examinePublished(each, reader)
    snapshots.push({ id: each.id, content: contentOfManifest(manifest) })
  }
  await index.retire(oldSnapshots(snapshots, keep).map(({ id }) => id))
}

const lockOn = (url: string) => ({
  // Loaded only where it is needed.
  lock: async () => (await import('../../postgres/advisory-locks.ts')).tryAdvisoryLock(url, 'refresh'),
  lockHolder: async () => (await import('../../postgres/advisory-locks.ts')).lockHolder(url, 'refresh'),
})

/** @throws Problem SNP201 or SNP202 for the data folder, SNP401 when the storage does not work at the moment */
async function beginShared(parts: SharedParts): Promise<SnapshotDraft> {
  const { dataFolder, index } = parts
  makeDataFolder(snapshotsFolder(dataFolder))
  await removeLeftovers(dataFolder, snapshotDisk)
  const { id, base } = await index.begin((newest) => newSnapshotId(new Date(), newest))
  try {
    const folder = draftFolder(dataFolder, id)
    makeDataFolder(folder)
    return await draftOn(parts, { id, folder, current: base?.id ?? null }, await readBefore(parts, base))
  } catch (error) {
    await index.abandon(id)
    throw error
  }
}

type Before = {
  /** The manifest of the current snapshot, whose objects the new one may use; null when there is none to use. */
  readonly base: Manifest | null
  readonly comparable: Pick<SnapshotDraft, 'rowsBefore' | 'bookingsBefore'>
  /** The sizes of all stored objects by key. */
  readonly stored: ReadonlyMap<string, number>
}

async function readBefore(
  { store, reader, index, installation }: SharedParts,
  current: PublishedSnapshot | null,
): Promise<Before> {
  const stored = new Map<string, number>()
  try {
    for await (const { key, bytes } of store.list(prefixOf(installation))) stored.set(key, bytes)
  } catch (cause) {
    throw storageAway(store.name, cause)
  }
  const base = current === null ? null : (await examinePublished(current, reader)).manifest
  if (base !== null) {
    const comparable = { rowsBefore: rowCountsOf(base), bookingsBefore: countsOf(base).bookings }
    return { base, comparable, stored }
  }
  const published = new Map((await index.list()).map((each) => [each.id, each]))
  for (const id of candidates(current?.id, [...published.keys()])) {
    const counted = await countedManifestObject(published.get(id), reader)
    if (counted === null) continue
    const comparable = { rowsBefore: rowCountsOf(counted), bookingsBefore: countsOf(counted).bookings }
    return { base, comparable, stored }
  }
  return { base, comparable: { rowsBefore: null, bookingsBefore: 0 }, stored }
}

async function draftOn(
  { store, reader, index, installation, by }: SharedParts,
  { id, folder, current }: { readonly id: string; readonly folder: string; readonly current: string | null },
  { base, comparable, stored }: Before,
): Promise<SnapshotDraft> {
  const uploads = new UploadQueue(store)
  const entries = new Map<string, Partial<ClientFiles>>()
  const before = new Map(base?.clients.map((client) => [client.clientNumber, client]))

  const stepFiles = stepsInStorage({ store, reader }, installation)
  const steps = createStepRecorder(
    base && {
      version: (clientNumber, stored) => before.get(clientNumber)?.[stored].sha256,
      clientNumbers: () => before.keys(),
      load: async (clientNumber, stored) => {
        const entry = before.get(clientNumber)?.[stored] as FileEntry
        const { path: key, bytes, sha256 } = entry
        const content = await reader.load({ key, bytes, sha256 })
        return { partition: readCollection(content, { clientNumber, stored, version: sha256 }) }
      },
    },
    fileStepSink(stepFiles, id),
  )

  /** A file beside the records. */
  async function uploadBeside(name: string): Promise<BesideEntry> {
    const content = await readFile(join(folder, name))
    const sha256 = createHash('sha256').update(content).digest('hex')
    const path = keyOf(installation, id, sha256)
    await uploads.add(path, { chunks: [content], bytes: content.byteLength, sha256 })
    return { name, path, bytes: content.byteLength, sha256 }
  }

  return {
    id,
    folder,
    previous: base === null ? null : { id: base.id, counts: countsOf(base) },
    ...comparable,

    async add(builder) {
      const content = await serializeCollection(builder)
      const { batch, bytes, sha256 } = content
      const { clientNumber, stored: name } = builder
      const identity = { clientNumber, stored: name, version: sha256 }
      await steps.note(identity, () => partitionOf(batch, bytes, identity))
      const earlier = before.get(builder.clientNumber)?.[builder.stored]
      const kept = earlier?.sha256 === sha256 && stored.get(earlier.path) === bytes
      const path = kept ? earlier.path : keyOf(installation, id, sha256)
      if (!kept) await uploads.add(path, content)
      const entry: FileEntry = { path, bytes, sha256, rows: builder.rowCount, elements: builder.elementCount }
      entries.set(builder.clientNumber, { ...entries.get(builder.clientNumber), [builder.stored]: entry })
      return { bytes, kept }
    },

    async publish(about) {
      const files: BesideEntry[] = []
      for (const name of await readdir(folder)) files.push(await uploadBeside(name))
      const { warnings, ...recorded } = await steps.finish(entries.keys())
      const manifest = { ...manifestOf(id, withWarnings(about, warnings), entries), files }
      const content = await manifestObject(manifest)
      const key = keyOf(installation, id, content.sha256)
      await uploads.add(key, content)
      await uploads.stored()
      const succession = { snapshot: id, before: current, compared: base?.id ?? null, ...recorded }
      await noteSuccession(stepFiles, succession)
      if (!(await index.publish(id, { key, bytes: content.bytes }, by))) throw draftEnded(id)
      await rm(folder, { recursive: true, force: true })
      return { id, warnings }
    },

    async abandon() {
      await rm(folder, { recursive: true, force: true })
      await uploads.ended()
      await index.abandon(id)
      // Nothing can publish them any more, unless they are published: then the caller could not know that.
      if ((await index.find(id)) === null) {
        await store.delete(uploads.keys)
        await steps.abandon()
      }
    },
  }
}
