/**
 * Counts the memory of values as they grow. Counting alone would never subtract what a script has dropped. So when the allocated
 * bytes reach the limit, the values that can still be reached are measured. A run may exceed its limit by an eighth before that
 * is noticed. The runs of a thread share its heap, of which each holds what it has counted (`shared-heap.ts`).
 */
import { isWide } from '../../kernel/detached-string.ts'
import {
  bytesInPlace,
  bytesOfList,
  bytesOfText,
  bytesOfUnits,
  CELL_BYTES,
  flatten,
  ITERATION_BYTES,
  isShared,
  LAMBDA_BYTES,
  PAIR_BYTES,
} from '../values/sizes.ts'
import { ScriptArray, ScriptObject, ScriptSequence } from '../values/value.ts'
import { Cell, Lambda, type Slot } from './frame.ts'
import { Iteration } from './iteration.ts'
import { type Limits, limitReached } from './limits.ts'
import type { HeapPlace } from './shared-heap.ts'

export type MeteredRun = {
  readonly roots: () => Iterable<Slot>
  /** Bytes of calls, and those that native functions have allocated and nothing leads to. */
  readonly held: () => number
  /** Whether native functions have stopped in the middle, to call a lambda. */
  readonly hasSteps: () => boolean
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
  /** Long texts by length in UTF-16 units. */
  #texts = new Map<number, Made>()
  /** What the pairs take of which concatenated texts consist until they are made flat. */
  #pairs = 0

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

  /** Notes a new text whose memory was counted. Measuring counts a text of several places once. */
  newText(text: string): void {
    if (text.length > SHORT_TEXT) this.#note(text.length, isWide(text))
  }

  /** The same for a concatenated text, which must not be read: reading would copy all of it, each time that it grows. */
  newPair(left: string, right: string): void {
    const units = left.length + right.length
    this.#pairs += PAIR_BYTES
    if (units > SHORT_TEXT) this.#note(units, this.#isWide(left) || this.#isWide(right))
  }

  #note(units: number, wide: boolean): void {
    const known = this.#texts.get(units)
    if (known === undefined) {
      this.#total += LENGTH_BYTES
      this.#texts.set(units, { count: 1, wide })
      return
    }
    known.count++
    known.wide ||= wide
  }

  #isWide(text: string): boolean {
    const known = this.#texts.get(text.length)?.wide
    // Others of this length may be narrow. Reading copies a text that was concatenated, which is cheap for shorter ones only.
    return known !== undefined && (known || text.length > SHORT_TO_READ) ? known : isWide(text)
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
    const { roots, held, hasSteps } = this.#run
    const unreachable = this.#nativeSince === null ? this.#latest : this.#total - this.#nativeSince
    const inFrames = held()
    // Making texts flat copies them, so it is done only when it frees much.
    const flattens = this.#pairs > Math.min(memoryBytes / 16, MOST_PAIR_BYTES)
    if (flattens) this.#pairs = 0
    const texts = new LongTexts(this.#texts, flattens)
    const reached = bytesOf(roots(), texts) + texts.ofScript
    const left = texts.left()
    this.#live = unreachable + inFrames + reached + bytesOfMade(left) + this.#pairs
    // A native function may have made texts that nothing leads to yet.
    if (this.#nativeSince === null && !hasSteps()) this.#texts = left
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

const SHORT_TO_READ = 4096

/** What the meter itself takes for texts of one length. */
const LENGTH_BYTES = 80

const MOST_PAIR_BYTES = 2 ** 20

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

/** The texts of one length that the run has made, as far as they can be left. */
type Made = { count: number; wide: boolean }

/**
 * Long texts are counted by how many were made, because one text may be in many places, and texts that are equal may still be
 * many. Two texts cannot be told apart, but of each length there are at most as many as were made, and as many as places.
 */
class LongTexts {
  /** Long texts that were met and that the run did not make: literals of the script; each place counts. */
  ofScript = 0
  readonly #made: ReadonlyMap<number, Made>
  readonly #flattens: boolean
  /** How many places have a text of a length. */
  readonly #met = new Map<number, number>()

  constructor(made: ReadonlyMap<number, Made>, flattens: boolean) {
    this.#made = made
    this.#flattens = flattens
  }

  meet(text: string): void {
    const { length } = text
    if (this.#flattens) flatten(text)
    if (this.#made.has(length)) this.#met.set(length, (this.#met.get(length) ?? 0) + 1)
    else this.ofScript += bytesOfText(text)
  }

  /** How many texts of each length can be left. */
  left(): Map<number, Made> {
    const left = new Map<number, Made>()
    for (const [length, places] of this.#met) {
      const { count, wide } = this.#made.get(length) as Made
      left.set(length, { count: Math.min(places, count), wide })
    }
    return left
  }
}

const bytesOfMade = (texts: ReadonlyMap<number, Made>): number => {
  let bytes = LENGTH_BYTES * texts.size
  for (const [length, { count, wide }] of texts) bytes += count * bytesOfUnits(length, wide)
  return bytes
}
