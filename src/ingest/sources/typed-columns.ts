/**
 * Reads sources with typed columns (Parquet files, views of a mapping) as the text that a CSV file would hold. Timestamps
 * are cut to the minute, those with a time zone are read as UTC, and midnight is accepted as a date.
 */
import type { ExtractColumn } from '../../schema/extract-tables.ts'
import { name } from '../sql-text.ts'
import { typedText } from '../types/database-types.ts'
import { textTypesIn } from '../types/text-types.ts'
import { matchColumns } from './match-columns.ts'
import { isNumberType } from './number-keys.ts'
import { plainRows, type ReadContext, type SourceFile, selectList, type TablePart } from './table-part.ts'

/** @param relation the SQL after FROM */
export async function readTyped(
  source: SourceFile,
  relation: string,
  context: ReadContext,
): Promise<TablePart> {
  const described = await context.database.rows(`DESCRIBE SELECT * FROM ${relation}`)
  const found = described.map(([column, type]) => ({ column: String(column), type: String(type) }))
  const places = matchColumns(
    source,
    found.map(({ column }) => column),
    context,
  )
  const originOf = ({ column }: ExtractColumn) => found[places.get(column) ?? -1]
  const texts = source.table.columns.flatMap((column) => {
    const origin = originOf(column)
    return origin === undefined || column.type !== 'text'
      ? []
      : [typedText(column, origin.column, origin.type)]
  })
  const sqlOf = (column: ExtractColumn) => {
    const origin = originOf(column)
    return (
      origin &&
      (texts.find((text) => text.column === column.column)?.text ??
        asText(name(origin.column), origin.type, column))
    )
  }
  const select = `SELECT ${selectList(source, sqlOf)}, NULL::VARCHAR AS malformed FROM ${relation}`
  const limit = source.mostRecords === undefined ? '' : ` LIMIT ${source.mostRecords}`
  return {
    file: source.file,
    names: found.map(({ column }) => column),
    select,
    expectedRows: undefined,
    malformedRows: 0,
    numberColumns: source.table.columns
      .map(({ column }) => column)
      .filter((column) => isNumberType(found[places.get(column) ?? -1]?.type ?? '')),
    textTypes: await textTypesIn(select + limit, texts, context.database),
    rowAt: plainRows,
  }
}

/** The text of a value for a column of another type than text, whose rules check it. */
function asText(value: string, type: string, { type: wanted }: ExtractColumn): string {
  if (!type.startsWith('TIMESTAMP')) return `${value}::VARCHAR`
  const local = type === 'TIMESTAMP WITH TIME ZONE' ? `(${value} AT TIME ZONE 'UTC')` : `${value}::TIMESTAMP`
  // The offset is written, so that the rule for times with an offset holds for typed columns, too.
  const offset = type === 'TIMESTAMP WITH TIME ZONE' ? 'Z' : ''
  const midnight = `date_trunc('day', ${local}) = ${local}`
  if (wanted !== 'date') return `strftime(${local}, '%Y-%m-%dT%H:%M${offset}')`
  return `CASE WHEN ${midnight} THEN strftime(${local}, '%Y-%m-%dT00:00${offset}') ELSE strftime(${local}, '%Y-%m-%dT%H:%M:%S.%f') END`
}
