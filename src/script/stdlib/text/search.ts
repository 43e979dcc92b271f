/**
 * Finding a plain text in another in linear time. The search of JavaScript itself takes the product of both lengths for
 * long texts made for it, such as `baaa…` in `aaa…`, which would hold up everything for minutes.
 */

/** The search of JavaScript is quick enough while it compares at most so many units for each unit of the text. */
const SHORT_SEARCH = 16

/** And for texts whose lengths multiply to no more than this. */
const SMALL_PRODUCT = 1_000_000

/** Answers, for a place in the text, where the searched text begins next at or after it; negative where it does not. */
export type Search = (from: number) => number

export function searchIn(text: string, searched: string): Search {
  if (searched.length <= SHORT_SEARCH || text.length * searched.length <= SMALL_PRODUCT) {
    return (from) => text.indexOf(searched, from)
  }
  if (searched.length > text.length) return () => -1
  return searchByUnit(text, searched)
}

/** A text, or something that is read like one. */
export type Units = { readonly length: number; readonly charCodeAt: (at: number) => number }

/** The same for a text that is not empty, in steps of a unit at a time, by what the searched text repeats of itself. */
export const searchByUnit = (text: Units, searched: string): Search => {
  const borders = bordersOf(searched)
  return (from) => searchWithBorders(text, searched, borders, from)
}

export const indexOfText = (text: string, searched: string, from = 0): number =>
  searchIn(text, searched)(from)

/** For each prefix the length of the longest shorter prefix that it also ends with (Knuth, Morris, Pratt). */
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
