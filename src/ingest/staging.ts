/**
 * Fills the staged tables: every row of the extract with its values as they will be stored, and the fault of each row that
 * is set aside. `rowid` is the row's place in the source. A row with a faulty value keeps its text in `raw`, for its reject.
 */
import type { ExtractColumn, TableName } from '../schema/extract-tables.ts'
import type { FieldType } from '../schema/field.ts'
import { maskingCalls, maskingMacros } from './card-numbers.ts'
import type { TablePart } from './sources/table-part.ts'
import { CATALOG, list } from './sql-text.ts'
import { type OffsetTimes, storedType, storedValue, storedValueMacros } from './stored-values.ts'
import { type IngestedTable, maskingOf } from './tables.ts'
import type { WorkDatabase } from './work-database.ts'

/** The refresh has its own schema in the database, so that the views and tables of a mapping cannot collide with it. */
export const SCHEMA = 'tripfolio'

export const stagedTable = (name: TableName): string => `${CATALOG}.${SCHEMA}.staged_${name}`
export const orderedTable = (name: 'bookings' | 'invoices'): string => `${CATALOG}.${SCHEMA}.ordered_${name}`

/** The lines of `invoices` that are not rows and could not be staged. */
export const unreadInvoices = `${CATALOG}.${SCHEMA}.unread_invoices`

/** The fault of a row with a value that breaks a rule of its column; `raw` holds the values to check again. */
export const FIELD_FAULT = 'field'
/** The fault of a line that is not a row; `raw` holds the line. */
export const MALFORMED = 'line.malformed'

export async function prepareStaging(
  database: WorkDatabase,
  tables: readonly IngestedTable[],
  offsetTimes: OffsetTimes = 'keepLocal',
): Promise<void> {
  // A macro must exist before another one calls it. Temporary ones are found whatever a mapping makes the default schema.
  const macros = [...storedValueMacros(offsetTimes), ...maskingMacros].map(
    (macro) => `CREATE TEMP MACRO ${macro}`,
  )
  const staged = tables.map(({ name, columns }) => {
    const definitions = columns.map(({ column, type }) => `${column} ${storedType[type]}`)
    return `CREATE TABLE ${stagedTable(name)} (${list(definitions)}, fault VARCHAR, raw VARCHAR[])`
  })
  const unread = `CREATE TABLE ${unreadInvoices} (line VARCHAR)`
  await database.run(
    [`CREATE SCHEMA ${CATALOG}.${SCHEMA}`, ...macros.toReversed(), unread, ...staged].join(';\n'),
  )
}

/**
 * SQL that appends the rows of a part to the staged table. From here on empty text is null, and card numbers are masked in
 * all rows, faulty ones included.
 */
export function stagePart(table: IngestedTable, part: TablePart): string {
  const { name, columns } = table
  const texts = columns.map(({ column, masked }) => {
    const text = `nullif(${column}, '')`
    return `${masked === undefined ? text : maskingCalls[masked](text)} AS text_${column}`
  })
  const values = columns.map(
    (column) => `${storedValue(column, `text_${column.column}`)} AS ${column.column}`,
  )
  const malformed = maskingOf(table) === null ? 'malformed' : maskingCalls.number('malformed')
  // A row with a faulty value may have its values in the wrong columns.
  const quoted = (type: FieldType, text: string) =>
    maskingOf(table) === null ? text : maskingCalls[type === 'text' ? 'text' : 'value'](text)
  const raw = list(columns.map(({ column, type }) => quoted(type, `text_${column}`)))
  return `INSERT INTO ${stagedTable(name)}
    SELECT ${list(columns.map(({ column }) => column))},
      CASE WHEN malformed IS NOT NULL THEN '${MALFORMED}' WHEN NOT fine THEN '${FIELD_FAULT}' END AS fault,
      CASE WHEN malformed IS NOT NULL THEN [malformed] WHEN NOT fine THEN [${raw}] END AS raw
    FROM (
      SELECT *, ${columns.map(isFine).join(' AND ')} AS fine FROM (
        SELECT *, ${list(values)} FROM (
          SELECT ${list(texts)}, ${malformed} AS malformed FROM (${part.select}))))`
}

const isFine = ({ column, nullable }: ExtractColumn): string =>
  nullable ? `(${column} IS NOT NULL OR text_${column} IS NULL)` : `${column} IS NOT NULL`

/** A line that is not a row, as its file has it. */
export type MalformedText = { readonly row: number; readonly text: string }

/** The first of the malformed lines of a part that the database found, by `rowid`. */
export async function malformedLines(
  { name }: IngestedTable,
  { linesOf, rowAt }: TablePart,
  first: number,
  most: number,
  database: WorkDatabase,
): Promise<ReadonlyMap<number, MalformedText>> {
  if (linesOf === undefined) return new Map()
  const found = await database.rows(
    `SELECT rowid FROM ${stagedTable(name)} WHERE fault = '${MALFORMED}' AND rowid >= ${first} ORDER BY rowid LIMIT ${most}`,
  )
  if (found.length === 0) return new Map()
  const rowids = found.map(([rowid]) => Number(rowid))
  const lines = await linesOf(new Set(rowids.map((rowid) => rowAt(rowid - first))))
  return new Map(
    rowids.map((rowid) => {
      const row = rowAt(rowid - first)
      return [rowid, { row, text: lines.get(row) ?? '' }]
    }),
  )
}
