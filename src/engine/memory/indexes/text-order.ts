/**
 * Finds the place of each code of a dictionary in sort order. Codes ascend with the folded texts, but records are sorted by
 * the texts themselves: for most dictionaries (locators, upper-case codes) the order is the same, which is checked once.
 */
import { compareCodePoints } from '../../../kernel/text.ts'
import type { Dictionary } from '../../../snapshot/partition.ts'
import { KeptWork } from '../kept-work.ts'
import type { Work } from '../work.ts'

export type TextOrder = {
  /** Rank by code. The null code is included, and comes last. */
  readonly rankOfCode: Int32Array
  /** Code by rank. */
  readonly codeOfRank: Int32Array
}

/** Null when the codes are in sort order themselves. */
const orders = new KeptWork<Dictionary, TextOrder | null>()

export const textOrder = (dictionary: Dictionary): Work<TextOrder | null> =>
  orders.get(dictionary, () => findOrder(dictionary))

function* findOrder(dictionary: Dictionary): Work<TextOrder | null> {
  return (yield* isInOrder(dictionary)) ? null : yield* orderTexts(dictionary)
}

const BLOCK = 1 << 11

function* isInOrder(dictionary: Dictionary): Work<boolean> {
  for (let code = 1; code < dictionary.size; code++) {
    if (compareCodePoints(dictionary.text(code - 1), dictionary.text(code)) > 0) return false
    if (code % BLOCK === 0) yield
  }
  return true
}

function* orderTexts(dictionary: Dictionary): Work<TextOrder> {
  const { size } = dictionary
  const codeOfRank = yield* mergeSortCodes(dictionary)
  const rankOfCode = new Int32Array(size + 1)
  for (let rank = 0; rank <= size; rank++) rankOfCode[codeOfRank[rank]!] = rank
  return { rankOfCode, codeOfRank }
}

/** Sorts bottom-up, so that it can pause anywhere; the null code keeps its place at the end. */
function* mergeSortCodes(dictionary: Dictionary): Work<Int32Array> {
  const { size } = dictionary
  let source = new Int32Array(size + 1)
  let target = new Int32Array(size + 1)
  for (let code = 0; code <= size; code++) target[code] = source[code] = code
  for (let width = 1; width < size; width *= 2) {
    for (let from = 0; from < size; from += 2 * width) {
      const middle = Math.min(from + width, size)
      yield* mergeRuns(dictionary, source, target, from, middle, Math.min(middle + width, size))
    }
    ;[source, target] = [target, source]
    yield
  }
  return source
}

function* mergeRuns(
  dictionary: Dictionary,
  source: Int32Array,
  target: Int32Array,
  from: number,
  middle: number,
  to: number,
): Work<void> {
  let left = from
  let right = middle
  for (let at = from; at < to; at++) {
    const takeLeft =
      right >= to ||
      (left < middle &&
        compareCodePoints(dictionary.text(source[left]!), dictionary.text(source[right]!)) <= 0)
    target[at] = takeLeft ? source[left++]! : source[right++]!
    if (at % BLOCK === 0) yield
  }
}
