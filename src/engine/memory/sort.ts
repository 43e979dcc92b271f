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
  if (first === undefined) return listFirst(rows, wanted)
  const isOnlyKey = orders.length === 1
  const front = pays(rows.total, wanted) ? yield* frontOfIndex(first, rows, { wanted, isOnlyKey }) : null
  const candidates = front ?? listFirst(rows, rows.total)
  const few = pays(candidates.length, wanted) ? yield* narrowedBy(words, candidates, wanted) : candidates
  const sorted = yield* sortByWords(few, words.toReversed())
  return sorted.length === wanted ? sorted : sorted.slice(0, wanted)
}

/** Whether there are so many rows that it pays to look for the wanted ones among them first. */
const pays = (rows: number, wanted: number): boolean => rows > 4 * wanted

/**
 * The matching rows with the first values of a column, at least as many as wanted, found by walking the column's index. The
 * last group of equal values is complete where other keys order it. Null where there is no index, where a group is so large
 * that it says little, or where too few of the rows it leads to match.
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
  let left = WALKED_FREELY + (LUCKLESS * wanted * index.count) / rows.total
  walkGroups(index, order, (from, to) => {
    if (!isOnlyKey && to - from > LARGE_GROUP * wanted) return true
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

/** A group of equal values with more rows than this for each wanted one is better narrowed by the next key. */
const LARGE_GROUP = 8

/**
 * How many rows of an index are looked at: several times as many as would do if the matching rows were spread evenly. Where
 * they come last (trips that begin early were not booked late), narrowing down takes less than walking there.
 */
const LUCKLESS = 8
const WALKED_FREELY = 256

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

/**
 * The wanted rows and few others, in ascending order. Rows below the last wanted one by the first word are sure; those
 * equal to it, if they are many, are narrowed down by the next word, and after the last one by their place.
 */
function* narrowedBy(words: readonly SortWord[], ids: Int32Array, wanted: number): Work<Int32Array> {
  const sure: number[] = []
  const scratch = new Uint32Array(ids.length)
  let candidates = ids
  let left = wanted
  for (const word of words) {
    if (left <= 0 || !pays(candidates.length, left)) break
    const values = yield* gatherWords(candidates, word, scratch)
    const span = spanOf(values)
    if (span.low === span.high) continue
    const greatest = yield* wordOfRank(values, left, span)
    const before = sure.length
    candidates = splitAt(greatest, candidates, values, sure)
    left -= sure.length - before
  }
  // Whatever is still equal by every word goes by its place.
  const rest = pays(candidates.length, left) ? candidates.subarray(0, Math.max(left, 0)) : candidates
  return joined(sure, rest)
}

/** The rows of exactly this word; those below it, which are few, are added to `below`. */
function splitAt(greatest: number, ids: Int32Array, values: Uint32Array, below: number[]): Int32Array {
  let equalCount = 0
  for (let i = 0; i < ids.length; i++) {
    const value = values[i]!
    if (value > greatest) continue
    if (value === greatest) equalCount++
    else below.push(ids[i]!)
  }
  const equal = new Int32Array(equalCount)
  for (let i = 0, at = 0; at < equalCount; i++) if (values[i] === greatest) equal[at++] = ids[i]!
  return equal
}

function joined(some: readonly number[], others: Int32Array): Int32Array {
  const all = new Int32Array(some.length + others.length)
  all.set(some)
  all.set(others, some.length)
  return all.sort()
}

/** A word that at least `rank` words do not exceed, and not many more: counted in ever narrower buckets. */
function* wordOfRank(words: Uint32Array, rank: number, span: Span): Work<number> {
  let { low, high } = span
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

type Span = { readonly low: number; readonly high: number }

function spanOf(words: Uint32Array): Span {
  let low = 0xffffffff
  let high = 0
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (word < low) low = word
    if (word > high) high = word
  }
  return { low, high }
}
