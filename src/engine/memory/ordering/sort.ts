/**
 * Puts matching rows in order, all of them or only as many as a page needs: along an order of all rows if that is known,
 * otherwise narrowed down by their sort words and then sorted without comparisons.
 */
import { type Bits, hasRow, type Window } from '../bitmap.ts'
import { gatherWords, type SortWord, sortByWords } from '../indexes/radix-sort.ts'
import { ROWS_PER_BLOCK, type RowOrder } from '../indexes/row-orders.ts'
import { listAll, listFirst, type MatchingRows } from '../matching-rows.ts'
import { scratch } from '../scratch.ts'
import type { Work } from '../work.ts'
import { type ColumnOrder, sortWords } from './sort-keys.ts'

/**
 * The first `wanted` rows in order, or all if there are fewer.
 *
 * @param allInOrder all rows of the partition in this order, if known
 */
export function* firstInOrder(
  rows: MatchingRows,
  orders: readonly ColumnOrder[],
  wanted: number,
  allInOrder: RowOrder | null = null,
): Work<Int32Array> {
  if (orders.length === 0) return listFirst(rows, wanted)
  const along = allInOrder === null ? null : yield* firstAlong(allInOrder, rows, wanted)
  if (along !== null) return along
  const words = orders.flatMap(sortWords)
  const candidates = yield* listAll(rows)
  const few = pays(candidates.length, wanted) ? yield* narrowedBy(words, candidates, wanted) : candidates
  const sorted = yield* sortByWords(few, words.toReversed())
  const isOwn = rows.kind !== 'listed'
  const mayKeep = sorted === candidates && isOwn ? yield* scratch.settled(sorted) : sorted
  if (sorted !== candidates && isOwn) scratch.give(candidates)
  return mayKeep.length === wanted ? mayKeep : mayKeep.slice(0, wanted)
}

/** Whether there are so many rows that it pays to find the wanted ones before sorting. */
const pays = (rows: number, wanted: number): boolean => rows > 4 * wanted

/**
 * The matching rows as they come along an order of all rows. Null when sorting is better: when they are few, or when they
 * come late in that order.
 */
function* firstAlong(order: RowOrder, rows: MatchingRows, wanted: number): Work<Int32Array | null> {
  const count = Math.min(wanted, rows.total)
  if (rows.kind === 'every') return order.ids.subarray(0, count)
  if (rows.kind === 'listed') return null
  const found = new Int32Array(count)
  const steps = count === rows.total ? order.ids.length : WALKED_FREELY + STEPS_PER_ROW * rows.total
  const blocks = order.leastOf.length
  let left = steps
  let next = 0
  for (let block = 0; block < blocks; block++) {
    if (block % BLOCKS_PER_PAUSE === 0) yield Math.min(blocks - block, BLOCKS_PER_PAUSE) * ROWS_PER_BLOCK
    if (isOutside(order, block, rows.window)) continue
    next = walkBlock(order.ids, block, rows.bits, found, next)
    if (next === count) return found
    left -= ROWS_PER_BLOCK
    if (left < 0) return null
  }
  return null
}

/** Rows are in the order of a date: a filter by it leaves a window of rows, which a sort by another date keeps together. */
function isOutside({ leastOf, greatestOf }: RowOrder, block: number, { from, to }: Window): boolean {
  return greatestOf[block]! < from << 5 || leastOf[block]! >= to << 5
}

/** Adds the set rows of a block to `found`, from position `next`, until `found` is full. */
function walkBlock(ids: Int32Array, block: number, bits: Bits, found: Int32Array, next: number): number {
  const from = block * ROWS_PER_BLOCK
  const to = Math.min(ids.length, from + ROWS_PER_BLOCK)
  for (let at = from; at < to && next < found.length; at++) {
    const row = ids[at]!
    if (hasRow(bits, row)) found[next++] = row
  }
  return next
}

const BLOCKS_PER_PAUSE = 512

/**
 * How far an order is walked for a page. A step costs a sixth of what narrowing costs per matching row. When the matching rows
 * come last (trips that begin early were not booked late), the walk stops before it has cost as much as narrowing.
 */
