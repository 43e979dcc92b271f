/** Reads a Parquet file as a part of a table. Byte arrays without a type are read as UTF-8 text. */
import { headerUnusable } from '../problems.ts'
import { pathLiteral } from '../sql-text.ts'
import { columnName } from './match-columns.ts'
import type { ReadContext, ReadPart, SourceFile } from './table-part.ts'
import { readTyped } from './typed-columns.ts'

export const readParquet: ReadPart = async (source, context) => {
  refuseRepeated(source, await columnNames(source, context))
  return readTyped(
    source,
    `read_parquet(${pathLiteral(source.path)}, binary_as_string = true, hive_partitioning = false)`,
    context,
  )
}

/** The names as the file has them: when the database reads a file, it renames the second of two equal names. */
async function columnNames({ path }: SourceFile, { database }: ReadContext): Promise<readonly string[]> {
  const tree = await database.rows(`SELECT name, num_children FROM parquet_schema(${pathLiteral(path)})`)
  const names: string[] = []
  const skipped = (at: number): number => {
    let next = at + 1
    for (let child = 0; child < Number(tree[at]?.[1] ?? 0); child++) next = skipped(next)
    return next
  }
  // The first entry is the whole row. The entries below a column are not columns.
  for (let at = 1; at < tree.length; at = skipped(at)) names.push(String(tree[at]?.[0]))
  return names
}

/** @throws Problem ING108 */
function refuseRepeated({ table, file }: SourceFile, names: readonly string[]): void {
  const found = new Set<string>()
  for (const column of names.map(columnName)) {
    if (!table.columns.some((known) => known.column === column)) continue
    if (found.has(column)) throw headerUnusable(table.name, file, `column '${column}' occurs twice`)
    found.add(column)
  }
}
