/**
 * Says which snapshot a request reads from: the current one, the one that was current when somebody began (pinned), or an
 * earlier one by its id (retained). At start the current snapshot is taken if it verifies, else the newest older one that
 * does. A file found damaged when it is first used is replaced by the client's file in the next older intact snapshot, so
 * that one bad block never takes a client off the air. Partitions come from the cache (partition-cache.ts).
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

export class SnapshotCatalogue implements Catalogue {
  readonly #manifests: Manifests
  readonly #cache: PartitionCache
  #current: Snapshot | null = null
  #pinnedCurrent: Snapshot | null = null
  /** Retained snapshots that somebody asked for since the current one was announced. */
  #retained = new Map<string, Promise<Snapshot>>()

  constructor(dataFolder: string, observe: Observe, openFiles: OpenCollectionFiles) {
    this.#manifests = new Manifests(dataFolder, observe)
    this.#cache = new PartitionCache(observe, openFiles)
  }

  current(): Snapshot | null {
    return this.#current
  }

  /**
   * Looks again which snapshot should be current, and announces it when that has changed.
   *
   * @returns the manifest of the newly announced snapshot, or null when there is nothing new
   */
  async refresh(): Promise<Manifest | null> {
    const manifest = await this.#manifests.successorOf(this.#current?.id)
    // Somebody else may have looked at the same time.
    if (manifest === null || manifest.id === this.#current?.id) return null
    this.announce(manifest)
    return manifest
  }

  /**
   * Opens what will take the place of what is open now, so that nobody who is asking has to wait for it once the snapshot is
   * announced. What fails is left to the first request.
   *
   * @param mostBytes to load for this
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

  /** Makes a snapshot current from the next request on. Requests that hold the previous one finish on it. */
  announce(manifest: Manifest): Snapshot {
    this.#cache.keepOnly(new Set(manifest.clients.flatMap(filesOf).map(({ sha256 }) => sha256)))
    this.#retained = new Map()
    const snapshot = this.#open(manifest, (file) =>
      this.#current === snapshot ? this.#ownOrOlder(file) : this.#ofEarlier(file),
    )
    this.#current = snapshot
    this.#pinnedCurrent = this.#open(manifest, (file) =>
      this.#current === snapshot ? this.#ownOrOlder(file) : this.#ownOrSame(file),
    )
    return snapshot
  }

  /**
   * The current snapshot, for somebody who asks it more than once: its partitions are its own also when another one is
   * current by then. They fail with SNP306 when the snapshot is removed before they are read and no other has the same.
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
    return this.#open(manifest, (file) => this.#own(file))
  }

  #open(manifest: Manifest, open: (file: CollectionFile) => Promise<OpenPartition>): Snapshot {
    const clients = new Map(manifest.clients.map((client) => [client.clientNumber, client]))
    const origin = originOf(manifest)
    const snapshot = manifest.id
    return {
      id: snapshot,
      extractedAt: origin.extractedAt,
      publishedAt: new Date(manifest.publishedAt),
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

  /** What belongs to an earlier snapshot alone is not kept for the rest of its requests. */
  async #ofEarlier(file: CollectionFile): Promise<OpenPartition> {
    if (this.#cache.has(file.entry.sha256)) return this.#ownOrOlder(file)
    return (await this.#cache.openBeside(file)) ?? this.#older(file)
  }

  /** Never a file of another snapshot in its place. */
  async #own(file: CollectionFile): Promise<OpenPartition> {
    const own = await this.#cache.own(file)
    if (own === null) throw snapshotGone(file.snapshot)
    return own
  }

  /** A later snapshot in which nothing of this has changed has the same file. */
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

  /** The newest intact file among the snapshots that are tried after the one of a damaged file. */
  async #older({ snapshot: damaged, clientNumber, stored, entry }: CollectionFile): Promise<OpenPartition> {
    for (const snapshot of candidates(damaged, await this.#manifests.published()).slice(1)) {
      const manifest = await this.#manifests.intact(snapshot)
      const olderEntry = manifest?.clients.find((client) => client.clientNumber === clientNumber)?.[stored]
      // The same checksum is the same damaged file under another link.
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

/** What a client that the snapshot does not know reads: no records, and no labels. */
async function emptyPartition(clientNumber: string, stored: StoredName): Promise<Partition> {
  const writer = new RecordBatchFileWriter()
  writer.write(new CollectionBuilder(stored, clientNumber, []).finish())
  writer.finish()
  return readCollection(writer.toUint8Array(true), { clientNumber, stored, version: 'empty' })
}
