/**
 * Holds the collection files in memory within a budget. A file is loaded once, however many threads wait for it. When the
 * budget is exceeded, the least recently used files are evicted in all threads that hold them.
 */
import type { Observe } from '../../observe/observation.ts'
import { isOutOfFiles } from '../../observe/open-files.ts'
import { isUnavailable, reasonOf } from '../problems.ts'
import { type FileSource, fileSourceOf } from '../snapshot-source.ts'
import type { CollectionFile, CollectionFiles, HeldFile } from './collection-files.ts'
import { HeldCopies } from './held-copies.ts'
import { type LruClock, openLruClock, PLACES } from './lru-clock.ts'
import { type HoldCopies, Readers } from './readers.ts'
import { noteSharedGarbage } from './shared-memory.ts'

/** `leave` is called when the catalogue has ended. */
export type LeavableFiles = CollectionFiles & { readonly leave: () => void }

/** For a catalogue in another thread, which tracks its own readers. */
export type RemoteFiles = Omit<LeavableFiles, 'hold'> & HoldCopies

export type Holder = {
  readonly evict: (sha256: string) => void
  /** Ends the answers whose readers have taken nothing for this long. */
  readonly cutOff: (stalledMs: number) => void
}

type Entry = {
  readonly loading: Promise<HeldFile>
  readonly place: number
  readonly copy: number
  /** Share of the budget in bytes. A file larger than the budget takes all of it; otherwise every request would load it again. */
  readonly weight: number
  readonly bytes: number
  readonly holders: Set<Holder>
  /** A file may be evicted only when it is loaded: otherwise the next request would load it a second time in parallel. */
  isLoaded: boolean
}

/** How long readers may stall when memory is short. It is halved every second, down to the least value. */
const PATIENCE_MS = 32_000
const LEAST_PATIENCE_MS = 1000
/** The least value while there is room only because other files are evicted again and again. */
const LEAST_PATIENCE_WHILE_OTHERS_GO_MS = 4000
const RELIEF_EVERY_MS = 1000

export class SharedFiles {
  readonly lruClock: LruClock = openLruClock()
  readonly #source: FileSource
  readonly #observe: Observe
  readonly #budget: number
  /** The files by checksum. */
  readonly #entries = new Map<string, Entry>()
  #weight = 0
  #bytes = 0
  readonly #freePlaces: number[] = []
  #placesTaken = 0
  #copies = 0
  readonly #loadedCopies = new Set<number>()
  readonly #held = new HeldCopies<Holder>((copy) => this.#loadedCopies.has(copy))
  readonly #holders = new Set<Holder>()
  #relief: NodeJS.Timeout | undefined
  /** Whether files were evicted that would have had room without the copies that are only being read. */
  #isShort = false
  readonly #reported = new Set<string>()

  /**
   * @param source may be the path of a data folder
   * @param budget how many bytes of files may be held at the same time
   */
  constructor(source: FileSource | string, observe: Observe, budget = Number.POSITIVE_INFINITY) {
    this.#source = fileSourceOf(source)
    this.#observe = observe
    this.#budget = budget
  }

  /** Opens the files for one catalogue of this thread. */
  readonly open = (evict: (sha256: string) => void): LeavableFiles => {
    const remote = this.openRemote({ evict, cutOff: (milliseconds) => readers.cutOff(milliseconds) })
    const readers = new Readers(remote)
    return { ...remote, hold: readers.hold }
  }

  openRemote(holder: Holder): RemoteFiles {
    this.#holders.add(holder)
    const keepOnly = (checksums: readonly string[]) => this.#keepOnly(holder, new Set(checksums))
    return {
      load: (file) => this.#load(holder, file),
      use: this.lruClock.note,
      hold: (copy, bytes) => {
        this.#held.hold(copy, bytes, holder)
        // The file may have been evicted just before.
        if (!this.#loadedCopies.has(copy)) this.#makeRoomFor(0)
      },
      release: (copy) => this.#released(this.#held.release(copy, holder)),
      keepOnly,
      leave: () => {
        this.#holders.delete(holder)
        this.#released(this.#held.leave(holder))
        keepOnly([])
      },
    }
  }

  #released(bytes: number): void {
    noteSharedGarbage(bytes)
    // The copy could not be evicted while it was being read.
    this.#makeRoomFor(0)
  }

