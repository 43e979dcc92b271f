/**
 * The rows that are grouped: the selected records, or their elements. Rows are places in a list; a list without row numbers
 * contains every row of its scope.
 */
import { listAll, type MatchingRows } from '../matching-rows.ts'
import type { ElementScope, Scope } from '../scope.ts'
import { scratch } from '../scratch.ts'
import type { Work } from '../work.ts'

export type Rows = {
  readonly count: number
  /** The row number in each place; null when it is the place itself. */
  readonly numbers: Int32Array | null
}

/** The elements of selected records. */
export type ElementRows = Rows & {
  /** By place: the place of the element's record among the selected records. */
  readonly owners: Int32Array
}

export function* recordRows(matched: MatchingRows, records: Scope): Work<Rows> {
  if (matched.kind === 'every') return { count: matched.total, numbers: null }
  const numbers = yield* listAll(matched)
  if (matched.kind === 'marked') records.bitmaps.give(matched.bits)
  return { count: numbers.length, numbers }
}

export function* elementRows({ count, numbers }: Rows, elements: ElementScope): Work<ElementRows> {
  const { offsets } = elements
  if (numbers === null) return { count: elements.count, numbers: null, owners: yield* elements.recordOf() }
  yield count
  let total = 0
  for (let i = 0; i < count; i++) total += offsets[numbers[i]! + 1]! - offsets[numbers[i]!]!
  const [found, owners] = [scratch.integers(total), scratch.integers(total)]
  let at = 0
  for (let i = 0; i < count; i++) {
    if (i % BLOCK === 0) yield BLOCK
    const end = offsets[numbers[i]! + 1]!
    for (let element = offsets[numbers[i]!]!; element < end; element++) {
      found[at] = element
      owners[at++] = i
    }
  }
  return { count: total, numbers: found, owners }
}

/** The record of each element, by place. */
export function* recordsOfElements({ numbers }: Rows, { owners, count }: ElementRows): Work<Rows> {
  if (numbers === null) return { count, numbers: owners }
  const records = scratch.integers(count)
  for (let from = 0; from < count; from += BLOCK) {
    const to = Math.min(count, from + BLOCK)
    yield to - from
    for (let i = from; i < to; i++) records[i] = numbers[owners[i]!]!
  }
  return { count, numbers: records }
}

/** Rows that are read between two checks of the clock. */
const BLOCK = 1 << 15

/** Calls the loop for block after block, each of which counts as scanned rows. */
export function* inBlocks(count: number, loop: (from: number, to: number) => void): Work<void> {
  for (let from = 0; from < count; from += BLOCK) {
    const to = Math.min(count, from + BLOCK)
    yield to - from
    loop(from, to)
  }
}
