/**
 * Wanted values as slices of a column's index, and the rows of those slices. Values that more than one row in 32 has keep
 * a bitmap of their own, which is smaller than their slice and joined word by word; a column has fewer than 32 of those.
 */
import type { Column } from '../../../snapshot/partition.ts'
import { addRows, addRun, type Bits, unite, type Window, wordsFor } from '../bitmap.ts'
import type { Ranges } from '../ranges.ts'
import type { Work } from '../work.ts'
import type { ColumnIndex } from './column-index.ts'

export type Slices = {
  readonly all: readonly Slice[]
  readonly rows: number
  /** What it takes to put the rows into a bitmap, in rows scanned. */
  readonly effort: number
}

/** Positions `from` to `to`, the latter excluded, of an index. */
type Slice = {
  readonly from: number
  readonly to: number
  /** The value of every row of the slice; NaN for null, undefined where there are several values. */
  readonly value: number | undefined
}

/** Null when there would be so many slices that scanning is no worse. */
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

/** Rows lie anywhere in the bitmap: each may cost a look into memory. */
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
