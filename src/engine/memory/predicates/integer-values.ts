/**
 * Turns predicates on days, minutes and plain integers into ranges. Instants are converted to whole days or minutes exactly;
 * texts are compared with the ISO form, whose order is the order of time.
 */
import {
  formatDate,
  formatMinute,
  instantOfDay,
  instantOfMinute,
  MINUTES_PER_DAY,
  parseDate,
} from '../../../kernel/calendar.ts'
import { DECIMAL_SCALE, type Decimal, parseDecimal, scaledFloor } from '../../../kernel/decimal.ts'
import { compareCodePoints, fold } from '../../../kernel/text.ts'
import type { Comparand, Comparison } from '../../../query/plan/plan-nodes.ts'
import type { IntegerColumn } from '../../../snapshot/partition.ts'
import { lowerBound } from '../indexes/column-index.ts'
import { comparedWith, noRanges, type Ranges, united } from '../ranges.ts'
import {
  type ColumnPredicate,
  onlyNull,
  valuesIn,
  valuesPassing,
  type WantedRanges,
  type WantedTest,
} from './column-predicate.ts'
import { comparesAs, matchesAs, rememberingIntegers } from './compare-texts.ts'
import { minuteTest } from './minute-text.ts'

export function integerValues(type: IntegerType, predicate: ColumnPredicate): WantedRanges | WantedTest {
  switch (predicate.kind) {
    case 'is-null':
      return onlyNull
    case 'compare':
      return compared(type, predicate.comparison, predicate.comparand)
    case 'one-of': {
      const ranges = predicate.comparands.map((comparand) => comparisons[type]('eq', comparand))
      return valuesIn(united(ranges), predicate.orNull)
    }
    case 'match':
      return matching(type, predicate)
  }
}

type IntegerType = IntegerColumn['type']

function compared(
  type: IntegerType,
  comparison: Comparison,
  comparand: Comparand,
): WantedRanges | WantedTest {
  const byText = comparand.as === 'text' || comparand.as === 'instant-or-text'
  if (type === 'integer' && byText && comparison !== 'eq') {
    const passes = comparesAs(comparison, comparand.folded) // the order of texts of digits is not the order of the numbers
    return valuesPassing(rememberingIntegers((value) => passes(String(value))))
  }
  return valuesIn(comparisons[type](comparison, comparand))
}

const comparisons: {
  readonly [T in IntegerType]: (comparison: Comparison, comparand: Comparand) => Ranges
} = {
  date: (comparison, comparand) => timesThat(days, comparison, comparand),
  minute: (comparison, comparand) => timesThat(minutes, comparison, comparand),
  integer: integersThat,
}

/** How a unit of time is written and how long it is. Stored values are between the least and the greatest. */
type TimeUnit = {
  readonly milliseconds: number
  readonly least: number
  readonly greatest: number
  readonly folded: (value: number) => string
}

const firstDay = parseDate('0000-01-01') as number
const lastDay = parseDate('9999-12-31') as number

const days: TimeUnit = {
  milliseconds: instantOfDay(1),
  least: firstDay,
  greatest: lastDay,
  folded: formatDate,
}

const minutes: TimeUnit = {
  milliseconds: instantOfMinute(1),
  least: firstDay * MINUTES_PER_DAY,
  greatest: (lastDay + 1) * MINUTES_PER_DAY - 1,
  folded: (minute) => fold(formatMinute(minute)),
}

function timesThat(unit: TimeUnit, comparison: Comparison, comparand: Comparand): Ranges {
  switch (comparand.as) {
    case 'instant':
    case 'instant-or-text': {
      const floor = Math.floor(comparand.instant / unit.milliseconds)
      return comparedWith(comparison, floor, floor * unit.milliseconds === comparand.instant)
    }
    case 'text':
    case 'number-or-text': {
      const floor = lastNotAfter(unit, comparand.folded)
      return comparedWith(comparison, floor, floor >= unit.least && unit.folded(floor) === comparand.folded)
    }
    case 'number':
    case 'boolean':
      return noRanges
  }
}

/** The last value whose text is not after the given one. */
function lastNotAfter(unit: TimeUnit, folded: string): number {
  const after = lowerBound(0, unit.greatest - unit.least + 1, (offset) => {
    return compareCodePoints(unit.folded(unit.least + offset), folded) <= 0
  })
  return unit.least + after - 1
}

/** The order of the texts is the order of time, so texts with a common beginning are neighbours. */
function beginningWith(unit: TimeUnit, folded: string): Ranges {
  const [from = Infinity] = timesThat(unit, 'ge', { as: 'text', folded })
  const to = lastNotAfter(unit, `${folded}\u{10ffff}`)
  return from > to ? noRanges : [from, to]
}

function integersThat(comparison: Comparison, comparand: Comparand): Ranges {
  switch (comparand.as) {
    case 'number':
    case 'number-or-text':
      return byNumber(comparison, comparand.value)
    case 'text':
    case 'instant-or-text': {
      const decimal = parseDecimal(comparand.folded)
      const equal = decimal === undefined ? noRanges : byNumber('eq', decimal)
      return equal.length > 0 && String(equal[0]) === comparand.folded ? equal : noRanges
    }
    case 'instant':
    case 'boolean':
      return noRanges
  }
}

function byNumber(comparison: Comparison, value: Decimal): Ranges {
  const { scaled, exact } = scaledFloor(value)
  const floor = Math.floor(scaled / DECIMAL_SCALE)
  return comparedWith(comparison, floor, exact && floor * DECIMAL_SCALE === scaled)
}

function matching(
  type: IntegerType,
  { function: textFunction, folded }: ColumnPredicate & { readonly kind: 'match' },
): WantedRanges | WantedTest {
  const passing = (textOf: (value: number) => string): WantedTest => {
    const passes = matchesAs(textFunction, folded)
    return valuesPassing(rememberingIntegers((value) => passes(textOf(value))))
  }
  switch (type) {
    case 'integer':
      return passing(String)
    case 'date':
      return textFunction === 'startswith' ? valuesIn(beginningWith(days, folded)) : passing(formatDate)
    case 'minute':
      return textFunction === 'startswith'
        ? valuesIn(beginningWith(minutes, folded))
        : valuesPassing(minuteTest(textFunction, folded))
  }
}
