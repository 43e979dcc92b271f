import type { Ordering } from '../ast.ts'
import type { SortKey } from '../bound-query.ts'
import { matchName } from '../match-name.ts'
import { sortByCollection } from '../problems.ts'
import { placeOf, resolveField, type Scope } from './resolve-path.ts'

/** Binds sort clauses. A record has one value to be sorted by, so paths into a collection are refused. */
export function bindOrderBy(orderings: readonly Ordering[], scope: Scope): readonly SortKey[] {
  return orderings.flatMap((ordering) => bindClause(ordering, scope))
}

function bindClause({ field, direction }: Ordering, scope: Scope): readonly SortKey[] {
  const [first] = field.names
  const { nested } = scope.dataset
  if (first !== undefined && nested !== null && matchName(first.name, [nested.name]).length === 1) {
    throw sortByCollection(placeOf(first, scope), first.name)
  }
  const target = resolveField(field, scope)
  // A label that no record has is null throughout: sorting by it decides nothing.
  return target.kind === 'column' ? [{ column: target.column, descending: direction === 'desc' }] : []
}
