import type { Ordering } from '../ast.ts'
import type { SortKey } from '../bound-query.ts'
import { sortByCollection, sortByElementField } from '../problems.ts'
import { collectionNamed, collectionsOf, placeOf, resolveField, type Scope } from './resolve-path.ts'

/** Binds sort clauses. Refuses paths into a collection, because a record has many elements. */
export function bindOrderBy(orderings: readonly Ordering[], scope: Scope): readonly SortKey[] {
  return orderings.flatMap((ordering) => bindClause(ordering, scope))
}

function bindClause({ field, direction }: Ordering, scope: Scope): readonly SortKey[] {
  const [first] = field.names
  if (first !== undefined && collectionNamed(first.name, collectionsOf(scope.dataset)) !== undefined) {
    throw sortByCollection(placeOf(first, scope), first.name)
  }
  const target = resolveField(field, scope)
  switch (target.kind) {
    case 'column':
      return [{ column: target.column, descending: direction === 'desc' }]
    case 'element':
      throw sortByElementField(placeOf(field, scope), target.column.name, target.collection)
    case 'null':
      // An unknown label is null in every record, so sorting by it has no effect.
      return []
  }
}
