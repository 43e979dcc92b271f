/**
 * Knows which snapshot is current and opens its partitions. At start it takes the current snapshot if that verifies, else
 * the newest older one that does. A file found damaged when it is first used is replaced by the client's file in the next
 * older intact snapshot, so that one bad block never takes a client off the air.
 */
import { RecordBatchFileWriter } from 'apache-arrow'
import type { Observe } from '../observe/observation.ts'
import { isOutOfFiles } from '../observe/open-files.ts'
import type { StoredName } from '../schema/datasets.ts'
import type {
  CollectionFile,
  CollectionFiles,
  HeldFile,
  OpenCollectionFiles,
} from './files/collection-files.ts'
import { noteSharedGarbage } from './files/shared-memory.ts'
import { CollectionBuilder } from './format/collection-builder.ts'
import { readCollection } from './format/read-collection.ts'
import { candidates } from './intact-manifest.ts'
import { filesOf, type Manifest } from './manifest.ts'
import { Manifests } from './manifests.ts'
import type { Partition } from './partition.ts'
import { noIntactFile, noRoomToOpen, reasonOf, snapshotGone, snapshotRetired } from './problems.ts'
import type { Catalogue, Hold, LoadedPartition, Snapshot } from './snapshot.ts'

export class SnapshotCatalogue implements Catalogue {
  readonly #observe: Observe
  readonly #manifests: Manifests
  readonly #files: CollectionFiles
  #current: Snapshot | null = null
  #pinnedCurrent: Snapshot | null = null
  /**
   * Opened and opening partitions by checksum: a client that a refresh left unchanged stays open. Those that the files let
   * go are dropped; a request that is using one keeps it to its end.
   */
  readonly #partitions = new Map<string, Promise<Opened>>()
  /** Checksums whose place is taken by an older file: a new snapshot has that file intact again. */
  readonly #replaced = new Set<string>()
  /** Partitions that are being opened for retained snapshots, by checksum. */
  readonly #pinned = new Map<string, Promise<Opened>>()
  /** What answers may still be read from. */
  readonly #dropped = new WeakSet<Partition>()
  /** Retained snapshots that somebody asked for since the current one was announced. */
  #retained = new Map<string, Promise<Snapshot>>()

