/**
 * Counts the memory of values as they grow. Counting alone would never subtract what a script has dropped. So when the allocated
 * bytes reach the limit, the values that can still be reached are measured. A run may exceed its limit by an eighth before that
 * is noticed. The runs of a thread share its heap, of which each holds what it has counted (`shared-heap.ts`).
 */
import {
  bytesInPlace,
  bytesOfList,
  bytesOfText,
  bytesOfUnits,
  CELL_BYTES,
  ITERATION_BYTES,
  isShared,
  isWide,
  LAMBDA_BYTES,
} from '../values/sizes.ts'
import { ScriptArray, ScriptObject, ScriptSequence } from '../values/value.ts'
import { Cell, Lambda, type Slot } from './frame.ts'
import { Iteration } from './iteration.ts'
import { type Limits, limitReached } from './limits.ts'
import type { HeapPlace } from './shared-heap.ts'

export type MeteredRun = {
  readonly roots: () => Iterable<Slot>
  /** Bytes that native functions have allocated and nothing leads to. */
  readonly held: () => number
  readonly work: (units: number) => void
}

export class Meter {
  readonly #limits: Limits
  readonly #run: MeteredRun
  readonly #place: HeapPlace | undefined
  #total = 0
  /** Measuring is due when this total is exceeded. */
  #measureAt: number
  /** A further share of the heap is due when this total is exceeded. */
  #shareAt = 0
  /** The smaller of the two. */
  #checkAt = 0
  /** What was reachable when it was measured last, and the total then. */
  #live = 0
  #measuredAt = 0
  /** Bytes that are counted just now, to which nothing leads yet. */
  #latest = 0
  /** The total when the current native function began or continued; null while none runs. */
  #nativeSince: number | null = null
  /** How many texts of each length there are at most, by length in UTF-16 units. */
  #texts = new Map<number, number>()

  constructor(limits: Limits, run: MeteredRun, place?: HeapPlace) {
    this.#limits = limits
    this.#run = run
    this.#place = place
    this.#measureAt = limits.memoryBytes
    this.#shareAt = place?.bytes ?? Number.POSITIVE_INFINITY
    this.#checkAt = Math.min(this.#measureAt, this.#shareAt)
  }

  /** Bytes that the values of the run take at most: what could be reached when it was measured, and what was allocated since. */
  get charged(): number {
    return this.#live + this.#total - this.#measuredAt
  }

