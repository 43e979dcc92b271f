/**
 * The inner loops: compare the values of a column's array with the wanted values, 32 rows per word. Each loop is written for
 * one kind of array and of test, without branches that the processor cannot predict; the caller decides which rows to scan.
 */
import type { Bits } from '../bitmap.ts'
import { membershipIn, type Ranges } from '../ranges.ts'

export type Scan = {
  /** Writes the words from `from` up to `to`, which is excluded. Bits past the last row are zero. */
  readonly fill: (bits: Bits, from: number, to: number) => void
  /** The same test for one row. */
  readonly test: (row: number) => boolean
}

/** There must be at least one range. Null is a value like any other: when it is wanted, a range must contain it. */
export function scanIntegers(values: Int32Array, ranges: Ranges): Scan {
  const first = ranges[0]!
  const last = ranges[ranges.length - 1]!
  if (ranges.length === 2) return scanRange(values, first, last)
  const span = last - first + 1
  if (span > Math.max(SMALL_TABLE, 4 * values.length)) return scanPassing(values, membershipIn(ranges))
  const table = new Uint8Array(span)
  for (let i = 0; i < ranges.length; i += 2) table.fill(1, ranges[i]! - first, ranges[i + 1]! - first + 1)
  return scanTable(values, first, table)
}

const SMALL_TABLE = 1 << 14

/** One unsigned comparison tests both bounds, and its result is used as a number, so there is no branch to predict. */
function scanRange(values: Int32Array, first: number, last: number): Scan {
  const width = last - first
  return {
    fill: (bits, from, to) => {
      for (let w = from; w < to; w++) {
        const row = w << 5
        const rows = Math.min(32, values.length - row)
        let word = 0
        for (let bit = 0; bit < rows; bit++) word |= +((values[row + bit]! - first) >>> 0 <= width) << bit
        bits[w] = word
      }
    },
    test: (row) => (values[row]! - first) >>> 0 <= width,
  }
}

function scanTable(values: Int32Array, first: number, table: Uint8Array): Scan {
  const { length } = table
  return {
    fill: (bits, from, to) => {
      for (let w = from; w < to; w++) {
        const row = w << 5
        const rows = Math.min(32, values.length - row)
        let word = 0
        for (let bit = 0; bit < rows; bit++) {
          const at = (values[row + bit]! - first) >>> 0
          if (at < length) word |= table[at]! << bit
        }
        bits[w] = word
      }
    },
    test: (row) => {
      const at = (values[row]! - first) >>> 0
      return at < length && table[at] === 1
    },
  }
}

export function scanDoubles(values: Float64Array, ranges: Ranges, orNull: boolean): Scan {
  if (ranges.length === 2 && !orNull) return scanDoubleRange(values, ranges[0]!, ranges[1]!)
  const isWanted = membershipIn(ranges)
  return scanDoublesPassing(values, (value) => isWanted(value) || (orNull && Number.isNaN(value)))
}

function scanDoubleRange(values: Float64Array, first: number, last: number): Scan {
  return {
    fill: (bits, from, to) => {
      for (let w = from; w < to; w++) {
        const row = w << 5
        const rows = Math.min(32, values.length - row)
        let word = 0
        for (let bit = 0; bit < rows; bit++) {
          const value = values[row + bit]!
          if (value >= first && value <= last) word |= 1 << bit
        }
        bits[w] = word
      }
    },
    test: (row) => values[row]! >= first && values[row]! <= last,
  }
}

/** @param passes called for every value, including the value for null */
export function scanPassing(values: Int32Array, passes: (value: number) => boolean): Scan {
  return {
    fill: (bits, from, to) => {
      for (let w = from; w < to; w++) {
        const row = w << 5
        const rows = Math.min(32, values.length - row)
        let word = 0
        for (let bit = 0; bit < rows; bit++) if (passes(values[row + bit]!)) word |= 1 << bit
        bits[w] = word
      }
    },
    test: (row) => passes(values[row]!),
  }
}

/** @param passes called for every value, including NaN */
export function scanDoublesPassing(values: Float64Array, passes: (value: number) => boolean): Scan {
  return {
    fill: (bits, from, to) => {
      for (let w = from; w < to; w++) {
        const row = w << 5
        const rows = Math.min(32, values.length - row)
        let word = 0
        for (let bit = 0; bit < rows; bit++) if (passes(values[row + bit]!)) word |= 1 << bit
        bits[w] = word
      }
    },
    test: (row) => passes(values[row]!),
  }
}

/** A boolean column is already a bitmap in bytes; most begin at the boundary of a word. */
export function scanBooleans(
  bytes: Uint8Array,
  count: number,
  answers: { readonly whenFalse: boolean; readonly whenTrue: boolean },
): Scan {
  const words = wholeWords(bytes)
  const always = answers.whenFalse && answers.whenTrue ? -1 : 0
  const keep = answers.whenFalse === answers.whenTrue ? 0 : -1
  const flip = answers.whenFalse ? -1 : 0
  return {
    fill: (bits, from, to) => {
      for (let w = from; w < to; w++) {
        const word = w < words.length ? words[w]! : wordAt(bytes, w)
        const rest = count - (w << 5)
        bits[w] = (((word ^ flip) & keep) | always) & (rest >= 32 ? -1 : (1 << rest) - 1)
      }
    },
    test: (row) => ((bytes[row >>> 3]! >>> (row & 7)) & 1 ? answers.whenTrue : answers.whenFalse),
  }
}

/** A view of the bytes as words, least significant byte first, as far as that is possible without copying. */
function wholeWords({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  const count = isLittleEndian && byteOffset % 4 === 0 ? byteLength >>> 2 : 0
  return new Uint32Array(buffer, count === 0 ? 0 : byteOffset, count)
}

const isLittleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

function wordAt(bytes: Uint8Array, w: number): number {
  const at = w << 2
  return (
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24)
  )
}
