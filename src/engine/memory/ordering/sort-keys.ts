/**
 * Drops the keys of `orderBy` that change nothing, and makes the sort words of the others. Rows are in default order and every
 * sort is stable, so keys that only repeat that order are dropped.
 */
import type { SortKey } from '../../../query/plan/plan-nodes.ts'
import type { Column } from '../../../snapshot/partition.ts'
import type { SortWord } from '../indexes/radix-sort.ts'
import { booleanWord, doubleWords, integerWord, textWord } from '../indexes/sort-words.ts'
import { KeptWork } from '../kept-work.ts'
import type { Work } from '../work.ts'

/** A column to sort by. The codes of texts are in their order. */
export type ColumnOrder = { readonly column: Column; readonly descending: boolean }

/** The keys that can change the order of rows: without repetitions, and without last keys that are the default order. */
export function significantKeys(
  orderBy: readonly SortKey[],
  defaultOrder: readonly string[],
): readonly SortKey[] {
  const seen = new Set<string>()
  const keys = orderBy.filter(({ column }) => {
    const name = column.kind === 'field' ? `field ${column.name}` : `custom ${column.label}`
    return !seen.has(name) && seen.add(name)
  })
  const end = keys.findIndex((_, from) => isDefaultOrder(keys.slice(from), defaultOrder))
  return end < 0 ? keys : keys.slice(0, end)
}

/** The default order has the texts of identities by code point, letter case included: sorting by one of them changes it. */
const isDefaultOrder = (keys: readonly SortKey[], defaultOrder: readonly string[]): boolean =>
  keys.every(
    ({ column, descending }, i) =>
      !descending && column.kind === 'field' && column.type !== 'text' && column.name === defaultOrder[i],
  )

/** Whether all rows have the same value, so that sorting by the column changes nothing: many clients have only one agency. */
export const isConstant = (column: Column, rows: number): Work<boolean> =>
  constants.get(column, () => hasOneValue(column, rows))

const constants = new KeptWork<Column, boolean>()

/** Stops at the first row that differs, which comes early in most columns. */
function* hasOneValue(column: Column, rows: number): Work<boolean> {
  const at = valuesOf(column)
  for (let row = 1; row < rows; row++) {
    if (!Object.is(at(row), at(0))) return false
    if (row % ROWS_PER_PAUSE === 0) yield
  }
  return true
}

const ROWS_PER_PAUSE = 1 << 16

function valuesOf(column: Column): (row: number) => number {
  if (column.type === 'boolean') return (row) => (column.bits[row >>> 3]! >>> (row & 7)) & 1
  const values = column.type === 'text' ? column.codes : column.values
  return (row) => values[row]! + 0 // minus zero is zero
}

/** The most significant word comes first. */
export function sortWords({ column, descending }: ColumnOrder): readonly SortWord[] {
  switch (column.type) {
    case 'text':
      return [textWord(column, descending)]
    case 'date':
    case 'minute':
    case 'integer':
      return [integerWord(column, descending)]
    case 'boolean':
      return [booleanWord(column, descending)]
    case 'wide-minute':
    case 'decimal':
      return doubleWords(column.values, descending)
  }
}
