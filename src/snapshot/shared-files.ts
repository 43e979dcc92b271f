/**
 * The collection files in memory: one load at a time for each, however many threads wait for it, and within a budget. When
 * that is exceeded, the files that nobody has used for longest are let go by everybody who holds them.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Observe } from '../observe/observation.ts'
import type { CollectionFile, CollectionFiles, HeldFile } from './collection-files.ts'
import { type LastUses, openLastUses, PLACES } from './last-uses.ts'
import { snapshotFolder } from './layout.ts'
import { reasonOf } from './problems.ts'
import { noteSharedGarbage } from './shared-memory.ts'
import { loadVerified } from './verify.ts'

/** `leave` is for a catalogue that is no more. */
export type LeavableFiles = CollectionFiles & { readonly leave: () => void }

type Holder = { readonly letGo: (sha256: string) => void }

type Entry = {
  readonly loading: Promise<HeldFile>
  readonly place: number
  /** Of the budget. A file larger than the whole budget takes all of it, rather than being loaded anew by every request. */
  readonly weight: number
  readonly bytes: number
  readonly holders: Set<Holder>
  /** Only then it may be let go: whoever wanted it next would load it a second time beside the first. */
  isLoaded: boolean
}

export class SharedFiles {
  readonly lastUses: LastUses = openLastUses()
  readonly #dataFolder: string
  readonly #observe: Observe
  readonly #budget: number
  /** By checksum. */
  readonly #entries = new Map<string, Entry>()
  #weight = 0
  #bytes = 0
  readonly #freePlaces: number[] = []
  #placesTaken = 0
  readonly #reported = new Set<string>()

  /** @param budget bytes of the files that may be held at the same time */
  constructor(dataFolder: string, observe: Observe, budget = Number.POSITIVE_INFINITY) {
    this.#dataFolder = dataFolder
    this.#observe = observe
    this.#budget = budget
  }

  /** For one catalogue. */
  readonly open = (letGo: (sha256: string) => void): LeavableFiles => {
    const holder = { letGo }
    const keepOnly = (checksums: readonly string[]) => this.#keepOnly(holder, new Set(checksums))
    return {
      load: (file) => this.#load(holder, file),
      use: this.lastUses.note,
      keepOnly,
      leave: () => keepOnly([]),
    }
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
    const loading = this.#read(file, place)
    const entry: Entry = { loading, place, weight, bytes, holders: new Set([holder]), isLoaded: false }
    this.#entries.set(sha256, entry)
    this.#weight += weight
    this.#bytes += bytes
    this.lastUses.note(place)
    this.#reportHeld()
    loading.then(
      () => {
        entry.isLoaded = true
        // More may have been loaded at the same time than there is room for.
        this.#makeRoomFor(0)
      },
      () => {
        // A failed load is tried again by the next request.
        if (this.#entries.get(sha256) === entry) this.#remove(sha256)
      },
    )
    return loading
  }

  async #read(file: CollectionFile, place: number): Promise<HeldFile> {
    const { snapshot, clientNumber, stored, entry } = file
    const started = performance.now()
    try {
      const bytes = await loadVerified(join(snapshotFolder(this.#dataFolder, snapshot), entry.path), entry)
      const milliseconds = performance.now() - started
      this.#observe({
        kind: 'partition-loaded',
        snapshot,
        clientNumber,
        stored,
        bytes: entry.bytes,
        milliseconds,
      })
      return { bytes, place }
    } catch (error) {
      // A snapshot that has been removed meanwhile is gone, not damaged.
      if (existsSync(snapshotFolder(this.#dataFolder, snapshot))) {
        this.#reportDamage(snapshot, entry.path, reasonOf(error))
      }
      throw error
    }
  }

  /** Every thread that wants the file finds the same damage. */
  #reportDamage(snapshot: string, file: string, reason: string): void {
    if (this.#isNews(`damaged ${snapshot}/${file}`)) {
      this.#observe({ kind: 'snapshot-damaged', snapshot, file, reason })
    }
  }

  /** It is loaded again and again, but one report for each client is enough. */
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
    while (this.#weight + weight > this.#budget || this.#entries.size >= PLACES) {
      const sha256 = this.#leastRecentlyUsed()
      if (sha256 === null) return
      const holders = this.#entries.get(sha256)?.holders ?? []
      this.#remove(sha256)
      for (const holder of holders) holder.letGo(sha256)
    }
  }

  /** Null when everything is still being loaded. */
  #leastRecentlyUsed(): string | null {
    let oldest: string | null = null
    let lastUse = Number.POSITIVE_INFINITY
    for (const [sha256, { place, isLoaded }] of this.#entries) {
      if (!isLoaded || this.lastUses.of(place) >= lastUse) continue
      oldest = sha256
      lastUse = this.lastUses.of(place)
    }
    return oldest
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
    this.#weight -= entry.weight
    this.#bytes -= entry.bytes
    noteSharedGarbage(entry.bytes)
    this.#freePlaces.push(entry.place)
    this.#reportHeld()
  }

  #reportHeld(): void {
    this.#observe({ kind: 'partitions-held', count: this.#entries.size, bytes: this.#bytes })
  }
}
