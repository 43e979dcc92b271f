/** One file (or view) of a table, ready to be read by the database: the common form of all formats. */
import type { ExtractColumn } from '../../schema/extract-tables.ts'
import type { IngestedTable } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'

export type TablePart = {
  /** The file's name in the source folder, for messages. */
  readonly file: string
  /**
   * SQL that yields the table's columns as text, in their order and under their names, then `malformed`: the line that could
   * not be parsed, or null.
   */
  readonly select: string
  /** The number of rows that `select` must yield, counted without the database; undefined when only the database can count. */
  readonly expectedRows: number | undefined
  /** The number of lines that were found malformed before; `select` leaves them out. */
  readonly malformedRows: number
  /** The columns that the file stores as numbers; a file of text has none. */
  readonly numberColumns?: readonly string[]
  /** The row number in the file, from 1, of the n-th row (from 0) that `select` yields. */
  readonly rowAt: (position: number) => number
}

export type SourceFile = {
  readonly table: IngestedTable
  readonly path: string
  /** The file's name in the source folder. */
  readonly file: string
}

/** A line that is not a row. */
export type MalformedLine = {
  readonly table: IngestedTable
  readonly file: string
  readonly row: number
  readonly reason: string
  readonly text: string
}

/** What reading a file needs in addition to the file. */
export type ReadContext = {
  readonly database: WorkDatabase
  readonly onMalformed: (line: MalformedLine) => void
  /** Receives remarks for operators that do not stop the refresh. */
  readonly onNote: (note: string) => void
  readonly signal: AbortSignal | undefined
}

export type ReadPart = (source: SourceFile, context: ReadContext) => Promise<TablePart>

/** Row numbers when no row was left out. */
export const plainRows = (position: number): number => position + 1

/** Row numbers when the rows with these numbers (ascending) were left out. */
export function rowsWithout(left: readonly number[]): (position: number) => number {
  if (left.length === 0) return plainRows
  // `left[i] - i - 1` of the rows before `left[i]` are kept: find how many of the left-out rows come before the position.
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
