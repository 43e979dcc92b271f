/**
 * Knows which snapshot is current and loads its partitions. At start it takes the current snapshot if that verifies, else
 * the newest older one that does. A file found damaged when it is first used is replaced by the client's file in the next
 * older intact snapshot, so that one bad block never takes a client off the air.
 */
import { join } from 'node:path'
import { RecordBatchFileWriter } from 'apache-arrow'
import { RecencyCache } from '../kernel/recency-cache.ts'
import type { Observe } from '../observe/observation.ts'
import type { StoredName } from '../schema/datasets.ts'
import { CollectionBuilder } from './collection-builder.ts'
import { candidates, intactManifest } from './intact-manifest.ts'
import { listSnapshotIds, readCurrentId, snapshotFolder } from './layout.ts'
import { type FileEntry, filesOf, type Manifest } from './manifest.ts'
import type { Partition } from './partition.ts'
import { noIntactFile, reasonOf, snapshotGone } from './problems.ts'
import { readCollection } from './read-collection.ts'
import type { Catalogue, LoadedPartition, Snapshot } from './snapshot.ts'
import { loadVerified } from './verify.ts'

export class SnapshotCatalogue implements Catalogue {
  readonly #dataFolder: string
  readonly #observe: Observe
  #current: Snapshot | null = null
  /**
   * Loaded and loading partitions by checksum: a client that a refresh left unchanged stays loaded. Beyond the memory
   * budget the least recently used are let go; a request that is using one keeps it to its end.
   */
  readonly #partitions: RecencyCache<Promise<Loaded>>
  readonly #memoryBudget: number

  /** Checksums whose place is taken by an older file: a new snapshot has that file intact again. */
  readonly #replaced = new Set<string>()
  readonly #reported = new Set<string>()
  /** Retained snapshots that somebody asked for since the current one was announced. */
  #retained = new Map<string, Promise<Snapshot>>()

  /** @param memoryBudget bytes of the files that may be loaded at the same time */
  constructor(dataFolder: string, observe: Observe, memoryBudget = Number.POSITIVE_INFINITY) {
    this.#dataFolder = dataFolder
    this.#observe = observe
    this.#memoryBudget = memoryBudget
    this.#partitions = new RecencyCache(memoryBudget)
  }

  current(): Snapshot | null {
    return this.#current
  }

  /**
   * Looks again which snapshot is current, and announces it when that has changed. Requests that hold the previous
   * snapshot finish on it.
   */
  async refresh(): Promise<Snapshot | null> {
    const wanted = await readCurrentId(this.#dataFolder)
    if (this.#current !== null && this.#current.id === wanted) return this.#current
    for (const id of candidates(wanted, await listSnapshotIds(this.#dataFolder))) {
      if (id === this.#current?.id) return this.#current
      const manifest = await this.#verifiedManifest(id)
      if (manifest !== null) return this.#announce(manifest)
    }
    return this.#current
  }

  retained(id: string): Promise<Snapshot> {
    const known = this.#retained.get(id)
    if (known !== undefined) return known
    const opening = this.#openRetained(id)
    this.#retained.set(id, opening)
    opening.catch(() => this.#retained.delete(id))
    return opening
  }

  async #openRetained(id: string): Promise<Snapshot> {
    const isThere = (await listSnapshotIds(this.#dataFolder)).includes(id)
    const manifest = isThere ? await this.#verifiedManifest(id) : null
    if (manifest === null) throw snapshotGone(id)
    const loading = new Map<string, Promise<Loaded>>()
    return this.#open(manifest, async (clientNumber, stored, entry) => {
      const known = await this.#partitions.get(entry.sha256)?.catch(() => undefined)
      if (known !== undefined && known.olderOrigin === null) return known
      const underWay = loading.get(entry.sha256) ?? this.#loadAsIs(id, clientNumber, stored, entry)
      loading.set(entry.sha256, underWay)
      return underWay.finally(() => loading.delete(entry.sha256))
    })
  }

  async #loadAsIs(id: string, clientNumber: string, stored: StoredName, entry: FileEntry): Promise<Loaded> {
    const partition = await this.#tryLoad(id, clientNumber, stored, entry)
    if (partition === null) throw snapshotGone(id)
    const loaded = { partition, olderOrigin: null }
    this.#hold(entry, Promise.resolve(loaded))
    return loaded
  }

  async #verifiedManifest(id: string): Promise<Manifest | null> {
    const { manifest, problem } = await intactManifest(this.#dataFolder, id)
    // The data folder is looked at every second, but one report is enough.
    if (problem !== null && !this.#reported.has(id)) {
      this.#reported.add(id)
      const reason = problem.message
      this.#observe(
        problem.code === 'SNP304'
          ? { kind: 'snapshot-skipped', snapshot: id, reason }
          : { kind: 'snapshot-damaged', snapshot: id, file: id, reason },
      )
    }
    return manifest
  }

  #announce(manifest: Manifest): Snapshot {
    const stillUsed = new Set(manifest.clients.flatMap(filesOf).map(({ sha256 }) => sha256))
    const outdated = this.#partitions.keys().filter((sha256) => !stillUsed.has(sha256))
    for (const sha256 of [...outdated, ...this.#replaced]) this.#partitions.forget(sha256)
    this.#reportHeld()
    this.#replaced.clear()
    this.#retained = new Map()
    const snapshot = this.#open(manifest, (clientNumber, stored, entry) =>
      this.#partition(manifest.id, clientNumber, stored, entry),
    )
    this.#current = snapshot
    this.#observe({
      kind: 'snapshot-announced',
      snapshot: manifest.id,
      clients: manifest.clients.length,
      extractedAt: snapshot.extractedAt,
    })
    return snapshot
  }

  #open(
    manifest: Manifest,
    load: (clientNumber: string, stored: StoredName, entry: FileEntry) => Promise<Loaded>,
  ): Snapshot {
    const clients = new Map(manifest.clients.map((client) => [client.clientNumber, client]))
    const origin = originOf(manifest)
    return {
      id: manifest.id,
      extractedAt: origin.extractedAt,
      publishedAt: new Date(manifest.publishedAt),
      clientNumbers: [...clients.keys()],
      partition: async (clientNumber, stored) => {
        const entry = clients.get(clientNumber)?.[stored]
        if (entry === undefined) return { ...origin, partition: await emptyPartition(clientNumber, stored) }
        const { partition, olderOrigin } = await load(clientNumber, stored, entry)
        return { ...(olderOrigin ?? origin), partition }
      },
    }
  }

