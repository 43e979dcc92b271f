/** Arranges the columns of a query. The pinned ones are always the first ones. */
import { type ListName, listFields } from '../fields/list-fields.ts'
import { labelPath } from '../fields/paths.ts'
import type { ListQuery } from '../query/list-query.ts'

type Arranged = Pick<ListQuery, 'columns' | 'pinnedCount'>

/** Moves the column by one place; across the border of the pinned ones it becomes one of the others, or one of them. */
export function moved({ columns, pinnedCount }: Arranged, path: string, by: -1 | 1): Arranged {
  const from = columns.indexOf(path)
  const to = from + by
  if (from < 0 || to < 0 || to >= columns.length) return { columns, pinnedCount }
  return { columns: columns.toSpliced(from, 1).toSpliced(to, 0, path), pinnedCount }
}

export function removed({ columns, pinnedCount }: Arranged, path: string): Arranged {
  const isPinned = columns.indexOf(path) < pinnedCount
  return {
    columns: columns.filter((each) => each !== path),
    pinnedCount: isPinned ? pinnedCount - 1 : pinnedCount,
  }
}

/** A column that is pinned becomes the last of the pinned ones; one that is not any more, the first of the others. */
export function pinned({ columns, pinnedCount }: Arranged, path: string, isPinned: boolean): Arranged {
  const others = columns.filter((each) => each !== path)
  const border = isPinned ? pinnedCount : pinnedCount - 1
  return { columns: others.toSpliced(border, 0, path), pinnedCount: isPinned ? pinnedCount + 1 : border }
}

/** At the end. */
export const shownToo = ({ columns, pinnedCount }: Arranged, path: string): Arranged => ({
  columns: columns.includes(path) ? columns : [...columns, path],
  pinnedCount,
})

/** Everything that a column can show: fields, the client's labels, collections and the fields of their elements. */
export const offeredPaths = (list: ListName, labels: readonly string[]): readonly string[] => [
  ...listFields[list].fields.map(({ name }) => name),
  ...labels.map(labelPath),
  ...listFields[list].collections.flatMap(({ name, fields }) => [
    name,
    ...fields.map((field) => `${name}.${field.name}`),
  ]),
]
