/**
 * Finds the columns of a table among the names in a file, in any letter case and order. Refuses a file without a required
 * column. An unknown column is only noted, because warehouses export more columns than a refresh needs.
 */
import { maskCardNumbersIn } from '../card-numbers.ts'
import { columnsMissing, headerUnusable } from '../problems.ts'
import type { ReadContext, SourceFile } from './table-part.ts'

/** The column that a name in a file refers to. */
export const columnName = (name: string): string => name.trim().toLowerCase()

/**
 * @returns for each column of the table that the file has, the place of its name in the file
 * @throws Problem ING103 naming every missing column, or ING108 when one name occurs twice
 */
export function matchColumns(
  { table, file, folderValues }: SourceFile,
  names: readonly string[],
  { onNote }: Pick<ReadContext, 'onNote'>,
): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const [place, name] of names.entries()) {
    const column = columnName(name)
    const known = table.schema.columns.some((candidate) => candidate.column === column)
    if (known && places.has(column)) {
      throw headerUnusable(table.name, file, `column '${column}' occurs twice`)
    }
    if (known) places.set(column, place)
    else {
      // In a file without a header, this is a value of its first row.
      const shown = maskCardNumbersIn(name.trim())
      onNote(`${file}: column '${shown}' is unknown in table '${table.name}' and is ignored`)
    }
  }
  const missing = table.columns.filter(
    ({ column, required }) => required && !places.has(column) && !folderValues?.has(column),
  )
  if (missing.length > 0) throw columnsMissing(table.schema, missing, file)
  return places
}
