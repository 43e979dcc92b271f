/**
 * Reuses memory for the intermediate results of sorts. Megabytes of fresh memory cost fifteen times as much as memory that
 * was written to before, because the operating system provides it page by page; and V8, which counts allocations, would
 * collect garbage many times a second because of it.
 */

import type { Work } from './work.ts'

/** Smaller arrays are cheap. */
const LEAST_BYTES = 2 ** 17

/** The most memory that is kept in all: enough for a sort of two million rows. */
const MOST_KEPT_BYTES = 2 ** 26

/** Memory is evicted when none was requested for this long. */
const KEPT_MS = 2_000

/** Integers that are copied to fresh memory between two checks of the clock. */
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

  /** Bytes of all memory that is kept for reuse. */
  get keptBytes(): number {
    return this.#keptBytes
  }

  /** An array with arbitrary content. */
  integers(count: number): Int32Array {
    return new Int32Array(this.#take(4 * count), 0, count)
  }

  /** An array with arbitrary content. */
  words(count: number): Uint32Array {
    return new Uint32Array(this.#take(4 * count), 0, count)
  }

  /** Gives an array back, which must not be used afterwards. An array that is not given back is merely not reused. */
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

  /** The same numbers in an array that may be kept; the given array must not be used afterwards. */
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
    this.#evictLater()
    const size = sizeFor(byteLength)
    const known = this.#free.get(size)?.pop()
    if (known === undefined) return new ArrayBuffer(size)
    this.#keptBytes -= size
    return known
  }

  /** Evicts all kept memory when none is requested for `keptMs`. */
  #evictLater(): void {
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

/** The scratch memory of this thread. Works that pause use different arrays. */
export const scratch = new Scratch()
