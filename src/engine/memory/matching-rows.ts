/**
 * The rows that satisfy a query's condition, in default order: a list when they are few, a bitmap when they are many.
 */
import {
  type BitmapPool,
  type Bits,
  countRows,
  listRows,
  narrowed,
  type Window,
  wholeWindow,
} from './bitmap.ts'
import { rowNumbers } from './indexes/column-index.ts'
import { scratch } from './scratch.ts'
import type { Work } from './work.ts'

export type MatchingRows =
  | { readonly kind: 'every'; readonly total: number }
  | { readonly kind: 'listed'; readonly total: number; readonly ids: Int32Array }
  | { readonly kind: 'marked'; readonly total: number; readonly bits: Bits; readonly window: Window }

export const everyRow = (total: number): MatchingRows => ({ kind: 'every', total })

/** Takes over a bitmap from the pool. */
export function markedRows(bits: Bits, bitmaps: BitmapPool): MatchingRows {
  const window = narrowed(bits, wholeWindow(bitmaps.count))
  const total = countRows(bits, window)
  if (32 * total > bitmaps.count) return { kind: 'marked', total, bits, window }
  const ids = new Int32Array(total)
  listRows(bits, window, ids)
  bitmaps.give(bits)
  return { kind: 'listed', total, ids }
}

/** The first `wanted` rows in default order, or all if there are fewer. */
export function listFirst(rows: MatchingRows, wanted: number): Int32Array {
  const count = Math.min(wanted, rows.total)
  switch (rows.kind) {
    case 'every':
      return rowNumbers(count)
    case 'listed':
      return rows.ids.subarray(0, count)
    case 'marked': {
      const ids = new Int32Array(count)
      listRows(rows.bits, rows.window, ids)
      return ids
    }
  }
}

/** All rows in default order. Unless the rows are listed already, the array comes from {@link scratch}. */
export function* listAll(rows: MatchingRows): Work<Int32Array> {
  if (rows.kind === 'listed') return rows.ids
  yield rows.total
  const ids = scratch.integers(rows.total)
  if (rows.kind === 'every') {
    for (let row = 0; row < ids.length; row++) ids[row] = row
    return ids
  }
  const { bits, window } = rows
  let listed = 0
  for (let from = window.from; from < window.to; from += WORDS_PER_BLOCK) {
    if (from > window.from) yield
    const to = Math.min(window.to, from + WORDS_PER_BLOCK)
    listed += listRows(bits, { from, to }, ids.subarray(listed))
  }
  return ids
}

/** Words between two checks of the clock. */
const WORDS_PER_BLOCK = 1 << 12

/** The number of the first row when the rows have no gaps; otherwise null. */
export function beginOfRun(rows: MatchingRows): number | null {
  const { total } = rows
  if (rows.kind === 'every' || total === 0) return 0
  const [first, last] = rows.kind === 'listed' ? [rows.ids[0]!, rows.ids[total - 1]!] : endsOf(rows)
  return last - first + 1 === total ? first : null
}

function endsOf({ bits, window }: MatchingRows & { readonly kind: 'marked' }): readonly [number, number] {
  const low = bits[window.from]!
  const high = bits[window.to - 1]!
  const first = (window.from << 5) + 31 - Math.clz32(low & -low)
  return [first, ((window.to - 1) << 5) + 31 - Math.clz32(high)]
}
