/**
 * Memory for the intermediate results of sorts, used again by the next one. Fresh memory of megabytes costs fifteen times as
 * much as memory that was written to before, because the operating system hands it out page by page; and V8, which counts
 * what was allocated, would collect garbage for its sake many times a second.
 */

import type { Work } from './work.ts'

/** Smaller arrays are cheap. */
const LEAST_BYTES = 2 ** 17

/** What is kept together, at most: a sort of two million rows. */
const MOST_KEPT_BYTES = 2 ** 26

/** Memory that nobody has asked for so long is let go. */
const KEPT_MS = 2_000

/** Integers between two looks at the clock, where all of them are fresh memory. */
const BLOCK = 1 << 17

export class Scratch {
  readonly #free = new Map<number, ArrayBuffer[]>()
  readonly #mostBytes: number
  readonly #keptMs: number
  #keptBytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(mostBytes: number = MOST_KEPT_BYTES, keptMs: number = KEPT_MS) {
    this.#mostBytes = mostBytes
    this.#keptMs = keptMs
  }

  /** Of all memory that waits to be used again. */
  get keptBytes(): number {
    return this.#keptBytes
  }

  /** Arbitrary content. */
  integers(count: number): Int32Array {
    return new Int32Array(this.#take(4 * count), 0, count)
  }

  /** Arbitrary content. */
  words(count: number): Uint32Array {
    return new Uint32Array(this.#take(4 * count), 0, count)
  }

  /** Nobody may look at the array afterwards. One that is not given back costs nothing but its reuse. */
  give({ buffer, byteOffset }: Int32Array | Uint32Array): void {
    const { byteLength } = buffer
    if (!(buffer instanceof ArrayBuffer) || byteOffset !== 0) return
    if (byteLength < LEAST_BYTES || byteLength !== sizeFor(byteLength)) return
    if (this.#keptBytes + byteLength > this.#mostBytes) return
    const alike = this.#free.get(byteLength)
    if (alike === undefined) this.#free.set(byteLength, [buffer])
    else alike.push(buffer)
    this.#keptBytes += byteLength
  }

  /** The same numbers in an array that may be kept; nobody may look at the given one afterwards. */
  *settled(array: Int32Array): Work<Int32Array> {
    if (array.buffer.byteLength < LEAST_BYTES) return array
    const kept = new Int32Array(array.length)
    for (let from = 0; from < array.length; from += BLOCK) {
      yield
      kept.set(array.subarray(from, from + BLOCK), from)
    }
    this.give(array)
    return kept
  }

  #take(byteLength: number): ArrayBuffer {
    if (byteLength < LEAST_BYTES) return new ArrayBuffer(byteLength)
    this.#letGoLater()
    const size = sizeFor(byteLength)
    const known = this.#free.get(size)?.pop()
    if (known === undefined) return new ArrayBuffer(size)
    this.#keptBytes -= size
    return known
  }

  /** As long as nobody asks. */
  #letGoLater(): void {
    if (this.#timer !== undefined) {
      this.#timer.refresh()
      return
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#free.clear()
      this.#keptBytes = 0
    }, this.#keptMs).unref()
  }
}

/** Sizes are powers of two, so that arrays of about the same length share their memory. */
const sizeFor = (byteLength: number): number => 2 ** Math.ceil(Math.log2(byteLength))

/** Of this thread. Works that pause take different arrays. */
export const scratch = new Scratch()
