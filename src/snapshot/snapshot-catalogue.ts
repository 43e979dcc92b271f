/**
 * Decides which snapshot a request reads from: the current one, the one that was current when a run or request began
 * (pinned), or an earlier one by its id (retained). A start takes the current snapshot if it verifies, otherwise the newest
 * older one that does. When a file is found damaged at its first use, the client's file of the next older intact snapshot
 * replaces it, so that one bad block never makes a client unavailable. Partitions come from the cache (partition-cache.ts).
 */
import { RecordBatchFileWriter } from 'apache-arrow'
import type { Observe } from '../observe/observation.ts'
import type { StoredName } from '../schema/datasets.ts'
import type { OpenPartition, Origin } from './cached-file.ts'
import type { CollectionFile, OpenCollectionFiles } from './files/collection-files.ts'
import { CollectionBuilder } from './format/collection-builder.ts'
import { readCollection } from './format/read-collection.ts'
import { candidates } from './intact-manifest.ts'
import { filesOf, type Manifest } from './manifest.ts'
import { Manifests } from './manifests.ts'
import type { Partition } from './partition.ts'
import { PartitionCache } from './partition-cache.ts'
import { noIntactFile, snapshotGone, snapshotRetired } from './problems.ts'
import type { Catalogue, Hold, Snapshot } from './snapshot.ts'

export class SnapshotCatalogue implements Catalogue<Snapshot> {
  readonly #manifests: Manifests
  readonly #cache: PartitionCache
  #current: Snapshot | null = null
  #pinnedCurrent: Snapshot | null = null
  /** Retained snapshots that were requested since the current one was announced. */
  #retained = new Map<string, Promise<Snapshot>>()

  constructor(dataFolder: string, observe: Observe, openFiles: OpenCollectionFiles) {
    this.#manifests = new Manifests(dataFolder, observe)
    this.#cache = new PartitionCache(observe, openFiles)
  }

  current(): Snapshot | null {
    return this.#current
  }

  /**
   * Checks again which snapshot should be current, and announces it when that has changed.
   *
   * @returns the manifest of the newly announced snapshot, or null when there is nothing new
   */
  async refresh(): Promise<Manifest | null> {
    const manifest = await this.#manifests.successorOf(this.#current?.id)
    // Another call may have announced it at the same time.
    if (manifest === null || manifest.id === this.#current?.id) return null
    this.announce(manifest)
    return manifest
  }

  /**
   * Opens the files that will replace the open ones, so that no request has to wait for them once the snapshot is announced.
   * The first request tries again where this fails.
   *
   * @param mostBytes the most bytes to load
   */
  async prepare(manifest: Manifest, mostBytes: number): Promise<void> {
    const clients = new Map(manifest.clients.map((client) => [client.clientNumber, client]))
    let left = mostBytes
    for (const { clientNumber, stored } of await this.#cache.partitions()) {
      const entry = clients.get(clientNumber)?.[stored]
      if (entry === undefined || this.#cache.has(entry.sha256) || entry.bytes > left) continue
      left -= entry.bytes
      const file = { snapshot: manifest.id, clientNumber, stored, entry }
      await this.#ownOrOlder(file).catch(() => undefined)
    }
  }

  /** Makes a snapshot current for later requests. Requests that have begun finish on the previous one. */
  announce(manifest: Manifest): Snapshot {
    this.#cache.keepOnly(new Set(manifest.clients.flatMap(filesOf).map(({ sha256 }) => sha256)))
    this.#retained = new Map()
    // One that replaces another in this process may be an earlier one, after a return to it.
    const since = this.#current === null ? new Date(manifest.publishedAt) : new Date()
    const snapshot = this.#open(manifest, since, (file) =>
      this.#current === snapshot ? this.#ownOrOlder(file) : this.#ofEarlier(file),
    )
    this.#current = snapshot
    this.#pinnedCurrent = this.#open(manifest, since, (file) =>
      this.#current === snapshot ? this.#ownOrOlder(file) : this.#ownOrSame(file),
    )
    return snapshot
  }

