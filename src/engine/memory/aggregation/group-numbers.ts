/**
 * Numbers the groups: combines the codes of the dimensions of each row into one integer. As long as the combinations that are
 * possible are few, they are numbered by arithmetic; else those that occur are numbered in a hash table.
 */
import { checkGroups, type GroupLimits } from '../../group-set.ts'
import { scratch } from '../scratch.ts'
import type { Work } from '../work.ts'
import { combineAndCount, combineCodes, combineRowsAndCount, countCombinations } from './code-source.ts'
import { type Codes, codesByPlace } from './dimension-codes.ts'
import { PairCodes } from './number-codes.ts'
import { inBlocks } from './selected-rows.ts'

export type Grouping = {
  /** By place of the rows: the number of the row's group. Empty where only counts are wanted. */
  readonly numbers: Int32Array
  /** Whether the numbers are in memory that is given back after use. */
  readonly isScratch: boolean
  /** Greater than every number; some numbers may have no rows. */
  readonly limit: number
  /** The numbers of the groups that have rows. */
  readonly occurring: Int32Array
  /** By number: how many rows the group has. */
  readonly counts: Int32Array
  /** By dimension: the codes of the groups, in the order of `occurring`. */
  readonly codes: readonly Int32Array[]
}

/** Numbers by arithmetic pay up to this many times the rows. */
const MOST_PER_ROW = 4
const FEW_NUMBERS = 1 << 12

/** How a number was made of the number before and a code. */
type Step = { readonly each: number } | { readonly pairs: PairCodes }

type Numbers = Pick<Grouping, 'numbers' | 'isScratch' | 'limit'>

/**
 * @param wantsNumbers false when the rows of groups are only counted
 * @throws OverGroupLimit as soon as there are too many groups
 */
export function* groupRows(
  dimensions: readonly Codes[],
  count: number,
  members: number,
  limits: GroupLimits,
  wantsNumbers: boolean,
): Work<Grouping> {
  const check = (groups: number) => checkGroups({ groups, members, distinct: 0 }, limits)
  if (dimensions.length === 0) return wholeGroup(count)
  const most = Math.max(FEW_NUMBERS, MOST_PER_ROW * count)
  const steps: Step[] = []
  let numbers: Numbers = { numbers: noNumbers, isScratch: false, limit: 1 }
  let counts: Int32Array | null = null
  for (const [i, dimension] of dimensions.entries()) {
    const limit = numbers.limit * dimension.limit
    if (i > 0 && limit <= most) {
      counts = i === dimensions.length - 1 ? new Int32Array(limit) : null
      numbers =
        counts === null || wantsNumbers || dimension.source.rows !== null
          ? { ...(yield* combined(numbers, dimension, counts, count)), limit }
          : { ...(yield* counted(numbers, dimension, counts, count)), limit }
      steps.push({ each: dimension.limit })
      continue
    }
    const own = yield* ownNumbers(dimension, count)
    if (limit > most) {
      const pairs = new PairCodes()
      numbers = yield* paired(pairs, i === 0 ? null : numbers, own, count, check)
      steps.push({ pairs })
      continue
    }
    steps.push({ each: own.limit })
    numbers = own
  }
  counts ??= yield* countRows(numbers.numbers.subarray(0, count), numbers.limit)
  const occurring = yield* numbersWithRows(counts)
  check(occurring.length)
  return { ...numbers, occurring, counts, codes: codesOfGroups(occurring, steps) }
}

const noNumbers = new Int32Array(0)

/** Without dimensions all rows are one group, even if there are none. */
const wholeGroup = (count: number): Grouping => ({
  numbers: new Int32Array(count),
  isScratch: false,
  limit: 1,
  occurring: Int32Array.of(0),
  counts: Int32Array.of(count),
  codes: [],
})

function* ownNumbers(dimension: Codes, count: number): Work<Numbers> {
  const { source, limit } = dimension
  const numbers = yield* codesByPlace(dimension, count)
  return { numbers, isScratch: source.kind === 'table' || source.codes !== numbers, limit }
}

