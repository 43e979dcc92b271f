/**
 * Sorts row numbers by 32-bit sort words, least significant word first, stably and without comparisons: each pass distributes
 * the rows by some bits of their word. The time is proportional to the rows; the sort may pause between blocks of rows.
 */
import { scratch } from '../scratch.ts'
import type { Work } from '../work.ts'

/** Writes the words of `ids[from..to)` to the same positions of `into`. Ascending words are ascending values. */
export type SortWord = (ids: Int32Array, into: Uint32Array, from: number, to: number) => void

const BLOCK = 1 << 16

/** Like {@link sortByWords} for all rows from 0 up to `count`, which is excluded. */
export function* sortAllByWords(count: number, wordsLeastFirst: readonly SortWord[]): Work<Int32Array> {
  const all = scratch.integers(count)
  for (let from = 0; from < count; from += BLOCK) {
    if (from > 0) yield
    const to = Math.min(count, from + BLOCK)
    for (let row = from; row < to; row++) all[row] = row
  }
  const sorted = yield* sortByWords(all, wordsLeastFirst)
  if (sorted === all) return yield* scratch.settled(all)
  scratch.give(all)
  return sorted
}

/**
 * The row numbers in ascending order of their words; rows with equal words keep their order. The given array is not changed,
 * but may itself be returned.
 */
export function* sortByWords(ids: Int32Array, wordsLeastFirst: readonly SortWord[]): Work<Int32Array> {
  let sorted = ids
  for (const word of wordsLeastFirst) {
    const next = yield* sortByWord(sorted, word)
    if (next === sorted) continue
    if (sorted !== ids) scratch.give(sorted)
    sorted = next
  }
  if (sorted === ids) return ids
  return yield* scratch.settled(sorted)
}

type Dealt = { readonly ids: Int32Array; readonly words: Uint32Array }
type Digit = { readonly least: number; readonly shift: number; readonly width: number }

/** The result comes from {@link scratch}, unless it is the given array. */
function* sortByWord(ids: Int32Array, word: SortWord): Work<Int32Array> {
  const count = ids.length
  const words = scratch.words(count)
  yield* gatherWords(ids, word, words)
  const { least, greatest, ascending } = yield* boundsOf(words)
  if (ascending) {
    scratch.give(words)
    return ids
  }
  const bits = 32 - Math.clz32(greatest - least)
  const passes = Math.ceil(bits / (count < 512 ? 8 : 11))
  const width = Math.ceil(bits / passes)
  const odd: Dealt = { ids: scratch.integers(count), words: scratch.words(count) }
  const even: Dealt = passes === 1 ? odd : { ids: scratch.integers(count), words }
  let source: Dealt = { ids, words }
  for (let pass = 0; pass < passes; pass++) {
    const target = source === odd ? even : odd
    yield* deal(source, target, { least, shift: pass * width, width })
    source = target
  }
  const spare = source === odd ? even : odd
  scratch.give(words)
  scratch.give(odd.words)
  if (spare !== source) scratch.give(spare.ids)
  return source.ids
}

/** Cost of counting a row's digit and moving the row to its place, in rows scanned. */
const DEALT = 4

function* deal(source: Dealt, target: Dealt, digit: Digit): Work<void> {
  const count = source.ids.length
  const places = new Int32Array((1 << digit.width) + 1)
  for (let from = 0; from < count; from += BLOCK) {
    if (from > 0) yield
    countDigits(source.words, digit, places, from, Math.min(count, from + BLOCK))
  }
  for (let i = 1; i < places.length; i++) places[i] = places[i]! + places[i - 1]!
  for (let from = 0; from < count; from += BLOCK) {
    yield DEALT * Math.min(count - from, BLOCK)
    dealBlock(source, target, digit, places, from, Math.min(count, from + BLOCK))
  }
}

/** Counts each digit one position higher, so that the running sums are the places where the digits begin. */
function countDigits(words: Uint32Array, digit: Digit, places: Int32Array, from: number, to: number): void {
  const { least, shift, width } = digit
  const mask = (1 << width) - 1
  for (let i = from; i < to; i++) {
    const at = (((words[i]! - least) >>> shift) & mask) + 1
    places[at] = places[at]! + 1
  }
}

function dealBlock(
  source: Dealt,
  target: Dealt,
  digit: Digit,
  places: Int32Array,
  from: number,
  to: number,
): void {
  const { least, shift, width } = digit
  const mask = (1 << width) - 1
  const { ids, words } = source
  const { ids: targetIds, words: targetWords } = target
  for (let i = from; i < to; i++) {
    const word = words[i]!
    const at = ((word - least) >>> shift) & mask
    const place = places[at]!
    places[at] = place + 1
    targetIds[place] = ids[i]!
    targetWords[place] = word
  }
}

/** The words of all the given rows, at the beginning of `room`. */
export function* gatherWords(ids: Int32Array, word: SortWord, room: Uint32Array): Work<Uint32Array> {
  const words = room.subarray(0, ids.length)
  for (let from = 0; from < ids.length; from += BLOCK) {
    yield Math.min(ids.length - from, BLOCK)
    word(ids, words, from, Math.min(ids.length, from + BLOCK))
  }
  return words
}

/** The least and the greatest word, and whether the words are in order already. */
function* boundsOf(words: Uint32Array): Work<{ least: number; greatest: number; ascending: boolean }> {
  let least = 0xffffffff
  let greatest = 0
  let previous = 0
  let ascending = true
  for (let from = 0; from < words.length; from += BLOCK) {
    if (from > 0) yield
    const to = Math.min(words.length, from + BLOCK)
    for (let i = from; i < to; i++) {
      const word = words[i]!
      if (word < least) least = word
      if (word > greatest) greatest = word
      if (word < previous) ascending = false
      previous = word
    }
  }
  return { least, greatest, ascending }
}
