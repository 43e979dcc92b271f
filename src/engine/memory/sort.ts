/**
 * Puts matching rows in order, all of them or only as many as a page needs: the front of a column's index where one is
 * known, else rows narrowed down by their first sort word, then dealt into place without comparing.
 */
import { hasRow } from './bitmap.ts'
import { type ColumnIndex, countScan, indexOnceWorthwhile } from './indexes/column-index.ts'
import { gatherWords, type SortWord, sortByWords } from './indexes/radix-sort.ts'
import { listFirst, type MatchingRows } from './matching-rows.ts'
import { type ColumnOrder, sortWords } from './sort-keys.ts'
import type { Work } from './work.ts'

/** The first rows in order, as many as wanted or as there are. */
export function* firstInOrder(
  rows: MatchingRows,
  orders: readonly ColumnOrder[],
  wanted: number,
): Work<Int32Array> {
  const words = orders.flatMap(sortWords)
  const [first] = orders
  const [firstWord] = words
  if (first === undefined || firstWord === undefined) return listFirst(rows, wanted)
  const candidates =
    wanted * NARROWING_PAYS > rows.total
      ? listFirst(rows, rows.total)
      : ((yield* frontOfIndex(first, rows, { wanted, isOnlyKey: orders.length === 1 })) ??
        (yield* narrowedBy(firstWord, listFirst(rows, rows.total), wanted)))
  const sorted = yield* sortByWords(candidates, words.toReversed())
  return sorted.length === wanted ? sorted : sorted.slice(0, wanted)
}

/** How many pages the matching rows must fill before it pays to look for the page among them first. */
const NARROWING_PAYS = 4

/**
 * The matching rows with the first values of a column, at least as many as wanted, found by walking the column's index. The
 * last group of equal values is complete where other keys order it. Null where there is no index, or where too few of the
 * rows it leads to match.
 */
function* frontOfIndex(
  order: ColumnOrder,
  rows: MatchingRows,
  { wanted, isOnlyKey }: { readonly wanted: number; readonly isOnlyKey: boolean },
): Work<Int32Array | null> {
  const { column } = order
  if (column.type === 'boolean' || rows.kind === 'listed') return null
  const index = indexOnceWorthwhile(column)
  if (index === null) {
    countScan(column, rows.total)
    return null
  }
  const { ids } = index
  const bits = rows.kind === 'marked' ? rows.bits : null
  const found: number[] = []
  let left = Math.min(MOST_WALKED, WALKED_PER_SORTED * rows.total)
  walkGroups(index, order, (from, to) => {
    for (let at = from; at < to; at++) {
      const row = ids === null ? at : ids[at]!
      if (bits !== null && !hasRow(bits, row)) continue
      found.push(row)
      if (isOnlyKey && found.length === wanted) return true
    }
    left -= to - from
    return found.length >= wanted || left < 0
  })
  return found.length >= wanted ? new Int32Array(found).sort() : null
}

/** Looking at so many rows of an index costs about as much as narrowing down one. */
const WALKED_PER_SORTED = 2
const MOST_WALKED = 1 << 17

/** Hands out runs of positions with equal values, in sort order, until there are enough. */
function walkGroups(
  index: ColumnIndex,
  { column, texts, descending }: ColumnOrder,
  isEnough: (from: number, to: number) => boolean,
): void {
  if (column.type === 'text') {
    const { size } = column.dictionary
    for (let step = 0; step <= size; step++) {
      const rank = descending ? size - step : step
      const code = texts?.codeOfRank[rank] ?? rank
      if (isEnough(index.position(code), index.position(code + 1))) return
    }
  } else if (column.type !== 'boolean') {
    walkRuns(index, column.values, descending, isEnough)
  }
}

function walkRuns(
  { ids }: ColumnIndex,
  values: Int32Array | Float64Array,
  descending: boolean,
  isEnough: (from: number, to: number) => boolean,
): void {
  const count = values.length
  const valueAt = (at: number): number => values[ids === null ? at : ids[at]!]! + 0 // minus zero is zero
  let from = descending ? count : 0
  let to = from
  while (descending ? from > 0 : to < count) {
    if (descending) {
      to = from--
      while (from > 0 && Object.is(valueAt(from - 1), valueAt(from))) from--
    } else {
      from = to++
      while (to < count && Object.is(valueAt(to), valueAt(from))) to++
    }
    if (isEnough(from, to)) return
  }
}

/** The rows whose word is no greater than that of the last wanted row, or little more. Their order stays. */
function* narrowedBy(word: SortWord, ids: Int32Array, wanted: number): Work<Int32Array> {
  const words = yield* gatherWords(ids, word)
  const greatest = yield* wordOfRank(words, wanted)
  const kept = new Int32Array(ids.length)
  let count = 0
  for (let i = 0; i < ids.length; i++) if (words[i]! <= greatest) kept[count++] = ids[i]!
  return kept.subarray(0, count)
}

/** A word that at least `rank` words do not exceed, and not many more: counted in ever narrower buckets. */
function* wordOfRank(words: Uint32Array, rank: number): Work<number> {
  let { low, high } = spanOf(words)
  for (;;) {
    yield
    const shift = Math.max(0, 32 - Math.clz32(high - low) - BUCKET_BITS)
    const counts = bucketCounts(words, low, high, shift)
    let bucket = 0
    while (rank > counts[bucket]!) rank -= counts[bucket++]!
    low += bucket * 2 ** shift
    high = Math.min(high, low + 2 ** shift - 1)
    if (shift === 0 || counts[bucket]! <= FEW_MORE + 2 * rank) return high
  }
}

const BUCKET_BITS = 11
const FEW_MORE = 64

function bucketCounts(words: Uint32Array, low: number, high: number, shift: number): Int32Array {
  const counts = new Int32Array(((high - low) >>> shift) + 1)
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (word < low || word > high) continue
    const bucket = (word - low) >>> shift
    counts[bucket] = counts[bucket]! + 1
  }
  return counts
}

function spanOf(words: Uint32Array): { low: number; high: number } {
  let low = 0xffffffff
  let high = 0
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (word < low) low = word
    if (word > high) high = word
  }
  return { low, high }
}