/** @param counts the rows of each combination are counted here; null while more dimensions follow */
function* combined(
  { numbers: before, isScratch }: Numbers,
  dimension: Codes,
  counts: Int32Array | null,
  count: number,
): Work<Pick<Numbers, 'numbers' | 'isScratch'>> {
  const { source, limit: each } = dimension
  const isDirect = source.kind === 'codes' && source.map === null
  const codes = isDirect ? source.codes : yield* codesByPlace(dimension, count)
  const rows = isDirect ? source.rows : null
  const into = isScratch ? before : isDirect ? scratch.integers(count) : codes
  const all = { before, each, codes, rows, into }
  if (counts === null) yield* inBlocks(count, (from, to) => combineCodes(all, from, to))
  else if (rows === null) yield* inBlocks(count, (from, to) => combineAndCount(all, counts, from, to))
  else yield* inBlocks(count, (from, to) => combineRowsAndCount({ ...all, rows }, counts, from, to))
  if (isScratch && !isDirect) scratch.give(codes)
  return { numbers: into, isScratch: true }
}

/** Counts the rows of each combination, all rows of the scope, and gives none of them a number. */
function* counted(
  { numbers: before, isScratch }: Numbers,
  dimension: Codes,
  counts: Int32Array,
  count: number,
): Work<Pick<Numbers, 'numbers' | 'isScratch'>> {
  const { source, limit: each } = dimension
  const codes = yield* codesByPlace(dimension, count)
  const odd = counts.length <= FEW_NUMBERS ? new Int32Array(counts.length) : counts
  yield* inBlocks(count, (from, to) => countCombinations({ before, each, codes }, [counts, odd], from, to))
  if (odd !== counts) for (let n = 0; n < odd.length; n++) counts[n] = counts[n]! + odd[n]!
  if (isScratch) scratch.give(before)
  if (source.kind === 'table' || source.codes !== codes) scratch.give(codes)
  return { numbers: noNumbers, isScratch: false }
}

/** Numbers the pairs that occur of the numbers before and the codes. */
function* paired(
  pairs: PairCodes,
  before: Numbers | null,
  own: Numbers,
  count: number,
  check: (groups: number) => void,
): Work<Numbers> {
  const into = own.isScratch ? own.numbers : scratch.integers(count)
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++)
      into[i] = pairs.codeOf(before === null ? 0 : before.numbers[i]!, own.numbers[i]!)
    check(pairs.size)
  })
  if (before?.isScratch) scratch.give(before.numbers)
  return { numbers: into, isScratch: true, limit: Math.max(1, pairs.size) }
}

/** By number: how many rows have it. */
export function* countRows(numbers: Int32Array, limit: number): Work<Int32Array> {
  const counts = new Int32Array(limit)
  yield* inBlocks(numbers.length, (from, to) => countBlock(numbers, counts, from, to))
  return counts
}

function countBlock(numbers: Int32Array, counts: Int32Array, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const group = numbers[i]!
    counts[group] = counts[group]! + 1
  }
}

function* numbersWithRows(counts: Int32Array): Work<Int32Array> {
  let groups = 0
  yield* inBlocks(counts.length, (from, to) => {
    for (let group = from; group < to; group++) if (counts[group]! > 0) groups++
  })
  const occurring = new Int32Array(groups)
  let at = 0
  for (let group = 0; group < counts.length; group++) if (counts[group]! > 0) occurring[at++] = group
  return occurring
}

/** Takes the numbers of groups apart again, the last step first. */
function codesOfGroups(occurring: Int32Array, steps: readonly Step[]): readonly Int32Array[] {
  const rest = Int32Array.from(occurring)
  const codes = steps.map(() => new Int32Array(occurring.length))
  for (let s = steps.length - 1; s >= 0; s--) {
    const [step, own] = [steps[s] as Step, codes[s] as Int32Array]
    if ('pairs' in step) takePairsApart(step.pairs, rest, own)
    else takeProductsApart(step.each, rest, own)
  }
  return codes
}

function takePairsApart(pairs: PairCodes, rest: Int32Array, codes: Int32Array): void {
  for (let place = 0; place < rest.length; place++) {
    const number = rest[place]!
    codes[place] = pairs.secondOf(number)
    rest[place] = pairs.firstOf(number)
  }
}

function takeProductsApart(each: number, rest: Int32Array, codes: Int32Array): void {
  for (let place = 0; place < rest.length; place++) {
    const number = rest[place]!
    codes[place] = number % each
    rest[place] = Math.floor(number / each)
  }
}