  #load(holder: Holder, file: CollectionFile): Promise<HeldFile> {
    const { sha256, bytes } = file.entry
    const known = this.#entries.get(sha256)
    if (known !== undefined) {
      known.holders.add(holder)
      return known.loading
    }
    const weight = Math.min(bytes, this.#budget)
    if (bytes > this.#budget) this.#reportTooLarge(file)
    this.#makeRoomFor(weight)
    const place = this.#freePlaces.pop() ?? ++this.#placesTaken
    const copy = ++this.#copies
    const loading = this.#read(file, place, copy)
    const entry: Entry = { loading, place, copy, weight, bytes, holders: new Set([holder]), isLoaded: false }
    this.#entries.set(sha256, entry)
    this.#loadedCopies.add(copy)
    this.#weight += weight
    this.#bytes += bytes
    this.lruClock.note(place)
    this.#reportHeld()
    loading.then(
      () => {
        entry.isLoaded = true
        // Several loads at the same time may have exceeded the budget.
        this.#makeRoomFor(0)
      },
      () => {
        // The next request repeats a failed load.
        if (this.#entries.get(sha256) === entry) this.#remove(sha256)
      },
    )
    return loading
  }

  async #read(file: CollectionFile, place: number, copy: number): Promise<HeldFile> {
    const { snapshot, clientNumber, stored, entry } = file
    const started = performance.now()
    try {
      const bytes = await this.#source.load(file)
      const milliseconds = performance.now() - started
      this.#observe({
        kind: 'partition-loaded',
        snapshot,
        clientNumber,
        stored,
        bytes: entry.bytes,
        milliseconds,
      })
      return { bytes, place, copy }
    } catch (error) {
      // A snapshot that was removed meanwhile is not damaged; when no file can be opened, damage cannot be known.
      if (isOutOfFiles(error)) this.#observe({ kind: 'files-exhausted', found: error.message })
      else if (!isUnavailable(error) && !this.#source.wasRemoved(snapshot)) {
        this.#reportDamage(snapshot, entry.path, reasonOf(error))
      }
      throw error
    }
  }

  /** Reports damage once, although every thread that loads the file finds it. */
  #reportDamage(snapshot: string, file: string, reason: string): void {
    if (this.#isNews(`damaged ${snapshot}/${file}`)) {
      this.#observe({ kind: 'snapshot-damaged', snapshot, file, reason })
    }
  }

  /** Reports the file once, although it is loaded again and again. */
  #reportTooLarge({ clientNumber, stored, entry: { bytes } }: CollectionFile): void {
    if (this.#isNews(`large ${clientNumber}/${stored}`)) {
      this.#observe({ kind: 'budget-exceeded', clientNumber, stored, bytes, budget: this.#budget })
    }
  }

  #isNews(what: string): boolean {
    const isNews = !this.#reported.has(what)
    this.#reported.add(what)
    return isNews
  }

  #makeRoomFor(weight: number): void {
    while (this.#isOverBudget(weight) || this.#entries.size >= PLACES) {
      const sha256 = this.#leastRecentlyUsed()
      if (sha256 === null) break
      if (this.#held.replacedBytes > 0) this.#isShort = true
      const holders = this.#entries.get(sha256)?.holders ?? []
      this.#remove(sha256)
      for (const holder of holders) holder.evict(sha256)
    }
    this.#reportHeld()
    if (this.#isShort || this.#isOverBudget(weight)) this.#relieve(PATIENCE_MS)
  }

  #isOverBudget(weight: number): boolean {
    return this.#weight + this.#held.replacedBytes + weight > this.#budget
  }

  /** Null when all files are still being loaded or read from: evicting those would free nothing. */
  #leastRecentlyUsed(): string | null {
    let oldest: string | null = null
    let lastUse = Number.POSITIVE_INFINITY
    for (const [sha256, { place, copy, isLoaded }] of this.#entries) {
      if (!isLoaded || this.#held.has(copy) || this.lruClock.of(place) >= lastUse) continue
      oldest = sha256
      lastUse = this.lruClock.of(place)
    }
    return oldest
  }

  /**
   * Answers that are being sent hold memory that others need: the readers that have stalled longest are cut off, after a shorter
   * stall every second while memory is short. A reader that keeps reading gets its whole answer.
   */
  #relieve(patienceMs: number): void {
    this.#relief ??= setTimeout(() => {
      this.#relief = undefined
      const isOver = this.#isOverBudget(0)
      if (!(isOver || this.#isShort)) return
      this.#isShort = false
      const least = isOver ? LEAST_PATIENCE_MS : LEAST_PATIENCE_WHILE_OTHERS_GO_MS
      for (const { cutOff } of this.#holders) cutOff(Math.max(patienceMs, least))
      this.#relieve(patienceMs / 2)
    }, RELIEF_EVERY_MS).unref()
  }

  #keepOnly(holder: Holder, checksums: ReadonlySet<string>): void {
    for (const [sha256, { holders }] of this.#entries) {
      if (!checksums.has(sha256) && holders.delete(holder) && holders.size === 0) this.#remove(sha256)
    }
  }

  #remove(sha256: string): void {
    const entry = this.#entries.get(sha256)
    if (entry === undefined) return
    this.#entries.delete(sha256)
    this.#loadedCopies.delete(entry.copy)
    this.#weight -= entry.weight
    this.#bytes -= entry.bytes
    if (!this.#held.has(entry.copy)) noteSharedGarbage(entry.bytes)
    this.#freePlaces.push(entry.place)
    this.#reportHeld()
  }

  #reportHeld(): void {
    const replacedBytes = this.#held.replacedBytes
    this.#observe({ kind: 'partitions-held', count: this.#entries.size, bytes: this.#bytes, replacedBytes })
  }
}
