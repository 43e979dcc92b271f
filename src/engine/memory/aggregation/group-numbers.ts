/**
 * Numbers the groups: combines the codes of the dimensions of each row into one integer. As long as the combinations that are
 * possible are few, they are numbered by arithmetic; else those that occur are numbered in a hash table.
 */
import { checkGroups, type GroupLimits } from '../../group-set.ts'
import { scratch } from '../scratch.ts'
import type { Work } from '../work.ts'
import { combineCodes } from './code-source.ts'
import { type Codes, codesByPlace } from './dimension-codes.ts'
import { PairCodes } from './number-codes.ts'
import { inBlocks } from './selected-rows.ts'

export type Grouping = {
  /** By place of the rows: the number of the row's group. */
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

/** @throws OverGroupLimit as soon as there are too many groups */
export function* groupRows(
  dimensions: readonly Codes[],
  count: number,
  members: number,
  limits: GroupLimits,
): Work<Grouping> {
  const check = (groups: number) => checkGroups({ groups, members, distinct: 0 }, limits)
  const steps: Step[] = []
  let numbers: Numbers = { numbers: new Int32Array(0), isScratch: false, limit: 1 }
  for (const [i, dimension] of dimensions.entries()) {
    numbers = yield* i === 0
      ? firstNumbers(dimension, count, steps, check)
      : nextNumbers(numbers, dimension, count, steps, check)
  }
  if (dimensions.length === 0) {
    const counts = Int32Array.of(count)
    const whole = { numbers: new Int32Array(count), isScratch: false, limit: 1 }
    return { ...whole, occurring: Int32Array.of(0), counts, codes: [] }
  }
  const counts = new Int32Array(numbers.limit)
  const { numbers: all } = numbers
  yield* inBlocks(count, (from, to) => countGroups(all, counts, from, to))
  const occurring = yield* numbersWithRows(counts)
  check(occurring.length)
  return { ...numbers, occurring, counts, codes: codesOfGroups(occurring, steps) }
}

const mostNumbers = (count: number): number => Math.max(FEW_NUMBERS, MOST_PER_ROW * count)

function* firstNumbers(
  dimension: Codes,
  count: number,
  steps: Step[],
  check: (groups: number) => void,
): Work<Numbers> {
  const { source, limit } = dimension
  const numbers = yield* codesByPlace(dimension, count)
  const isScratch = source.kind === 'table' || source.codes !== numbers
  if (limit <= mostNumbers(count)) {
    steps.push({ each: limit })
    return { numbers, isScratch, limit }
  }
  return yield* paired(null, { numbers, isScratch, limit }, count, steps, check)
}

function* nextNumbers(
  before: Numbers,
  dimension: Codes,
  count: number,
  steps: Step[],
  check: (groups: number) => void,
): Work<Numbers> {
  const { source, limit: each } = dimension
  if (before.limit * each <= mostNumbers(count)) {
    const into = before.isScratch ? before.numbers : scratch.integers(count)
    const combined = { before: before.numbers, each, into }
    yield* inBlocks(count, (from, to) => combineCodes(source, combined, from, to))
    steps.push({ each })
    return { numbers: into, isScratch: true, limit: before.limit * each }
  }
  const numbers = yield* codesByPlace(dimension, count)
  const isScratch = source.kind === 'table' || source.codes !== numbers
  return yield* paired(before, { numbers, isScratch, limit: each }, count, steps, check)
}

/** Numbers the pairs that occur of the numbers before and the codes. */
function* paired(
  before: Numbers | null,
  own: Numbers,
  count: number,
  steps: Step[],
  check: (groups: number) => void,
): Work<Numbers> {
  const pairs = new PairCodes()
  const into = own.isScratch ? own.numbers : scratch.integers(count)
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++)
      into[i] = pairs.codeOf(before === null ? 0 : before.numbers[i]!, own.numbers[i]!)
    check(pairs.size)
  })
  if (before?.isScratch) scratch.give(before.numbers)
  steps.push({ pairs })
  return { numbers: into, isScratch: true, limit: Math.max(1, pairs.size) }
}

function countGroups(numbers: Int32Array, counts: Int32Array, from: number, to: number): void {
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
    for (let place = 0; place < rest.length; place++) {
      const number = rest[place]!
      if ('pairs' in step) {
        own[place] = step.pairs.secondOf(number)
        rest[place] = step.pairs.firstOf(number)
      } else {
        own[place] = number % step.each
        rest[place] = Math.floor(number / step.each)
      }
    }
  }
  return codes
}