  #partition(id: string, clientNumber: string, stored: StoredName, entry: FileEntry): Promise<Loaded> {
    const known = this.#partitions.get(entry.sha256)
    if (known !== undefined) return known
    const loading = this.#loadOrFallBack(id, clientNumber, stored, entry)
    this.#hold(entry, loading)
    // A failed load is tried again by the next request.
    loading.catch(() => this.#partitions.forget(entry.sha256))
    return loading
  }

  /** A file that is larger than the whole budget takes all of it, rather than being loaded anew by every request. */
  #hold({ sha256, bytes }: FileEntry, loading: Promise<Loaded>): void {
    this.#partitions.keep(sha256, loading, Math.min(bytes, this.#memoryBudget))
    this.#reportHeld()
  }

  #reportHeld(): void {
    const { size, weight } = this.#partitions
    this.#observe({ kind: 'partitions-held', count: size, bytes: weight })
  }

  async #loadOrFallBack(
    id: string,
    clientNumber: string,
    stored: StoredName,
    entry: FileEntry,
  ): Promise<Loaded> {
    const partition = await this.#tryLoad(id, clientNumber, stored, entry)
    if (partition !== null) return { partition, olderOrigin: null }
    this.#replaced.add(entry.sha256)
    for (const olderId of candidates(id, await listSnapshotIds(this.#dataFolder)).slice(1)) {
      const manifest = await this.#verifiedManifest(olderId)
      const olderEntry = manifest?.clients.find((client) => client.clientNumber === clientNumber)?.[stored]
      // The same checksum is the same damaged file under another link.
      if (olderEntry === undefined || olderEntry.sha256 === entry.sha256) continue
      const olderPartition = await this.#tryLoad(olderId, clientNumber, stored, olderEntry)
      if (manifest && olderPartition) return { partition: olderPartition, olderOrigin: originOf(manifest) }
    }
    throw noIntactFile(clientNumber, stored)
  }

  async #tryLoad(
    id: string,
    clientNumber: string,
    stored: StoredName,
    entry: FileEntry,
  ): Promise<Partition | null> {
    const started = performance.now()
    try {
      const bytes = await loadVerified(join(snapshotFolder(this.#dataFolder, id), entry.path), entry)
      const partition = readCollection(bytes, { clientNumber, stored, version: entry.sha256 })
      this.#observe({
        kind: 'partition-loaded',
        snapshot: id,
        clientNumber,
        stored,
        bytes: entry.bytes,
        milliseconds: performance.now() - started,
      })
      return partition
    } catch (error) {
      this.#observe({ kind: 'snapshot-damaged', snapshot: id, file: entry.path, reason: reasonOf(error) })
      return null
    }
  }
}

type Origin = Omit<LoadedPartition, 'partition'>

/** A partition, and where it is from when the snapshot that wanted it had only a damaged file. */
type Loaded = { readonly partition: Partition; readonly olderOrigin: Origin | null }

const originOf = ({ id, extractedAt }: Manifest): Origin => ({
  snapshotId: id,
  extractedAt: new Date(extractedAt),
})

/** What a client that the snapshot does not know reads: no records, and no labels. */
async function emptyPartition(clientNumber: string, stored: StoredName): Promise<Partition> {
  const writer = new RecordBatchFileWriter()
  writer.write(new CollectionBuilder(stored, clientNumber, []).finish())
  writer.finish()
  return readCollection(writer.toUint8Array(true), { clientNumber, stored, version: 'empty' })
}
