/**
 * Keeps the partitions that one thread has open, by the checksum of their file: the files of a client that a refresh left
 * unchanged stay open. cached-file.ts lists the states of a file. An evicted file leaves the cache at once; its memory is
 * free when the last request that uses it has ended.
 */
import type { Observe } from '../observe/observation.ts'
import { isOutOfFiles } from '../observe/open-files.ts'
import { CachedFile, type FindOlder, type Loading, type OpenPartition } from './cached-file.ts'
import type {
  CollectionFile,
  CollectionFiles,
  HeldFile,
  OpenCollectionFiles,
} from './files/collection-files.ts'
import { noteSharedGarbage } from './files/shared-memory.ts'
import { readCollection } from './format/read-collection.ts'
import type { Partition } from './partition.ts'
import { isUnavailable, noRoomToOpen, notReadableNow, reasonOf } from './problems.ts'
import type { Hold } from './snapshot.ts'

export class PartitionCache {
  readonly #observe: Observe
  readonly #files: CollectionFiles
  readonly #noteGarbage: (bytes: number) => void
  /** Files that are loading, open or replaced. */
  readonly #cached = new Map<string, CachedFile>()
  /** The checksums of the replaced files. */
  readonly #replaced = new Set<string>()

  /** @param noteGarbage called with the number of bytes that have become garbage in this thread */
  constructor(observe: Observe, openFiles: OpenCollectionFiles, noteGarbage = noteSharedGarbage) {
    this.#observe = observe
    this.#noteGarbage = noteGarbage
    this.#files = openFiles((sha256) => this.#evictForMemory(sha256))
  }

  has(sha256: string): boolean {
    return this.#cached.has(sha256)
  }

  /** Notes that a request has begun to use a partition. */
  use({ place }: OpenPartition): void {
    this.#files.use(place)
  }

  /** The partition of a file, or that of an older file while this one is damaged. */
  async ownOrOlder(file: CollectionFile, findOlder: FindOlder): Promise<OpenPartition> {
    const cached = this.#cached.get(file.entry.sha256) ?? this.#load(file)
    const { state } = cached
    if (state.kind === 'open') return state.own
    if (state.kind === 'replaced') return state.older
    if (state.kind === 'evicted') return findOlder()
    state.findOlder ??= findOlder
    const own = await state.own
    if (own !== null) return own
    const now = cached.state
    return now.kind === 'replaced' ? now.older : findOlder()
  }

  /** The partition of exactly this file; null when it is damaged or missing. */
  async own(file: CollectionFile): Promise<OpenPartition | null> {
    const { state } = this.#cached.get(file.entry.sha256) ?? this.#load(file)
    if (state.kind === 'open') return state.own
    if (state.kind !== 'loading') return this.openBeside(file)
    state.isWantedItself = true
    return state.own
  }

  /** Like {@link own}, but keeps nothing for a later request. */
  openBeside(file: CollectionFile): Promise<OpenPartition | null> {
    return this.#open(file, () => false)
  }

  /** The partitions of all cached files; waits for those that are loading. */
  async partitions(): Promise<readonly Partition[]> {
    const opened = [...this.#cached.values()].map(async ({ state }) => {
      if (state.kind === 'evicted') return null
      return state.kind === 'replaced' ? state.older : state.own
    })
    const settled = await Promise.allSettled(opened)
    return settled.flatMap((one) =>
      one.status === 'fulfilled' && one.value !== null ? [one.value.partition] : [],
    )
  }

  /**
   * Evicts the files that a snapshot does not use, and those that an older file has replaced: the snapshot has them intact
   * again. A file stays while a request waits for exactly this file.
   */
  keepOnly(used: ReadonlySet<string>): void {
    for (const [sha256, { state }] of this.#cached) {
      const isWaitedFor = state.kind === 'loading' && state.isWantedItself
      if (isWaitedFor || (used.has(sha256) && state.kind !== 'replaced')) continue
      this.#evict(sha256)
    }
    this.#files.keepOnly([...this.#cached.keys()])
  }

  #load(file: CollectionFile): CachedFile {
    const { sha256 } = file.entry
    const cached = new CachedFile((itself) => ({
      kind: 'loading',
      own: this.#open(file, () => itself.state.kind === 'evicted').then(
        (own) => {
          this.#loaded(sha256, itself, own)
          return own
        },
        (error: unknown) => {
          // The next request tries again.
          this.#forget(sha256, itself)
          throw error
        },
      ),
      isWantedItself: false,
      findOlder: null,
    }))
    this.#cached.set(sha256, cached)
    return cached
  }

  #loaded(sha256: string, cached: CachedFile, own: OpenPartition | null): void {
    const { state } = cached
    if (state.kind !== 'loading') {
      // Evicted meanwhile: only the requests that wait for it get it.
      if (own !== null) this.#noteGarbage(own.partition.byteLength)
    } else if (own !== null) cached.become(state, { kind: 'open', own })
    else if (state.findOlder === null) this.#forget(sha256, cached)
    else this.#replace(sha256, cached, state, state.findOlder())
  }

  #replace(sha256: string, cached: CachedFile, state: Loading, older: Promise<OpenPartition>): void {
    cached.become(state, { kind: 'replaced', older })
    this.#replaced.add(sha256)
    // The next request tries again.
    older.catch(() => this.#forget(sha256, cached))
  }

  /** A replaced file would keep the older file in memory, so both are evicted together. */
  #evictForMemory(sha256: string): void {
    this.#evict(sha256)
    for (const replaced of this.#replaced) {
      const cached = this.#cached.get(replaced)
      if (cached?.state.kind !== 'replaced') continue
      cached.state.older.then(
        ({ partition }) => {
          if (partition.version === sha256) this.#forget(replaced, cached)
        },
        () => undefined,
      )
    }
  }

  #evict(sha256: string): void {
    const cached = this.#cached.get(sha256)
    if (cached === undefined) return
    const { state } = cached
    this.#forget(sha256, cached)
    if (state.kind === 'open') this.#noteGarbage(state.own.partition.byteLength)
  }

  #forget(sha256: string, cached: CachedFile): void {
    const { state } = cached
    if (state.kind === 'evicted') return
    cached.become(state, { kind: 'evicted' })
    this.#cached.delete(sha256)
    this.#replaced.delete(sha256)
  }

  /** Null when the file is missing or damaged; this has been reported by then. */
  async #open(file: CollectionFile, isEvicted: () => boolean): Promise<OpenPartition | null> {
    const { snapshot, clientNumber, stored, entry } = file
    const held = await this.#files.load(file).catch((cause: unknown) => {
      // An older file could not be opened either: the limit of open files is reached.
      if (isOutOfFiles(cause)) throw noRoomToOpen(clientNumber, stored, cause)
      // The file may be intact: records of an older one would be a wrong answer.
      if (isUnavailable(cause)) throw notReadableNow(`The ${stored} of client '${clientNumber}'`, cause)
      return null
    })
    if (held === null) return null
    try {
      const partition = readCollection(held.bytes, { clientNumber, stored, version: entry.sha256 })
      const hold = this.#holding(held, isEvicted)
      return { partition, place: held.place, hold, olderOrigin: null }
    } catch (error) {
      this.#observe({ kind: 'snapshot-damaged', snapshot, file: entry.path, reason: reasonOf(error) })
      return null
    }
  }

  #holding(held: HeldFile, isEvicted: () => boolean): Hold {
    return (reader) => {
      const release = this.#files.hold(held, reader)
      return () => {
        release()
        // The memory becomes garbage only now, after the last read.
        if (isEvicted()) this.#noteGarbage(held.bytes.byteLength)
      }
    }
  }
}
