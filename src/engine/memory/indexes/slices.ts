/**
 * Finds wanted values as slices of a column's index, and the rows of those slices. A value that more than one row in 32 has
 * keeps a bitmap, which is smaller than its slice and is joined word by word; a column has fewer than 32 such values.
 */
import type { Column } from '../../../snapshot/partition.ts'
import { addRows, addRun, type Bits, unite, type Window, wordsFor } from '../bitmap.ts'
import type { Ranges } from '../ranges.ts'
import type { Work } from '../work.ts'
import type { ColumnIndex } from './column-index.ts'

export type Slices = {
  readonly all: readonly Slice[]
  readonly rows: number
  /** Cost of putting the rows into a bitmap, in rows scanned. */
  readonly effort: number
}

/** The positions of an index from `from` up to `to`, which is excluded. */
type Slice = {
  readonly from: number
  readonly to: number
  /** The value of every row of the slice: NaN for null, undefined when there are several values. */
  readonly value: number | undefined
}

/** Null when there would be so many slices that a scan is as cheap. */
export function slicesOf(index: ColumnIndex, ranges: Ranges, orNull: boolean, count: number): Slices | null {
  if (ranges.length > FEW_SLICES && ranges.length > count / 32) return null
  const all: Slice[] = []
  for (let i = 0; i < ranges.length; i += 2) {
    const [low, high] = [ranges[i]!, ranges[i + 1]!]
    const value = low === high ? low : undefined
    all.push({ from: index.position(low), to: index.position(high + 1), value })
  }
  if (orNull) all.push({ from: index.nullsFrom, to: count, value: Number.NaN })
  let rows = 0
  let effort = 0
  for (const slice of all) {
    rows += slice.to - slice.from
    effort += index.ids === null || isCommon(slice, count) ? count / 32 : slice.to - slice.from
  }
  return { all, rows, effort }
}

const FEW_SLICES = 16

const isCommon = ({ from, to, value }: Slice, count: number): boolean =>
  value !== undefined && 32 * (to - from) > count

/** Writes the window's words. */
export function* fillSlices(
  bits: Bits,
  window: Window,
  column: Column,
  { ids, count }: ColumnIndex,
  slices: Slices,
): Work<void> {
  yield slices.effort
  bits.fill(0, window.from, window.to)
  for (const slice of slices.all) {
    if (ids === null) addRun(bits, slice.from, slice.to)
    else if (isCommon(slice, count)) unite(bits, yield* commonRows(column, ids, slice, count), window)
    else yield* addSlice(bits, ids, slice)
  }
}

/** Rows are anywhere in the bitmap: each may cost an access to main memory. */
const ROWS_PER_PAUSE = 1 << 15

function* addSlice(bits: Bits, ids: Int32Array, { from, to }: Slice): Work<void> {
  for (let begin = from; begin < to; begin += ROWS_PER_PAUSE) {
    if (begin > from) yield
    addRows(bits, ids, begin, Math.min(to, begin + ROWS_PER_PAUSE))
  }
}

const commonOf = new WeakMap<Column, Map<number | undefined, Bits>>()

function* commonRows(column: Column, ids: Int32Array, slice: Slice, count: number): Work<Bits> {
  let known = commonOf.get(column)
  if (known === undefined) {
    known = new Map()
    commonOf.set(column, known)
  }
  let bits = known.get(slice.value)
  if (bits === undefined) {
    bits = new Uint32Array(wordsFor(count))
    yield* addSlice(bits, ids, slice)
    known.set(slice.value, bits)
  }
  return bits
}
