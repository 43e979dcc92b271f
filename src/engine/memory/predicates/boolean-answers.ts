/** Answers predicates on booleans for both values. Booleans are never null. */
import { compareCodePoints } from '../../../kernel/text.ts'
import type { Comparand, Comparison } from '../../../query/plan/plan-nodes.ts'
import type { ColumnPredicate } from './column-predicate.ts'
import { matchesAs, satisfies } from './compare-texts.ts'

export type BooleanAnswers = { readonly whenFalse: boolean; readonly whenTrue: boolean }

export function booleanAnswers(predicate: ColumnPredicate): BooleanAnswers {
  return { whenFalse: holds(predicate, false), whenTrue: holds(predicate, true) }
}

function holds(predicate: ColumnPredicate, value: boolean): boolean {
  switch (predicate.kind) {
    case 'is-null':
      return false
    case 'compare':
      return compares(value, predicate.comparison, predicate.comparand)
    case 'one-of':
      return predicate.comparands.some((comparand) => compares(value, 'eq', comparand))
    case 'match':
      return matchesAs(predicate.function, predicate.folded)(String(value))
  }
}

function compares(value: boolean, comparison: Comparison, comparand: Comparand): boolean {
  switch (comparand.as) {
    case 'boolean':
      return satisfies[comparison](Number(value) - Number(comparand.value))
    case 'text':
    case 'number-or-text':
    case 'instant-or-text':
      return satisfies[comparison](compareCodePoints(String(value), comparand.folded))
    case 'number':
    case 'instant':
      return false
  }
}