  /** @throws ScriptFailure JM5910 over the limit of the run, JM5912 when the heap is short and this run holds the most of it */
  allocate(bytes: number): void {
    this.#total += bytes
    if (this.#total > this.#checkAt) this.#check(bytes)
  }

  /** Notes a new text, after its memory was counted. Measuring counts a text of several places once. */
  newText(units: number): void {
    if (units <= SHORT_TEXT) return
    const known = this.#texts.get(units)
    if (known === undefined) this.#total += LENGTH_BYTES
    this.#texts.set(units, (known ?? 0) + 1)
  }

  beginNative(): void {
    this.#nativeSince = this.#total
  }

  /** Returns the bytes that the function has allocated. */
  endNative(): number {
    const bytes = this.#total - (this.#nativeSince ?? this.#total)
    this.#nativeSince = null
    return bytes
  }

  #check(latest: number): void {
    const { memoryBytes } = this.#limits
    this.#latest = latest
    if (this.#total > this.#measureAt) {
      this.measure()
      if (!(this.#live <= memoryBytes)) throw limitReached('memoryBytes', this.#limits)
      // Measuring again and again takes time, so it counts as work.
      this.#run.work(this.#live / BYTES_PER_WORK)
    }
    // While it makes room, the heap may measure this run as well.
    if (this.#total > this.#shareAt) this.#place?.grow(this.charged)
    this.#latest = 0
    this.#limitTotal()
  }

  /** Measures what can be reached now. */
  measure(): void {
    const { memoryBytes } = this.#limits
    const { roots, held } = this.#run
    const unreachable = this.#nativeSince === null ? this.#latest : this.#total - this.#nativeSince
    const inFrames = held()
    const texts = new LongTexts(this.#texts)
    const reached = bytesOf(roots(), texts) + texts.bytes
    // A native function may have made texts that nothing leads to yet.
    if (this.#nativeSince === null && inFrames === 0) this.#texts = texts.left()
    this.#live = unreachable + inFrames + reached + LENGTH_BYTES * this.#texts.size
    this.#measuredAt = this.#total
    this.#measureAt = this.#total + Math.max(memoryBytes - this.#live, memoryBytes / 8)
    this.#limitTotal()
  }

  /** The total at which the share of the heap is used up follows from what is charged. */
  #limitTotal(): void {
    if (this.#place !== undefined) this.#shareAt = this.#total + this.#place.bytes - this.charged
    this.#checkAt = Math.min(this.#measureAt, this.#shareAt)
  }
}

/** Bytes that are measured per unit of work. */
const BYTES_PER_WORK = 100

/** Shorter texts are counted in each place; lengths in UTF-16 units. */
const SHORT_TEXT = 32

/** What the meter itself takes for texts of one length. */
const LENGTH_BYTES = 48

/** Number of the current measuring. Objects store the last one that met them, which is cheaper than a set of them all. */
let measuring = 0

function bytesOf(roots: Iterable<Slot>, texts: LongTexts): number {
  measuring++
  const left: Exclude<Slot, string | number | boolean | null | undefined>[] = []
  let bytes = 0
  const look = (slot: Slot): void => {
    if (typeof slot === 'string') {
      if (slot.length > SHORT_TEXT) texts.meet(slot)
      else if (!isShared(slot)) bytes += bytesOfText(slot)
    } else if (typeof slot === 'number') bytes += bytesInPlace(slot)
    else if (typeof slot === 'object' && slot !== null) left.push(slot)
  }
  for (const root of roots) {
    bytes += ROOT_BYTES
    look(root)
  }
  for (let slot = left.pop(); slot !== undefined; slot = left.pop()) {
    if (slot instanceof Iteration) {
      bytes += ITERATION_BYTES
      look(slot.over)
      continue
    }
    if (!isMeasured(slot)) continue
    if (slot.measured === measuring) continue
    slot.measured = measuring
    if (slot instanceof ScriptArray) {
      bytes += slot.bytes
      for (const item of slot.items) look(item)
    } else if (slot instanceof ScriptObject) {
      bytes += slot.bytes
      for (const value of slot.slots) look(value)
    } else if (slot instanceof Cell) {
      bytes += CELL_BYTES
      look(slot.value)
    } else if (slot instanceof Lambda) {
      bytes += LAMBDA_BYTES
      if (slot.captured.length > 0) bytes += LIST_HEAD_BYTES + bytesOfList(slot.captured.length)
      for (const cell of slot.captured) look(cell)
    } else bytes += slot.bytes
  }
  return bytes
}

const isMeasured = (slot: object): slot is ScriptArray | ScriptObject | Cell | Lambda | ScriptSequence =>
  slot instanceof ScriptArray ||
  slot instanceof ScriptObject ||
  slot instanceof Cell ||
  slot instanceof Lambda ||
  slot instanceof ScriptSequence

const ROOT_BYTES = 8
/** A list of JavaScript before its places. */
export const LIST_HEAD_BYTES = 32

/**
 * Long texts are counted by how many were made, because one text may be in many places, and texts that are equal may still be
 * many. Two texts cannot be told apart, but of each length there are at most as many as were made, and as many as places.
 */
class LongTexts {
  readonly #made: ReadonlyMap<number, number>
  /** By length: places with a text of characters beyond U+00FF, and other places. */
  readonly #met = new Map<number, { wide: number; narrow: number }>()

  constructor(made: ReadonlyMap<number, number>) {
    this.#made = made
  }

  meet(text: string): void {
    const { length } = text
    let met = this.#met.get(length)
    if (met === undefined) {
      met = { wide: 0, narrow: 0 }
      this.#met.set(length, met)
    }
    if (isWide(text)) met.wide++
    else met.narrow++
  }

  /** The most that the texts can take. */
  get bytes(): number {
    let bytes = 0
    for (const [length, { wide, narrow }] of this.#met) {
      const most = this.#most(length)
      const wideOnes = Math.min(wide, most)
      bytes +=
        wideOnes * bytesOfUnits(length, true) +
        Math.min(narrow, most - wideOnes) * bytesOfUnits(length, false)
    }
    return bytes
  }

  /** How many texts of each length can be left. */
  left(): Map<number, number> {
    const left = new Map<number, number>()
    for (const [length, { wide, narrow }] of this.#met) {
      if (this.#made.has(length)) left.set(length, Math.min(wide + narrow, this.#most(length)))
    }
    return left
  }

  /** Texts that the run did not make are literals of the script; each place counts. */
  #most(length: number): number {
    return this.#made.get(length) ?? Number.POSITIVE_INFINITY
  }
}
