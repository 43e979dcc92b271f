/**
 * The filter of one column: the slices of its index where there is one and they are short, else a scan. Either way the
 * same wanted values decide.
 */
import type { BooleanColumn, IntegerColumn, TextColumn } from '../../../snapshot/partition.ts'
import { NULL_INTEGER } from '../../../snapshot/partition.ts'
import type { Bits, Window } from '../bitmap.ts'
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
import { ASKED, constantFilter, type Filter } from './filter.ts'
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

export function columnFilter(predicate: ColumnPredicate, scope: Scope): Work<Filter> {
  const column = scope.column(predicate.column)
  switch (column.type) {
    case 'text':
      return textFilter(column, predicate, scope)
    case 'date':
    case 'minute':
    case 'integer':
      return integerFilter(column, predicate, scope)
    case 'wide-minute':
      return doubleFilter(column, integerValues('minute', predicate), scope)
    case 'decimal':
      return doubleFilter(column, decimalValues(predicate), scope)
    case 'boolean':
      return done(booleanFilter(column, predicate, scope))
  }
}

function* textFilter(column: TextColumn, predicate: ColumnPredicate, scope: Scope): Work<Filter> {
  const wanted = yield* textCodes(column, predicate)
  const nullCode = column.dictionary.size
  return yield* valuesFilter(column, wanted, scope, () =>
    scanIntegers(column.codes, withNull(wanted, [], [nullCode, nullCode])),
  )
}

function integerFilter(column: IntegerColumn, predicate: ColumnPredicate, scope: Scope): Work<Filter> {
  const { values } = column
  const wanted = integerValues(column.type, predicate)
  if (wanted.kind === 'test') {
    const { passes } = wanted
    return done(
      textFormFilter(
        scanPassing(values, (v) => v !== NULL_INTEGER && passes(v)),
        scope,
      ),
    )
  }
  const stored = valuesIn(rangesWithin(wanted.ranges, NULL_INTEGER + 1, MAX_INTEGER), wanted.orNull)
  return valuesFilter(column, stored, scope, () =>
    scanIntegers(values, withNull(stored, [NULL_INTEGER, NULL_INTEGER], [])),
  )
}

const MAX_INTEGER = 0x7fffffff

function doubleFilter(column: DoubleColumn, wanted: WantedValues, scope: Scope): Work<Filter> {
  const { values } = column
  if (wanted.kind === 'test') {
    const { passes } = wanted
    return done(
      textFormFilter(
        scanDoublesPassing(values, (v) => !Number.isNaN(v) && passes(v)),
        scope,
      ),
    )
  }
  return valuesFilter(column, wanted, scope, () => scanDoubles(values, wanted.ranges, wanted.orNull))
}

function booleanFilter(column: BooleanColumn, predicate: ColumnPredicate, { count }: Scope): Filter {
  const scan = scanBooleans(column.bits, count, booleanAnswers(predicate))
  return {
    atMost: count,
    effort: count / 32,
    effortPerRow: ASKED,
    fill: (bits, window) => {
      scan.fill(bits, window.from, window.to)
      return nothingLeft
    },
    test: scan.test,
  }
}

/** Null is stored as the least or the greatest value: it goes before or behind the others. */
const withNull = ({ ranges, orNull }: WantedRanges, before: Ranges, behind: Ranges): Ranges =>
  orNull ? [...before, ...ranges, ...behind] : ranges

/** How much longer it takes to look at a value's text form than at the value. */
const TEXT_FORM = 20

function textFormFilter(scan: Scan, { count }: Scope): Filter {
  return {
    atMost: count,
    effort: TEXT_FORM * count,
    effortPerRow: ASKED + TEXT_FORM,
    fill: (bits, window) => fillByScan(scan, bits, window),
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
    return fillByScan(scan(), bits, window)
  }
  return { atMost: slices?.rows ?? count, effort: count, effortPerRow: ASKED, fill, test }
}

/** Words between two looks at the clock. */
const WORDS_PER_BLOCK = 1 << 9

function* fillByScan(scan: Scan, bits: Bits, window: Window): Work<void> {
  for (let from = window.from; from < window.to; from += WORDS_PER_BLOCK) {
    if (from > window.from) yield
    scan.fill(bits, from, Math.min(window.to, from + WORDS_PER_BLOCK))
  }
}
