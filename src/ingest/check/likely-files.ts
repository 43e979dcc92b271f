/**
 * Finds the files that are probably meant for a table that has none of its name: `InvoiceLines.csv` for `invoice_lines`, or any
 * file that has most of its required columns.
 */
import type { TableName } from '../../schema/extract-tables.ts'
import { type IngestedTable, ingestedTables } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import type { FileGroup, FoundFiles } from './found-files.ts'
import { foldName } from './names.ts'
import { namesIn } from './sample.ts'

/** A file needs this share of the required columns, unless it has the name of the table. */
const ENOUGH_COLUMNS = 0.6

export async function likelyFiles(
  root: string,
  { tables, others }: FoundFiles,
  views: ReadonlySet<string>,
  database: WorkDatabase,
): Promise<ReadonlyMap<TableName, FileGroup>> {
  const without = ingestedTables.filter(({ name }) => !views.has(name) && tables.get(name)?.group === null)
  const scored: { readonly table: TableName; readonly group: FileGroup; readonly score: number }[] = []
  if (without.length === 0) return new Map()
  for (const group of others) {
    // A file that cannot be read may still have the name of a table.
    const names = await namesIn(group, root, database).catch(() => () => [])
    for (const table of without) {
      scored.push({ table: table.name, group, score: scoreOf(table, group, names(table)) })
    }
  }
  const likely = new Map<TableName, FileGroup>()
  const taken = new Set<FileGroup>()
  for (const { table, group, score } of scored.toSorted((a, b) => b.score - a.score)) {
    if (score < ENOUGH_COLUMNS || likely.has(table) || taken.has(group)) continue
    likely.set(table, group)
    taken.add(group)
  }
  return likely
}

/** The share of the required columns that the file has; one more for the name of the table. */
function scoreOf(table: IngestedTable, { files: [file = ''] }: FileGroup, names: readonly string[]): number {
  const found = new Set(names.map(foldName))
  const required = table.columns.filter((column) => column.required)
  const share = required.filter(({ column }) => found.has(foldName(column))).length / required.length
  return share + (isNamed(table.name, file) ? 1 : 0)
}

function isNamed(table: TableName, file: string): boolean {
  const folders = file.split('/').map((part) => foldName(part.replace(/\.[^/]*$/, '').replace(/\d+/g, '')))
  const [wanted, single] = [foldName(table), foldName(table).replace(/s$/, '')]
  return folders.some((part) => part === wanted || part === single)
}
