/** One file (or view) of a table, ready to be read by the database: the common form of all formats. */
import type { ExtractColumn } from '../../schema/extract-tables.ts'
import type { BackslashSigns } from '../dialect/backslash-signs.ts'
import type { CsvDialect } from '../dialect/csv-dialect.ts'
import { list, literal } from '../sql-text.ts'
import type { IngestedTable } from '../tables.ts'
import type { TextTypes } from '../types/text-types.ts'
import type { WorkDatabase } from '../work-database.ts'
import type { Compression } from './file-form.ts'

export type TablePart = {
  /** The file's name in the source folder, for messages. */
  readonly file: string
  /** The names in the file, as they are spelled there. */
  readonly names: readonly string[]
  /**
   * SQL that yields the table's columns as text, in their order and under their names, then `malformed`: the line that could
   * not be parsed, or null.
   */
  readonly select: string
  /** The number of rows that `select` must yield, counted without the database; undefined when only the database can count. */
  readonly expectedRows: number | undefined
  /** The number of lines that were found malformed before; `select` leaves them out. */
  readonly malformedRows: number
  /** What a text file looks like beyond its rows; other sources have no such facts. */
  readonly text?: TextFacts
  /** The columns that the file stores as numbers; a file of text has none. */
  readonly numberColumns?: readonly string[]
  /** What its text columns hold, where the source has types. */
  readonly textTypes?: readonly TextTypes[]
  /**
   * The lines of these rows as the file has them, by row number, where `malformed` is not: it may have been rewritten for the
   * database.
   */
  readonly linesOf?: (rows: ReadonlySet<number>) => Promise<ReadonlyMap<number, string>>
  /** The row number in the file, from 1, of the n-th row (from 0) that `select` yields. */
  readonly rowAt: (position: number) => number
}

export type TextFacts = {
  /** Whether the last line has no line end although other lines have one. */
  readonly stopsInsideLine: boolean
  /** How many lines are not valid UTF-8; they are malformed. */
  readonly linesNotUtf8: number
  /** What the backslashes of a CSV file look like, where nothing is stated of them. */
  readonly backslashes?: BackslashSigns | undefined
}

export type SourceFile = {
  readonly table: IngestedTable
  readonly path: string
  /** The file's name in the source folder, for messages: card numbers are masked. */
  readonly file: string
  /** How a text file is written; plain lines in UTF-8 unless given. */
  readonly form?: TextForm | undefined
  /** How a CSV file is written, where it is stated. */
  readonly dialect?: CsvDialect | undefined
  /** Values by column that the file's folders give, as in `client_number=C1/`. They count where the file lacks the column. */
  readonly folderValues?: FolderValues | undefined
  /** Only the first records of a text file are read, the header included; all unless given. */
  readonly mostRecords?: number | undefined
}

export type TextForm = {
  readonly compression?: Compression | undefined
  /** A name that TextDecoder knows. */
  readonly encoding?: string | undefined
  /** Whether the file may be one JSON array instead of lines. */
  readonly isJson?: boolean
}

export type FolderValues = ReadonlyMap<string, string | null>

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

/**
 * The select list of a part: each column's SQL under its own name. Columns that the file lacks have the value of its folders,
 * or null.
 */
export function selectList(
  { table, folderValues }: SourceFile,
  sqlOf: (column: ExtractColumn) => string | undefined,
): string {
  return list(
    table.columns.map((column) => {
      const ofFolder = folderValues?.get(column.column) ?? null
      const otherwise = ofFolder === null ? 'NULL::VARCHAR' : literal(ofFolder)
      return `${sqlOf(column) ?? otherwise} AS ${column.column}`
    }),
  )
}
