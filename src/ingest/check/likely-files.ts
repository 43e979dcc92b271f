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

/**
 * Without the name of the table, a file needs this share of the required columns, and this share of its own names must be
 * columns: a file of bookings has the keys of travellers, too.
 */
const ENOUGH_COLUMNS = 0.6
const ENOUGH_NAMES = 0.3

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
    if (score === 0 || likely.has(table) || taken.has(group)) continue
    likely.set(table, group)
    taken.add(group)
  }
  return likely
}

/** How many columns the file has; a file with the name of the table comes first. 0 when it cannot be meant. */
function scoreOf(table: IngestedTable, { files: [file = ''] }: FileGroup, names: readonly string[]): number {
  const found = new Set(names.map(foldName))
  const columns = table.columns.filter(({ column }) => found.has(foldName(column)))
  const required = table.columns.filter((column) => column.required)
  if (isNamed(table.name, file)) return NAMED + columns.length
  const share = columns.filter((column) => column.required).length / required.length
  return share >= ENOUGH_COLUMNS && columns.length / found.size >= ENOUGH_NAMES ? columns.length : 0
}

const NAMED = 1000

function isNamed(table: TableName, file: string): boolean {
  const folders = file.split('/').map((part) => foldName(part.replace(/\.[^/]*$/, '').replace(/\d+/g, '')))
  const [wanted, single] = [foldName(table), foldName(table).replace(/s$/, '')]
  return folders.some((part) => part === wanted || part === single)
}
