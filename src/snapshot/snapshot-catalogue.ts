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
import { countedClients, filesOf, type Manifest } from './manifest.ts'
import { Manifests } from './manifests.ts'
import type { Partition } from './partition.ts'
import { PartitionCache } from './partition-cache.ts'
import { isUnavailable, noIntactFile, notReadableNow, snapshotGone, snapshotRetired } from './problems.ts'
import type { Catalogue, Hold, Snapshot } from './snapshot.ts'
import type { ManifestSource } from './snapshot-source.ts'

type PrepareLimits = {
  /** The most bytes to load. */
  readonly mostBytes: number
  /** How long requests are kept on the snapshot in use for it; files that take longer go on loading. */
  readonly mostMs?: number | undefined
}

const NO_LIMIT_MS = Number.POSITIVE_INFINITY

export class SnapshotCatalogue implements Catalogue<Snapshot> {
  readonly #manifests: Manifests
  readonly #cache: PartitionCache
  #current: Snapshot | null = null
  #pinnedCurrent: Snapshot | null = null
  /** The manifest of the current snapshot: walks over its pages need nothing that may be away. */
  #announced: Manifest | null = null
  /** Retained snapshots that were requested since the current one was announced. */
  #retained = new Map<string, Promise<Snapshot>>()

  /** @param source may be the path of a data folder */
  constructor(source: ManifestSource | string, observe: Observe, openFiles: OpenCollectionFiles) {
    this.#manifests = new Manifests(source, observe)
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
   * @throws Problem of the kind `unavailable` when shared files cannot be read at the moment; the snapshot in use has its own
   */
  async prepare(manifest: Manifest, { mostBytes, mostMs = NO_LIMIT_MS }: PrepareLimits): Promise<void> {
    const replacing = this.#filesToPrepare(manifest, await this.#cache.partitions(), mostBytes)
    const openInTurn = async () => {
      for (const file of replacing) {
        await this.#ownOrOlder(file).catch((cause: unknown) => {
          if (isUnavailable(cause)) throw cause
        })
      }
    }
    const { parallelLoads } = this.#manifests.source
    const opening = Promise.all(Array.from({ length: parallelLoads }, openInTurn))
    await (mostMs === NO_LIMIT_MS ? opening : atMost(mostMs, opening))
  }

  *#filesToPrepare(
    manifest: Manifest,
    open: readonly Partition[],
    mostBytes: number,
  ): Generator<CollectionFile> {
    const clients = new Map(manifest.clients.map((client) => [client.clientNumber, client]))
    let left = mostBytes
    for (const { clientNumber, stored } of open) {
      const entry = clients.get(clientNumber)?.[stored]
      if (entry === undefined || this.#cache.has(entry.sha256) || entry.bytes > left) continue
      left -= entry.bytes
      yield { snapshot: manifest.id, clientNumber, stored, entry }
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
    this.#announced = manifest
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
    const manifest = this.#announced?.id === id ? this.#announced : await this.#retainedManifest(id)
    if (manifest === null) throw snapshotGone(id)
    return this.#open(manifest, new Date(manifest.publishedAt), (file) => this.#own(file))
  }

  async #retainedManifest(id: string): Promise<Manifest | null> {
    try {
      const isThere = (await this.#manifests.published()).includes(id)
      return isThere ? await this.#manifests.intact(id) : null
    } catch (cause) {
      throw isUnavailable(cause) ? notReadableNow(`Snapshot '${id.slice(0, 60)}'`, cause) : cause
    }
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
      clients: async () => countedClients(manifest),
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
    const own = await this.#cache.own(file).catch(nullUnlessUnavailable)
    if (own !== null) return own
    for (const id of await this.#manifests.published()) {
      const manifest = await this.#manifests.intact(id)
      const same = manifest?.clients.find((client) => client.clientNumber === clientNumber)?.[stored]
      if (same?.sha256 !== entry.sha256) continue
      const opened = await this.#cache
        .own({ ...file, snapshot: id, entry: same })
        .catch(nullUnlessUnavailable)
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

/** Resolves at the latest when the time is over; a rejection after that is of no interest. */
async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const timeIsOver = Promise.withResolvers<void>()
  const timer = setTimeout(timeIsOver.resolve, milliseconds)
  await Promise.race([work, timeIsOver.promise]).finally(() => clearTimeout(timer))
}

const holdNothing: Hold = () => () => undefined

function nullUnlessUnavailable(cause: unknown): null {
  if (isUnavailable(cause)) throw cause
  return null
}

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
