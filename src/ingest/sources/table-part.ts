/** One file (or view) of a table, ready to be read by the database. Every format becomes this, and nothing after it asks which. */
import type { ExtractColumn } from '../../schema/extract-tables.ts'
import type { IngestedTable } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'

export type TablePart = {
  /** The file by its name in the source folder, for messages. */
  readonly file: string
  /**
   * SQL that yields the table's columns as text, in their order and by their names, then `malformed`: the line that could
   * not be taken apart, or null.
   */
  readonly select: string
  /** How many rows that must be, counted independently of the database; undefined where only the database can tell. */
  readonly expectedRows: number | undefined
  /** Lines that were found malformed before, and that `select` does not show. */
  readonly malformedRows: number
  /** The columns that the file holds as numbers; none where it holds text. */
  readonly numberColumns?: readonly string[]
  /** The place in the file, from 1, of the n-th row (from 0) that `select` yields. */
  readonly rowAt: (position: number) => number
}

export type SourceFile = {
  readonly table: IngestedTable
  readonly path: string
  /** Its name in the source folder. */
  readonly file: string
}

/** A line that is no row. */
export type MalformedLine = {
  readonly table: IngestedTable
  readonly file: string
  readonly row: number
  readonly reason: string
  readonly text: string
}

/** What reading a file needs besides the file. */
export type ReadContext = {
  readonly database: WorkDatabase
  readonly onMalformed: (line: MalformedLine) => void
  /** Something that an operator may want to know, but that stops nothing. */
  readonly onNote: (note: string) => void
  readonly signal: AbortSignal | undefined
}

export type ReadPart = (source: SourceFile, context: ReadContext) => Promise<TablePart>

/** Row numbers when nothing was left out. */
export const plainRows = (position: number): number => position + 1

/** Row numbers when the rows of these numbers, ascending, were left out. */
export function rowsWithout(left: readonly number[]): (position: number) => number {
  if (left.length === 0) return plainRows
  // `left[i] - i` rows that were not left out, plus one, come up to `left[i]`: look for how many lie before the position.
  return (position) => {
    let low = 0
    let high = left.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((left[middle] as number) - middle - 1 <= position) low = middle + 1
      else high = middle
    }
    return position + 1 + low
  }
}

/** The select list of a part: each column's SQL under its own name, null for optional columns that the file lacks. */
export function selectList(
  table: IngestedTable,
  sqlOf: (column: ExtractColumn) => string | undefined,
): string {
  return table.columns.map((column) => `${sqlOf(column) ?? 'NULL::VARCHAR'} AS ${column.column}`).join(', ')
}
