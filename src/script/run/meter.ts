/**
 * Counts the memory of values as they grow. Counting alone would never subtract what a script has dropped. So when the allocated
 * bytes reach the limit, the values that can still be reached are measured. A run may exceed its limit by a quarter before that
 * is noticed.
 */
import { ScriptArray, ScriptObject, ScriptSequence } from '../values/value.ts'
import { Cell, Lambda, type Slot } from './frame.ts'
import { Iteration } from './iteration.ts'
import { type Limits, limitReached } from './limits.ts'

export const TEXT_BYTES = 24
export const UNIT_BYTES = 2
export const ARRAY_BYTES = 48
export const OBJECT_BYTES = 64
/** Memory of an element, a member or a variable. */
export const PLACE_BYTES = 16

export class Meter {
  readonly #limits: Limits
  readonly #roots: () => Iterable<Slot>
  /** Bytes that native functions have allocated and nothing leads to. */
  readonly #held: () => number
  readonly #work: (units: number) => void
  #total = 0
  /** Measuring is due when this total is exceeded. */
  #measureAt: number
  /** The total when the current native function began or continued; null while none runs. */
  #nativeSince: number | null = null

  constructor(
    limits: Limits,
    roots: () => Iterable<Slot>,
    held: () => number,
    work: (units: number) => void,
  ) {
    this.#limits = limits
    this.#roots = roots
    this.#held = held
    this.#work = work
    this.#measureAt = limits.memoryBytes
  }

  /** @throws ScriptFailure JM5910 when there is no room */
  allocate(bytes: number): void {
    this.#total += bytes
    if (this.#total > this.#measureAt) this.#measure(bytes)
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

  #measure(latest: number): void {
    const { memoryBytes } = this.#limits
    const unreachable = this.#nativeSince === null ? latest : this.#total - this.#nativeSince
    const reached = bytesOf(this.#roots())
    const live = unreachable + this.#held() + reached
    if (!(live <= memoryBytes)) throw limitReached('memoryBytes', this.#limits)
    this.#measureAt = this.#total + Math.max(memoryBytes - live, memoryBytes / 4)
    // Measuring again and again takes time, so it counts as work.
    this.#work(reached / BYTES_PER_WORK)
  }
}

/** Bytes that are measured per unit of work. */
const BYTES_PER_WORK = 100

/** Longer texts are counted once, however often they occur; lengths in UTF-16 units. */
const SHORT_TEXT = 64

/** Number of the current measuring. Objects store the last one that met them, which is cheaper than a set of them all. */
let measuring = 0

function bytesOf(roots: Iterable<Slot>): number {
  measuring++
  const texts = new Set<string>()
  const left: Slot[] = []
  let bytes = 0
  const look = (slot: Slot): void => {
    if (typeof slot === 'string') {
      if (slot.length > SHORT_TEXT) {
        if (texts.has(slot)) return
        texts.add(slot)
      }
      bytes += TEXT_BYTES + UNIT_BYTES * slot.length
    } else if (typeof slot === 'object' && slot !== null) left.push(slot)
  }
  for (const root of roots) {
    bytes += PLACE_BYTES
    look(root)
  }
  for (let slot = left.pop(); slot !== undefined; slot = left.pop()) {
    if (slot instanceof ScriptArray) {
      if (slot.measured === measuring) continue
      slot.measured = measuring
      bytes += ARRAY_BYTES + PLACE_BYTES * slot.items.length
      for (const item of slot.items) look(item)
    } else if (slot instanceof ScriptObject) {
      if (slot.measured === measuring) continue
      slot.measured = measuring
      bytes += OBJECT_BYTES + PLACE_BYTES * slot.slots.length
      for (const value of slot.slots) look(value)
      if (slot.shape === null) for (const key of slot.keys) look(key)
    } else if (slot instanceof Cell) {
      if (slot.measured === measuring) continue
      slot.measured = measuring
      bytes += PLACE_BYTES
      look(slot.value)
    } else if (slot instanceof Lambda) {
      if (slot.measured === measuring) continue
      slot.measured = measuring
      bytes += OBJECT_BYTES
      for (const cell of slot.captured) look(cell)
    } else if (slot instanceof Iteration) look(slot.over)
    else if (slot instanceof ScriptSequence) {
      if (slot.measured === measuring) continue
      slot.measured = measuring
      bytes += slot.bytes
    }
  }
  return bytes
}
