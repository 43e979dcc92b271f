/** What a click on the head of a column does to the order: ascending, descending, and no longer. */
import type { SortClause } from '../query/list-query.ts'

/** @param isAdded whether the column joins the others of the order, instead of taking their place */
export function sortedBy(sort: readonly SortClause[], path: string, isAdded: boolean): readonly SortClause[] {
  const before = sort.find((clause) => clause.path === path)
  const next = before === undefined ? [{ path, isDescending: false }] : afterClick(before)
  if (!isAdded) return next
  if (before === undefined) return [...sort, ...next]
  return sort.flatMap((clause) => (clause === before ? next : [clause]))
}

const afterClick = ({ path, isDescending }: SortClause): readonly SortClause[] =>
  isDescending ? [] : [{ path, isDescending: true }]