  constructor(dataFolder: string, observe: Observe, openFiles: OpenCollectionFiles) {
    this.#observe = observe
    this.#manifests = new Manifests(dataFolder, observe)
    this.#files = openFiles((sha256) => this.#letGo(sha256))
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
    for (const opening of [...this.#partitions.values()]) {
      const opened = await opening.catch(() => null)
      if (opened === null) continue
      const { clientNumber, stored } = opened.partition
      const entry = clients.get(clientNumber)?.[stored]
      if (entry === undefined || this.#partitions.has(entry.sha256) || entry.bytes > left) continue
      left -= entry.bytes
      const file = { snapshot: manifest.id, clientNumber, stored, entry }
      await this.#partition(file).catch(() => undefined)
    }
  }

  /** Makes a snapshot current from the next request on. Requests that hold the previous one finish on it. */
  announce(manifest: Manifest): Snapshot {
    const stillUsed = new Set(manifest.clients.flatMap(filesOf).map(({ sha256 }) => sha256))
    for (const sha256 of this.#partitions.keys()) {
      if (!stillUsed.has(sha256) || this.#replaced.has(sha256)) this.#drop(sha256)
    }
    this.#files.keepOnly([...this.#partitions.keys(), ...this.#pinned.keys()])
    this.#replaced.clear()
    this.#retained = new Map()
    const snapshot = this.#open(manifest, (file) =>
      // What belongs to an earlier snapshot alone is not kept for the rest of its requests.
      this.#current === snapshot ? this.#partition(file) : (this.#known(file) ?? this.#openOrFallBack(file)),
    )
    this.#current = snapshot
    this.#pinnedCurrent = this.#open(manifest, (file) =>
      this.#current === snapshot ? this.#partition(file) : this.#ownOrSame(file),
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

  /** Never a file of another snapshot in its place. */
  async #own(file: CollectionFile): Promise<Opened> {
    const { sha256 } = file.entry
    const known = await this.#partitions.get(sha256)?.catch(() => undefined)
    if (known !== undefined && known.olderOrigin === null) return known
    const opening = this.#pinned.get(sha256)
    if (opening !== undefined) return opening
    const underWay = this.#openAsIs(file, () => this.#pinned.get(sha256) === underWay)
    this.#pinned.set(sha256, underWay)
    return underWay.finally(() => {
      if (this.#pinned.get(sha256) === underWay) this.#pinned.delete(sha256)
    })
  }

  /** A later snapshot in which nothing of this has changed has the same file. */
  async #ownOrSame(file: CollectionFile): Promise<Opened> {
    const { snapshot, clientNumber, stored, entry } = file
    const own = await this.#own(file).catch(() => null)
    if (own !== null) return own
    for (const id of await this.#manifests.published()) {
      const manifest = await this.#manifests.intact(id)
      const same = manifest?.clients.find((client) => client.clientNumber === clientNumber)?.[stored]
      if (same?.sha256 !== entry.sha256) continue
      const opened = await this.#own({ ...file, snapshot: id, entry: same }).catch(() => null)
      if (opened !== null) return opened
    }
    throw snapshotRetired(snapshot, clientNumber, stored)
  }

  /** @param isHeld whether the file has not been let go while it was opened */
  async #openAsIs(file: CollectionFile, isHeld: () => boolean): Promise<Opened> {
    const opened = await this.#tryOpen(file)
    if (opened === null) throw snapshotGone(file.snapshot)
    const { sha256 } = file.entry
    // The current snapshot may have an older file in this place, which is not what was asked for here.
    if (isHeld() && !this.#replaced.has(sha256)) this.#partitions.set(sha256, Promise.resolve(opened))
    return opened
  }

  #open(manifest: Manifest, open: (file: CollectionFile) => Promise<Opened>): Snapshot {
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
        const { partition, olderOrigin, place, hold } = opened
        this.#files.use(place)
        return { ...(olderOrigin ?? origin), partition, hold }
      },
    }
  }

  #known({ entry }: CollectionFile): Promise<Opened> | undefined {
    return this.#partitions.get(entry.sha256)
  }

  #partition(file: CollectionFile): Promise<Opened> {
    const known = this.#known(file)
    if (known !== undefined) return known
    const { sha256 } = file.entry
    const opening = this.#openOrFallBack(file)
    this.#partitions.set(sha256, opening)
    // A failed load is tried again by the next request.
    opening.catch(() => {
      if (this.#partitions.get(sha256) === opening) this.#partitions.delete(sha256)
    })
    return opening
  }

  async #openOrFallBack(file: CollectionFile): Promise<Opened> {
    const opened = await this.#tryOpen(file)
    if (opened !== null) return opened
    const { clientNumber, stored, entry } = file
    this.#replaced.add(entry.sha256)
    for (const snapshot of candidates(file.snapshot, await this.#manifests.published()).slice(1)) {
      const manifest = await this.#manifests.intact(snapshot)
      const olderEntry = manifest?.clients.find((client) => client.clientNumber === clientNumber)?.[stored]
      // The same checksum is the same damaged file under another link.
      if (!manifest || olderEntry === undefined || olderEntry.sha256 === entry.sha256) continue
      const older = await this.#tryOpen({ snapshot, clientNumber, stored, entry: olderEntry })
      if (older !== null) return { ...older, olderOrigin: originOf(manifest) }
    }
    throw noIntactFile(clientNumber, stored)
  }

  /** Null when the file is not what it should be, which has then been reported. */
  async #tryOpen(file: CollectionFile): Promise<Opened | null> {
    const { snapshot, clientNumber, stored, entry } = file
    const held = await this.#files.load(file).catch((cause: unknown) => {
      // An older file would be no better: what is missing is room to open any.
      if (isOutOfFiles(cause)) throw noRoomToOpen(clientNumber, stored, cause)
      return null
    })
    if (held === null) return null
    try {
      const partition = readCollection(held.bytes, { clientNumber, stored, version: entry.sha256 })
      return { partition, place: held.place, hold: this.#holding(held, partition), olderOrigin: null }
    } catch (error) {
      this.#observe({ kind: 'snapshot-damaged', snapshot, file: entry.path, reason: reasonOf(error) })
      return null
    }
  }

  #holding(held: HeldFile, partition: Partition): Hold {
    return (reader) => {
      const release = this.#files.hold(held, reader)
      return () => {
        release()
        // It could not be given back before.
        if (this.#dropped.has(partition)) noteSharedGarbage(partition.byteLength)
      }
    }
  }

  /** An older file stands under the checksum of the one it replaces. */
  #letGo(sha256: string): void {
    this.#drop(sha256)
    this.#pinned.delete(sha256)
    for (const replaced of this.#replaced) {
      this.#partitions.get(replaced)?.then(
        ({ partition }) => {
          if (partition.version === sha256) this.#drop(replaced)
        },
        () => undefined,
      )
    }
  }

  #drop(sha256: string): void {
    this.#partitions.get(sha256)?.then(
      ({ partition }) => {
        this.#dropped.add(partition)
        noteSharedGarbage(partition.byteLength)
      },
      () => undefined,
    )
    this.#partitions.delete(sha256)
  }
}

const holdNothing: Hold = () => () => undefined

type Origin = Omit<LoadedPartition, 'partition' | 'hold'>

type Opened = {
  readonly partition: Partition
  /** Of its file, for noting its use. */
  readonly place: number
  readonly hold: Hold
  /** Where it is from when the snapshot that wanted it had only a damaged file. */
  readonly olderOrigin: Origin | null
}

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