const STEPS_PER_ROW = 5
const WALKED_FREELY = 1024

/**
 * The wanted rows and few others, in ascending order of row number. Rows whose first word is below that of the last wanted row
 * are included. Many rows with an equal word are narrowed down by the next word, and after the last word by row number.
 */
function* narrowedBy(words: readonly SortWord[], ids: Int32Array, wanted: number): Work<Int32Array> {
  const sure: number[] = []
  const room = scratch.words(ids.length)
  const equal = scratch.integers(ids.length)
  let candidates = ids
  let left = wanted
  for (const word of words) {
    if (left <= 0 || !pays(candidates.length, left)) break
    const values = yield* gatherWords(candidates, word, room)
    const span = yield* spanOf(values)
    if (span.low === span.high) continue
    const greatest = yield* wordOfRank(values, left, span)
    const before = sure.length
    candidates = yield* splitAt(greatest, candidates, values, { below: sure, equal })
    left -= sure.length - before
  }
  // Rows that are equal by every word are taken by row number.
  const rest = pays(candidates.length, left) ? candidates.subarray(0, Math.max(left, 0)) : candidates
  const narrow = joined(sure, rest)
  scratch.give(room)
  scratch.give(equal)
  return narrow
}

/**
 * Returns the rows with exactly this word, at the beginning of `equal`, which may be the array of `ids`. Adds the rows with
 * smaller words, which are few, to `below`.
 */
function* splitAt(
  greatest: number,
  ids: Int32Array,
  values: Uint32Array,
  { below, equal }: { readonly below: number[]; readonly equal: Int32Array },
): Work<Int32Array> {
  let equalCount = 0
  for (const { from, to } of blocksOf(ids.length)) {
    yield to - from
    for (let i = from; i < to; i++) {
      const value = values[i]!
      if (value > greatest) continue
      if (value === greatest) equal[equalCount++] = ids[i]!
      else below.push(ids[i]!)
    }
  }
  return equal.subarray(0, equalCount)
}

function joined(some: readonly number[], others: Int32Array): Int32Array {
  const all = new Int32Array(some.length + others.length)
  all.set(some)
  all.set(others, some.length)
  return all.sort()
}

/** A word that `rank` words or slightly more do not exceed, found by counting in ever narrower buckets. */
function* wordOfRank(words: Uint32Array, rank: number, span: Span): Work<number> {
  let { low, high } = span
  for (;;) {
    const shift = Math.max(0, 32 - Math.clz32(high - low) - BUCKET_BITS)
    const counts = yield* bucketCounts(words, low, high, shift)
    let bucket = 0
    while (rank > counts[bucket]!) rank -= counts[bucket++]!
    low += bucket * 2 ** shift
    high = Math.min(high, low + 2 ** shift - 1)
    if (shift === 0 || counts[bucket]! <= FEW_MORE + 2 * rank) return high
  }
}

const BUCKET_BITS = 11
const FEW_MORE = 64

function* bucketCounts(words: Uint32Array, low: number, high: number, shift: number): Work<Int32Array> {
  const counts = new Int32Array(((high - low) >>> shift) + 1)
  for (const { from, to } of blocksOf(words.length)) {
    yield to - from
    for (let i = from; i < to; i++) {
      const word = words[i]!
      if (word < low || word > high) continue
      const bucket = (word - low) >>> shift
      counts[bucket] = counts[bucket]! + 1
    }
  }
  return counts
}

type Span = { readonly low: number; readonly high: number }

function* spanOf(words: Uint32Array): Work<Span> {
  let low = 0xffffffff
  let high = 0
  for (const { from, to } of blocksOf(words.length)) {
    yield to - from
    for (let i = from; i < to; i++) {
      const word = words[i]!
      if (word < low) low = word
      if (word > high) high = word
    }
  }
  return { low, high }
}

/** Blocks of rows, between which work on millions of rows may pause. */
function* blocksOf(count: number): Generator<{ readonly from: number; readonly to: number }> {
  for (let from = 0; from < count; from += BLOCK) yield { from, to: Math.min(count, from + BLOCK) }
}

const BLOCK = 1 << 17
