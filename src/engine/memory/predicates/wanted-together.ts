/** Joins the wanted values of several predicates of one column by `or`, so that one scan of the column finds them. */
import { formatScaled } from '../../../kernel/decimal.ts'
import { type Ranges, rangesOfTable, united } from '../ranges.ts'
import type { Work } from '../work.ts'
import { type ColumnPredicate, valuesIn, type WantedRanges, type WantedValues } from './column-predicate.ts'

type WantedTogether = {
  readonly ranges: Ranges
  readonly orNull: boolean
  /** A test for values outside of the ranges; null when there is none. */
  readonly passes: ((value: number) => boolean) | null
  /** Cost of that test for one value, in rows scanned. */
  readonly tests: number
}

/** Cost of testing a value's text form, in rows scanned; partly remembered results are taken into account. */
export const TEXT_FORM = 20

/** Cost of writing an amount out, and of testing its text, in rows scanned. */
export const WRITTEN = 100
export const TESTED = 16

export function together(all: readonly WantedValues[]): WantedTogether {
  const [first] = all
  if (all.length === 1 && first?.kind === 'ranges') return { ...first, passes: null, tests: 0 }
  const ranges = all.filter((wanted) => wanted.kind === 'ranges')
  const tests = all.filter((wanted) => wanted.kind === 'test').map(({ passes }) => passes)
  const textTests = all.filter((wanted) => wanted.kind === 'text-test').map(({ passes }) => passes)
  const passesTests = anyOf(tests)
  const passesTexts = anyOf(textTests)
  return {
    ranges: united(ranges.map((wanted) => wanted.ranges)),
    orNull: ranges.some(({ orNull }) => orNull),
    // No column has both kinds of tests: amounts are tested by their text, all other types by their value.
    passes: passesTexts === null ? passesTests : (scaled) => passesTexts(formatScaled(scaled)),
    tests: TEXT_FORM * tests.length + (textTests.length > 0 ? WRITTEN + TESTED * textTests.length : 0),
  }
}

function anyOf<T>(tests: readonly ((value: T) => boolean)[]): ((value: T) => boolean) | null {
  const [first] = tests
  if (first === undefined) return null
  return tests.length === 1 ? first : (value) => tests.some((test) => test(value))
}

/** Up to how many ranges of codes sorting them costs less than a table of the whole dictionary. */
const FEW_RANGES = 1 << 12

/** @param size the size of the dictionary */
export function* anyOfCodes(
  size: number,
  predicates: readonly ColumnPredicate[],
  codesOf: (predicate: ColumnPredicate) => Work<WantedRanges>,
): Work<WantedRanges> {
  let few: Ranges[] = []
  let count = 0
  let table: Uint8Array | undefined
  let orNull = false
  for (const predicate of predicates) {
    const wanted = yield* codesOf(predicate)
    yield wanted.ranges.length
    orNull ||= wanted.orNull
    few.push(wanted.ranges)
    count += wanted.ranges.length / 2
    if (table === undefined && count <= FEW_RANGES) continue
    table ??= new Uint8Array(size)
    mark(table, few)
    few = []
  }
  return valuesIn(table === undefined ? united(few) : rangesOfTable(table), orNull)
}

function mark(table: Uint8Array, all: readonly Ranges[]): void {
  for (const ranges of all) {
    for (let i = 0; i < ranges.length; i += 2) table.fill(1, ranges[i]!, ranges[i + 1]! + 1)
  }
}
