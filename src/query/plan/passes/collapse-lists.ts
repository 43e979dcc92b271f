import { comparandKey } from '../plan-key.ts'
import type { ColumnRef, Comparand, Predicate } from '../plan-nodes.ts'
import { predicatePass } from './rewrite-predicate.ts'

/**
 * `in ()` becomes false, `in (null)` a test for null, `in (1)` an equality. Longer lists are sorted, without repetitions.
 */
export const collapseLists = predicatePass((predicate) =>
  predicate.kind === 'one-of' ? oneOf(predicate.column, predicate.comparands, predicate.orNull) : predicate,
)

/** The simplest predicate for "equal to one of these, or null where `orNull`". */
export function oneOf(column: ColumnRef, comparands: readonly Comparand[], orNull: boolean): Predicate {
  const distinct = new Map(comparands.map((comparand) => [comparandKey(comparand), comparand]))
  const sorted = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, comparand]) => comparand)
  const [first, second] = sorted
  if (first === undefined) return orNull ? { kind: 'is-null', column } : { kind: 'constant', value: false }
  if (second === undefined && !orNull) return { kind: 'compare', column, comparison: 'eq', comparand: first }
  return { kind: 'one-of', column, comparands: sorted, orNull }
}
