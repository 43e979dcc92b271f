/**
 * Finds a plain text in another in linear time. JavaScript's own search takes time by the product of both lengths for hostile
 * texts, such as `baaa…` in `aaa…`, which would block the thread for minutes.
 */

/** Longest searched text, in units, for which JavaScript's search is always fast enough. */
const SHORT_SEARCH = 16

/** Product of both lengths up to which JavaScript's search is fast enough, too. */
const SMALL_PRODUCT = 1_000_000

/** Returns the next place of the searched text at or after `from`; negative if there is none. */
export type Search = (from: number) => number

export function searchIn(text: string, searched: string): Search {
  if (searched.length <= SHORT_SEARCH || text.length * searched.length <= SMALL_PRODUCT) {
    return (from) => text.indexOf(searched, from)
  }
  if (searched.length > text.length) return () => -1
  return searchByUnit(text, searched)
}

/** A text, or an object that is read like one. */
export type Units = { readonly length: number; readonly charCodeAt: (at: number) => number }

/** The same for a non-empty text, one unit at a time, using the repetitions inside the searched text. */
export const searchByUnit = (text: Units, searched: string): Search => {
  const borders = bordersOf(searched)
  return (from) => searchWithBorders(text, searched, borders, from)
}

export const indexOfText = (text: string, searched: string, from = 0): number =>
  searchIn(text, searched)(from)

/** For each prefix, the length of the longest shorter prefix that is also its end (Knuth, Morris, Pratt). */
function bordersOf(searched: string): Int32Array {
  const borders = new Int32Array(searched.length)
  let border = 0
  for (let i = 1; i < searched.length; i++) {
    const unit = searched.charCodeAt(i)
    while (border > 0 && searched.charCodeAt(border) !== unit) border = borders[border - 1] as number
    if (searched.charCodeAt(border) === unit) border++
    borders[i] = border
  }
  return borders
}

function searchWithBorders(text: Units, searched: string, borders: Int32Array, from: number): number {
  let matched = 0
  for (let i = from; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    while (matched > 0 && searched.charCodeAt(matched) !== unit) matched = borders[matched - 1] as number
    if (searched.charCodeAt(matched) === unit) matched++
    if (matched === searched.length) return i - matched + 1
  }
  return -1
}
