/**
 * Turns predicates on amounts into ranges of scaled integers. A number literal is converted to a scaled integer exactly,
 * however many digits it has. Only comparing or searching text forms must write each amount out.
 */
import { type Decimal, formatScaled, parseDecimal, scaledFloor } from '../../../kernel/decimal.ts'
import type { Comparand, Comparison } from '../../../query/plan/plan-nodes.ts'
import { comparedWith, noRanges, type Ranges, united } from '../ranges.ts'
import {
  type ColumnPredicate,
  onlyNull,
  textsPassing,
  valuesIn,
  type WantedRanges,
  type WantedTextTest,
} from './column-predicate.ts'
import { comparesAs, matchesAs } from './compare-texts.ts'

export function decimalValues(predicate: ColumnPredicate): WantedRanges | WantedTextTest {
  switch (predicate.kind) {
    case 'is-null':
      return onlyNull
    case 'compare':
      return compared(predicate.comparison, predicate.comparand)
    case 'one-of':
      return valuesIn(united(predicate.comparands.map(equalTo)), predicate.orNull)
    case 'match':
      return textsPassing(matchesAs(predicate.function, predicate.folded))
  }
}

function compared(comparison: Comparison, comparand: Comparand): WantedRanges | WantedTextTest {
  switch (comparand.as) {
    case 'number':
    case 'number-or-text':
      return valuesIn(byNumber(comparison, comparand.value))
    case 'text':
    case 'instant-or-text': {
      if (comparison === 'eq') return valuesIn(equalTo(comparand))
      return textsPassing(comparesAs(comparison, comparand.folded))
    }
    case 'instant':
    case 'boolean':
      return valuesIn(noRanges)
  }
}

/** An amount has only one text form: an equal text must be that form of its number. */
function equalTo(comparand: Comparand): Ranges {
  switch (comparand.as) {
    case 'number':
    case 'number-or-text':
      return byNumber('eq', comparand.value)
    case 'text':
    case 'instant-or-text': {
      const decimal = parseDecimal(comparand.folded)
      const equal = decimal === undefined ? noRanges : byNumber('eq', decimal)
      return equal.length > 0 && formatScaled(equal[0]!) === comparand.folded ? equal : noRanges
    }
    case 'instant':
    case 'boolean':
      return noRanges
  }
}

function byNumber(comparison: Comparison, value: Decimal): Ranges {
  const { scaled, exact } = scaledFloor(value)
  return comparedWith(comparison, scaled, exact)
}