  /**
   * The current snapshot for a caller that reads it several times: its partitions stay its own when another snapshot becomes
   * current. They fail with SNP306 when the snapshot is removed before they are read and no other snapshot has the same file.
   */
  pinned(): Snapshot | null {
    return this.#pinnedCurrent
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
    const isThere = (await this.#manifests.published()).includes(id)
    const manifest = isThere ? await this.#manifests.intact(id) : null
    if (manifest === null) throw snapshotGone(id)
    return this.#open(manifest, new Date(manifest.publishedAt), (file) => this.#own(file))
  }

  #open(
    manifest: Manifest,
    currentSince: Date,
    open: (file: CollectionFile) => Promise<OpenPartition>,
  ): Snapshot {
    const clients = new Map(manifest.clients.map((client) => [client.clientNumber, client]))
    const origin = originOf(manifest)
    const snapshot = manifest.id
    return {
      id: snapshot,
      extractedAt: origin.extractedAt,
      publishedAt: new Date(manifest.publishedAt),
      currentSince,
      clientNumbers: [...clients.keys()],
      byteLength: (clientNumber, stored) => clients.get(clientNumber)?.[stored].bytes ?? 0,
      partition: async (clientNumber, stored) => {
        const entry = clients.get(clientNumber)?.[stored]
        if (entry === undefined) {
          return { ...origin, partition: await emptyPartition(clientNumber, stored), hold: holdNothing }
        }
        const opened = await open({ snapshot, clientNumber, stored, entry })
        this.#cache.use(opened)
        const { partition, olderOrigin, hold } = opened
        return { ...(olderOrigin ?? origin), partition, hold }
      },
    }
  }

  #ownOrOlder(file: CollectionFile): Promise<OpenPartition> {
    return this.#cache.ownOrOlder(file, () => this.#older(file))
  }

  /** A file that only an earlier snapshot has is not kept for later requests. */
  async #ofEarlier(file: CollectionFile): Promise<OpenPartition> {
    if (this.#cache.has(file.entry.sha256)) return this.#ownOrOlder(file)
    return (await this.#cache.openBeside(file)) ?? this.#older(file)
  }

  /** Never uses a file of another snapshot instead. */
  async #own(file: CollectionFile): Promise<OpenPartition> {
    const own = await this.#cache.own(file)
    if (own === null) throw snapshotGone(file.snapshot)
    return own
  }

  /** A later snapshot has the same file when the data of the client has not changed. */
  async #ownOrSame(file: CollectionFile): Promise<OpenPartition> {
    const { snapshot, clientNumber, stored, entry } = file
    const own = await this.#cache.own(file).catch(() => null)
    if (own !== null) return own
    for (const id of await this.#manifests.published()) {
      const manifest = await this.#manifests.intact(id)
      const same = manifest?.clients.find((client) => client.clientNumber === clientNumber)?.[stored]
      if (same?.sha256 !== entry.sha256) continue
      const opened = await this.#cache.own({ ...file, snapshot: id, entry: same }).catch(() => null)
      if (opened !== null) return opened
    }
    throw snapshotRetired(snapshot, clientNumber, stored)
  }

  /** The first intact file among the snapshots that are tried after the one with the damaged file. */
  async #older({ snapshot: damaged, clientNumber, stored, entry }: CollectionFile): Promise<OpenPartition> {
    for (const snapshot of candidates(damaged, await this.#manifests.published()).slice(1)) {
      const manifest = await this.#manifests.intact(snapshot)
      const olderEntry = manifest?.clients.find((client) => client.clientNumber === clientNumber)?.[stored]
      // A file with the same checksum is the same damaged file under another link.
      if (!manifest || olderEntry === undefined || olderEntry.sha256 === entry.sha256) continue
      const older = await this.#cache.own({ snapshot, clientNumber, stored, entry: olderEntry })
      if (older !== null) return { ...older, olderOrigin: originOf(manifest) }
    }
    throw noIntactFile(clientNumber, stored)
  }
}

const holdNothing: Hold = () => () => undefined

const originOf = ({ id, extractedAt }: Manifest): Origin => ({
  snapshotId: id,
  extractedAt: new Date(extractedAt),
})

/** The partition of a client that the snapshot does not know: no records and no labels. */
async function emptyPartition(clientNumber: string, stored: StoredName): Promise<Partition> {
  const writer = new RecordBatchFileWriter()
  writer.write(new CollectionBuilder(stored, clientNumber, []).finish())
  writer.finish()
  return readCollection(writer.toUint8Array(true), { clientNumber, stored, version: 'empty' })
}
