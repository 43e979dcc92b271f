/**
 * Reads sources with typed columns (Parquet files, views of a mapping) as the text that a CSV file would hold. Timestamps
 * are cut to the minute, those with a time zone are read as UTC, and midnight is accepted as a date.
 */
import type { ExtractColumn } from '../../schema/extract-tables.ts'
import { name } from '../sql-text.ts'
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
  const sqlOf = (column: ExtractColumn) => {
    const origin = found[places.get(column.column) ?? -1]
    return origin && asText(name(origin.column), origin.type, column)
  }
  return {
    file: source.file,
    names: found.map(({ column }) => column),
    select: `SELECT ${selectList(source, sqlOf)}, NULL::VARCHAR AS malformed FROM ${relation}`,
    expectedRows: undefined,
    malformedRows: 0,
    numberColumns: source.table.columns
      .map(({ column }) => column)
      .filter((column) => isNumberType(found[places.get(column) ?? -1]?.type ?? '')),
    rowAt: plainRows,
  }
}

function asText(value: string, type: string, { type: wanted, masked }: ExtractColumn): string {
  // A card number in a column of floats or decimals is a whole number: without `.0` its last four digits stay visible.
  if (masked === 'number' && /^(DOUBLE|FLOAT|DECIMAL)/.test(type)) {
    return `CASE WHEN ${value} = trunc(${value}) THEN ${value}::HUGEINT::VARCHAR ELSE ${value}::VARCHAR END`
  }
  if (!type.startsWith('TIMESTAMP')) return `${value}::VARCHAR`
  const local = type === 'TIMESTAMP WITH TIME ZONE' ? `(${value} AT TIME ZONE 'UTC')` : `${value}::TIMESTAMP`
  // The offset is written, so that the rule for times with an offset holds for typed columns, too.
  const offset = type === 'TIMESTAMP WITH TIME ZONE' ? 'Z' : ''
  const midnight = `date_trunc('day', ${local}) = ${local}`
  if (wanted !== 'date') return `strftime(${local}, '%Y-%m-%dT%H:%M${offset}')`
  return `CASE WHEN ${midnight} THEN strftime(${local}, '%Y-%m-%dT00:00${offset}') ELSE strftime(${local}, '%Y-%m-%dT%H:%M:%S.%f') END`
}
