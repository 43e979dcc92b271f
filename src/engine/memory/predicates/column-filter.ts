/**
 * Makes the filter of one column. It uses the slices of the column's index if there is one and they are short, otherwise a
 * scan. Both use the same wanted values.
 */
import type { BooleanColumn, IntegerColumn, TextColumn } from '../../../snapshot/partition.ts'
import { NULL_INTEGER } from '../../../snapshot/partition.ts'
import { type Bits, rowsIn, type Window } from '../bitmap.ts'
import {
  countScan,
  type DoubleColumn,
  type IndexableColumn,
  indexOnceWorthwhile,
} from '../indexes/column-index.ts'
import { fillSlices, slicesOf } from '../indexes/slices.ts'
import { type Ranges, rangesWithin } from '../ranges.ts'
import type { Scope } from '../scope.ts'
import { done, nothingLeft, type Work } from '../work.ts'
import { booleanAnswers } from './boolean-answers.ts'
import { type ColumnPredicate, valuesIn, type WantedRanges, type WantedValues } from './column-predicate.ts'
import { decimalValues } from './decimal-values.ts'
import { ASKED, constantFilter, disjunction, type Filter, wordsPerBlock } from './filter.ts'
import { integerValues } from './integer-values.ts'
import {
  type Scan,
  scanBooleans,
  scanDoubles,
  scanDoublesPassing,
  scanIntegers,
  scanPassing,
} from './scan.ts'
import { textCodes } from './text-codes.ts'
import { anyOfCodes, together } from './wanted-together.ts'

/**
 * The rows for which one of the predicates holds. All predicates are about the same column, which is scanned once for all of
 * them; an amount is written out once for all that need its text.
 */
export function columnFilter(predicates: OfOneColumn, scope: Scope): Work<Filter> {
  const column = scope.column(predicates[0].column)
  switch (column.type) {
    case 'text':
      return textFilter(column, predicates, scope)
    case 'date':
    case 'minute':
    case 'integer':
      return integerFilter(column, predicates, scope)
    case 'wide-minute':
      return doubleFilter(
        column,
        predicates.map((predicate) => integerValues('minute', predicate)),
        scope,
      )
    case 'decimal':
      return doubleFilter(column, predicates.map(decimalValues), scope)
    case 'boolean':
      return done(booleanFilter(column, predicates, scope))
  }
}

export type OfOneColumn = readonly [ColumnPredicate, ...ColumnPredicate[]]

function* textFilter(column: TextColumn, predicates: OfOneColumn, scope: Scope): Work<Filter> {
  const { size } = column.dictionary
  const wanted =
    predicates.length === 1
      ? yield* textCodes(column, predicates[0])
      : yield* anyOfCodes(size, predicates, (predicate) => textCodes(column, predicate))
  return yield* valuesFilter(column, wanted, scope, () =>
    scanIntegers(column.codes, withNull(wanted, [], [size, size])),
  )
}

function integerFilter(column: IntegerColumn, predicates: OfOneColumn, scope: Scope): Work<Filter> {
  const { values } = column
  const { ranges, orNull, passes, tests } = together(
    predicates.map((predicate) => integerValues(column.type, predicate)),
  )
  const stored = valuesIn(rangesWithin(ranges, NULL_INTEGER + 1, MAX_INTEGER), orNull)
  return eitherFilter(
    () =>
      valuesFilter(column, stored, scope, () =>
        scanIntegers(values, withNull(stored, [NULL_INTEGER, NULL_INTEGER], [])),
      ),
    passes && scanPassing(values, (v) => v !== NULL_INTEGER && passes(v)),
    tests,
    scope,
  )
}

const MAX_INTEGER = 0x7fffffff

function doubleFilter(column: DoubleColumn, all: readonly WantedValues[], scope: Scope): Work<Filter> {
  const { values } = column
  const { ranges, orNull, passes, tests } = together(all)
  return eitherFilter(
    () => valuesFilter(column, valuesIn(ranges, orNull), scope, () => scanDoubles(values, ranges, orNull)),
    passes && scanDoublesPassing(values, (v) => !Number.isNaN(v) && passes(v)),
    tests,
    scope,
  )
}

function booleanFilter(column: BooleanColumn, predicates: OfOneColumn, { count }: Scope): Filter {
  const answers = predicates.map(booleanAnswers)
  const scan = scanBooleans(column.bits, count, {
    whenFalse: answers.some(({ whenFalse }) => whenFalse),
    whenTrue: answers.some(({ whenTrue }) => whenTrue),
  })
  return {
    atMost: count,
    effort: count / 32,
    effortPerRow: ASKED,
    // Works on words, which costs too little to count.
    fill: (bits, window) => {
      scan.fill(bits, window.from, window.to)
      return nothingLeft
    },
    test: scan.test,
  }
}

/** Null is stored as the least or the greatest value: its range goes before or after the others. */
const withNull = ({ ranges, orNull }: WantedRanges, before: Ranges, behind: Ranges): Ranges =>
  orNull ? [...before, ...ranges, ...behind] : ranges

/** Matches rows by wanted values, by a test of the value, or by both. */
function eitherFilter(
  byValues: () => Work<Filter>,
  byText: Scan | null,
  effortPerRow: number,
  scope: Scope,
): Work<Filter> {
  return byText === null ? byValues() : tested(textFormFilter(byText, effortPerRow, scope), byValues(), scope)
}

function* tested(byText: Filter, byValues: Work<Filter>, scope: Scope): Work<Filter> {
  const valued = yield* byValues
  return valued.constant === false ? byText : disjunction([valued, byText], scope)
}

function textFormFilter(scan: Scan, effortPerRow: number, { count }: Scope): Filter {
  return {
    atMost: count,
    effort: effortPerRow * count,
    effortPerRow: ASKED + effortPerRow,
    fill: (bits, window) => fillByScan(scan, bits, window, effortPerRow),
    test: scan.test,
  }
}

function* valuesFilter(
  column: IndexableColumn,
  { ranges, orNull }: WantedRanges,
  scope: Scope,
  openScan: () => Scan,
): Work<Filter> {
  if (ranges.length === 0 && !orNull) return constantFilter(false, scope)
  const { count } = scope
  let opened: Scan | undefined
  const scan = (): Scan => (opened ??= openScan())
  const test = (row: number): boolean => scan().test(row)
  const index = indexOnceWorthwhile(column)
  const slices = index && slicesOf(index, ranges, orNull, count)
  if (index !== null && slices !== null && slices.effort <= count / 2) {
    const fill: Filter['fill'] = (bits, window) => fillSlices(bits, window, column, index, slices)
    return { atMost: slices.rows, effort: slices.effort, effortPerRow: ASKED, fill, test }
  }
  const fill: Filter['fill'] = (bits, window) => {
    countScan(column, 32 * (window.to - window.from))
    return fillByScan(scan(), bits, window, 1)
  }
  return { atMost: slices?.rows ?? count, effort: count, effortPerRow: ASKED, fill, test }
}

function* fillByScan(scan: Scan, bits: Bits, window: Window, effortPerRow: number): Work<void> {
  const words = wordsPerBlock(effortPerRow)
  for (let from = window.from; from < window.to; from += words) {
    const to = Math.min(window.to, from + words)
    yield effortPerRow * rowsIn({ from, to })
    scan.fill(bits, from, to)
  }
}
