/**
 * Finds what is probably meant for a table that has nothing of its name: `InvoiceLines.csv` for `invoice_lines`, or any file, or
 * table of a warehouse, that has most of its required columns.
 */
import type { TableName } from '../../schema/extract-tables.ts'
import type { IngestedTable } from '../tables.ts'
import type { FileGroup } from './found-files.ts'
import { foldName } from './names.ts'

/**
 * Without the name of the table, a file needs this share of the required columns, and this share of its own names must be
 * columns: a file of bookings has the keys of travellers, too.
 */
const ENOUGH_COLUMNS = 0.6
const ENOUGH_NAMES = 0.3

export type Candidate = {
  readonly group: FileGroup
  /** Its name and those of its folders. */
  readonly called: readonly string[]
  /** The names of its columns, as a table with such columns would have them. */
  readonly namesFor: (table: IngestedTable) => readonly string[]
}

export function likelyFiles(
  without: readonly IngestedTable[],
  candidates: readonly Candidate[],
): ReadonlyMap<TableName, FileGroup> {
  const scored = candidates.flatMap((candidate) =>
    without.map((table) => ({
      table: table.name,
      group: candidate.group,
      score: scoreOf(table, candidate),
    })),
  )
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
function scoreOf(table: IngestedTable, { called, namesFor }: Candidate): number {
  const found = new Set(namesFor(table).map(foldName))
  const columns = table.columns.filter(({ column }) => found.has(foldName(column)))
  const required = table.columns.filter((column) => column.required)
  if (isNamed(table.name, called)) return NAMED + columns.length
  const share = columns.filter((column) => column.required).length / required.length
  return share >= ENOUGH_COLUMNS && columns.length / found.size >= ENOUGH_NAMES ? columns.length : 0
}

const NAMED = 1000

function isNamed(table: TableName, called: readonly string[]): boolean {
  const parts = called.map((part) => foldName(part.replace(/\d+/g, '')))
  const [wanted, single] = [foldName(table), foldName(table).replace(/s$/, '')]
  return parts.some((part) => part === wanted || part === single)
}
