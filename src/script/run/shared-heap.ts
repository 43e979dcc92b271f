/**
 * The memory that the runs of one thread share. Each run holds a share, and takes more as its values grow. When none is left,
 * all runs are measured and give back what they cannot reach any more. If that does not make enough room, the runs that hold the
 * most are ended, one by one: without room, the collector of the engine would take all of the thread's time, or the engine would
 * end the thread with all of its runs.
 */
import { ScriptFailure } from '../failure.ts'

/** What a run needs for its start; also the step in which it takes more. */
const SHARE_BYTES = 2 ** 20

/** How long runs wait for each other before those that hold much are ended. */
const PATIENCE_MS = 250

/** A run that holds no more is never ended for one that waits. */
const MOST_SMALL_BYTES = 4 * SHARE_BYTES

/** A run that holds a place. */
export type HeapTenant = {
  /** Bytes that its values take at most. */
  readonly charged: number
  /** Measures what it still reaches. */
  readonly measure: () => void
  /** Ends the run, which is not the one that runs just now, and lets go of its values at once. */
  readonly end: (failure: ScriptFailure) => void
}

export class SharedHeap {
  readonly bytes: number
  #taken = 0
  readonly #places = new Set<HeapPlace>()
  readonly #waiting: (() => void)[] = []

  constructor(bytes: number) {
    this.bytes = bytes
  }

  /** Bytes that all runs hold together. */
  get taken(): number {
    return this.#taken
  }

  /**
   * Resolves when there is room for one more run; null when there was none in time. Those who wait take turns. After a while the
   * runs that hold much are ended for them.
   */
  async enter(mostMs: number): Promise<HeapPlace | null> {
    if (this.#waiting.length > 0 || !this.#hasRoom()) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const admit = (): void => resolve(true)
      this.#waiting.push(admit)
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1)
        resolve(false)
      }, mostMs)
      const impatient = setTimeout(() => this.#makeRoom(SHARE_BYTES, null), PATIENCE_MS)
      const isAdmitted = await promise
      clearTimeout(timer)
      clearTimeout(impatient)
      if (!isAdmitted) return null
    } else this.#taken += SHARE_BYTES
    const place = new HeapPlace(this)
    this.#places.add(place)
    return place
  }

  #hasRoom(): boolean {
    return this.#taken + SHARE_BYTES <= this.bytes
  }

  /** For a place: takes bytes, a negative number to give some back. @throws ScriptFailure JM5912 */
  take(bytes: number, by: HeapPlace): void {
    if (bytes > 0 && this.#taken + bytes > this.bytes) this.#makeRoom(bytes, by)
    this.#taken += bytes
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      // Taken before the other one continues, so that nobody takes it first.
      this.#taken += SHARE_BYTES
      this.#waiting.shift()?.()
    }
  }

  remove(place: HeapPlace): void {
    this.#places.delete(place)
    this.take(-place.bytes, place)
  }

  /** Makes more room than is needed now, because measuring takes time. */
  #makeRoom(bytes: number, by: HeapPlace | null): void {
    const most = this.bytes * (7 / 8) - bytes
    const wanted = (place: HeapPlace): number => place.bytes + (place === by ? bytes : 0)
    for (const place of this.#places) place.giveBack()
    const bySize = [...this.#places].sort((a, b) => wanted(b) - wanted(a))
    for (const place of bySize) {
      if (this.#taken <= most || (by === null && place.bytes <= MOST_SMALL_BYTES)) return
      const failure = heapShort(wanted(place))
      if (place === by) throw failure
      place.end(failure)
    }
  }
}

/** The share of one run. */
export class HeapPlace {
  readonly #heap: SharedHeap
  #tenant: HeapTenant | null = null
  #bytes = SHARE_BYTES

  constructor(heap: SharedHeap) {
    this.#heap = heap
  }

  /** Bytes that the run may use before it asks for more. */
  get bytes(): number {
    return this.#bytes
  }

  begin(tenant: HeapTenant): void {
    this.#tenant = tenant
  }

  /** Takes as much as is charged, and a step more. @throws ScriptFailure JM5912 when the heap is short and this run holds the most */
  grow(charged: number): void {
    if (charged > this.#bytes) this.#take(charged - this.#bytes + SHARE_BYTES)
  }

  /** Gives back what the run does not use. Returns the bytes that its values take. */
  giveBack(): number {
    if (this.#tenant === null) return 0
    this.#tenant.measure()
    const { charged } = this.#tenant
    const needed = Math.max(SHARE_BYTES, charged)
    if (needed < this.#bytes) this.#take(needed - this.#bytes)
    return charged
  }

  end(failure: ScriptFailure): void {
    this.#tenant?.end(failure)
    this.#tenant = null
    this.#take(-this.#bytes)
  }

  /** The run is over, and its values are not needed any more. */
  leave(): void {
    this.#tenant = null
    this.#heap.remove(this)
    this.#bytes = 0
  }

  #take(bytes: number): void {
    this.#heap.take(bytes, this)
    this.#bytes += bytes
  }
}

/** The code of a run that was ended for the others. */
export const HEAP_SHORT = 'JM5912'

const heapShort = (bytes: number): ScriptFailure =>
  new ScriptFailure(
    HEAP_SHORT,
    `The run was ended because the runs of its thread need more memory than there is, and it held the most of it (${Math.ceil(bytes / 2 ** 20)} MiB)`,
    'memoryBytes',
  )
