/**
 * Numbers the groups: combines the codes of the dimensions of each row into one integer. As long as the combinations that are
 * possible are few, they are numbered by arithmetic; else those that occur are numbered in a hash table.
 */
import type { GroupLimits } from '../../group-set.ts'
import { checkGroups } from '../../group-set.ts'
import { scratch } from '../scratch.ts'
import type { Work } from '../work.ts'
import type { Codes } from './dimension-codes.ts'
import { PairCodes } from './number-codes.ts'
import { inBlocks } from './selected-rows.ts'

export type Grouping = {
  /** By place of the rows: the number of the row's group. */
  readonly numbers: Int32Array
  /** Greater than every number; some numbers may have no rows. */
  readonly limit: number
  /** The numbers of the groups that have rows. */
  readonly occurring: Int32Array
  /** By number: how many rows the group has, and the place of one of them. */
  readonly counts: Int32Array
  readonly samples: Int32Array
}

/** Numbers by arithmetic pay up to this many times the rows. */
const MOST_PER_ROW = 4
const FEW_NUMBERS = 1 << 12

/** @throws OverGroupLimit as soon as there are too many groups */
export function* groupRows(
  dimensions: readonly Codes[],
  count: number,
  members: number,
  limits: GroupLimits,
): Work<Grouping> {
  const check = (groups: number) => checkGroups({ groups, members, distinct: 0 }, limits)
  const most = Math.max(FEW_NUMBERS, MOST_PER_ROW * count)
  const isOfDimension = (array: Int32Array) => dimensions.some(({ codes }) => codes === array)
  let numbers: Int32Array | null = null
  let limit = 1
  for (const { codes, limit: each } of dimensions) {
    if (numbers === null && each <= most) {
      numbers = codes
      limit = each
      continue
    }
    const before: Int32Array = numbers ?? new Int32Array(count)
    const next = scratch.integers(count)
    if (limit * each <= most) {
      yield* inBlocks(count, (from, to) => {
        for (let i = from; i < to; i++) next[i] = before[i]! * each + codes[i]!
      })
      limit *= each
    } else {
      const pairs = new PairCodes()
      yield* inBlocks(count, (from, to) => {
        for (let i = from; i < to; i++) next[i] = pairs.codeOf(before[i]!, codes[i]!)
        check(pairs.size)
      })
      limit = Math.max(1, pairs.size)
    }
    if (numbers !== null && !isOfDimension(numbers)) scratch.give(numbers)
    numbers = next
  }
  return yield* counted(numbers ?? new Int32Array(count), limit, count, check, dimensions.length === 0)
}

function* counted(
  numbers: Int32Array,
  limit: number,
  count: number,
  check: (groups: number) => void,
  isWhole: boolean,
): Work<Grouping> {
  const counts = new Int32Array(limit)
  const samples = new Int32Array(limit)
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) {
      const group = numbers[i]!
      if (counts[group]!++ === 0) samples[group] = i
    }
  })
  let groups = 0
  for (let group = 0; group < limit; group++) if (counts[group]! > 0 || isWhole) groups++
  check(groups)
  const occurring = new Int32Array(groups)
  for (let group = 0, at = 0; group < limit; group++) {
    if (counts[group]! > 0 || isWhole) occurring[at++] = group
  }
  return { numbers, limit, occurring, counts, samples }
}
