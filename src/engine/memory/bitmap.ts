/**
 * Sets of rows (or elements) as bits: row `r` is bit `r & 31` of word `r >>> 5`. A window is a run of words; operations touch
 * only the words of their window, and bits outside of it have no meaning. Bits past the last row are zero.
 */

export type Bits = Uint32Array

/** The words from `from` up to `to`, which is excluded. */
export type Window = { readonly from: number; readonly to: number }

export const wordsFor = (count: number): number => (count + 31) >>> 5

export const wholeWindow = (count: number): Window => ({ from: 0, to: wordsFor(count) })

/** How many rows the words of the window have, including those past the last row. */
export const rowsIn = ({ from, to }: Window): number => 32 * (to - from)

/** Reuses bitmaps of one size: allocating a bitmap costs more than most operations on it. */
export class BitmapPool {
  readonly count: number
  readonly #free: Bits[] = []

  constructor(count: number) {
    this.count = count
  }

  /** A bitmap with arbitrary content. */
  take(): Bits {
    return this.#free.pop() ?? new Uint32Array(wordsFor(this.count))
  }

  give(bits: Bits): void {
    if (this.#free.length < MOST_KEPT) this.#free.push(bits)
  }
}

const MOST_KEPT = 4

/** Sets the rows from `from` up to `to`, which is excluded. */
export function addRun(bits: Bits, from: number, to: number): void {
  if (from >= to) return
  const first = from >>> 5
  const last = (to - 1) >>> 5
  const head = -1 << (from & 31)
  const tail = -1 >>> (31 - ((to - 1) & 31))
  if (first === last) {
    bits[first] = bits[first]! | (head & tail)
    return
  }
  bits[first] = bits[first]! | head
  bits.fill(0xffffffff, first + 1, last)
  bits[last] = bits[last]! | tail
}

/** Sets the rows whose numbers are in `ids` at the positions from `from` up to `to`, which is excluded. */
export function addRows(bits: Bits, ids: Int32Array, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const row = ids[i]!
    bits[row >>> 5] = bits[row >>> 5]! | (1 << row)
  }
}

export function intersect(bits: Bits, other: Bits, { from, to }: Window): void {
  for (let w = from; w < to; w++) bits[w] = bits[w]! & other[w]!
}

export function unite(bits: Bits, other: Bits, { from, to }: Window): void {
  for (let w = from; w < to; w++) bits[w] = bits[w]! | other[w]!
}

/** Sets exactly the rows that were not set. */
export function complement(bits: Bits, count: number, { from, to }: Window): void {
  for (let w = from; w < to; w++) bits[w] = ~bits[w]!
  clearPastEnd(bits, count, { from, to })
}

export function clearPastEnd(bits: Bits, count: number, { from, to }: Window): void {
  const last = wordsFor(count) - 1
  const rest = count & 31
  if (rest !== 0 && from <= last && last < to) bits[last] = bits[last]! & ((1 << rest) - 1)
}

export function countRows(bits: Bits, { from, to }: Window): number {
  let total = 0
  for (let w = from; w < to; w++) {
    let x = bits[w]! | 0
    if (x === 0) continue
    x -= (x >>> 1) & 0x55555555
    x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
    total += Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return total
}

/** The smallest window that holds every row set within the window. */
export function narrowed(bits: Bits, { from, to }: Window): Window {
  while (from < to && bits[from] === 0) from++
  while (from < to && bits[to - 1] === 0) to--
  return { from, to }
}

/** Clears the set rows that fail the test. */
export function keepRows(bits: Bits, { from, to }: Window, test: (row: number) => boolean): void {
  for (let w = from; w < to; w++) {
    const word = bits[w]! | 0
    let kept = word
    for (let left = word; left !== 0; left &= left - 1) {
      const bit = 31 - Math.clz32(left & -left)
      if (!test((w << 5) + bit)) kept ^= 1 << bit
    }
    bits[w] = kept
  }
}

/** Writes the set rows to `ids` in ascending order, as many as fit. @returns how many were written */
export function listRows(bits: Bits, { from, to }: Window, ids: Int32Array): number {
  const most = ids.length
  let listed = 0
  for (let w = from; w < to; w++) {
    for (let left = bits[w]! | 0; left !== 0; left &= left - 1) {
      if (listed === most) return listed
      ids[listed++] = (w << 5) + 31 - Math.clz32(left & -left)
    }
  }
  return listed
}

export const hasRow = (bits: Bits, row: number): boolean => ((bits[row >>> 5]! >>> row) & 1) !== 0
