/**
 * Turns the CSV files of the tables into Parquet files with proper types: dates are DATE, amounts DECIMAL(18,5), minutes
 * stay text. One table at a time within a memory limit; each CSV file is removed as soon as it has been read.
 */

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { DECIMAL_PLACES } from '../kernel/decimal.ts'
import type { ExtractTable } from '../schema/extract-tables.ts'
import type { FieldType } from '../schema/field.ts'

export type CsvFile = { readonly table: ExtractTable; readonly path: string }

export async function convertToParquet(
  files: readonly CsvFile[],
  folder: string,
  onTable: (done: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: '800MB',
    temp_directory: join(folder, 'spill'),
  })
  const connection = await instance.connect()
  const interrupt = () => connection.interrupt()
  signal?.addEventListener('abort', interrupt)
  try {
    for (const [index, { table, path }] of files.entries()) {
      signal?.throwIfAborted()
      await connection.run(copyStatement(table, path, join(folder, `${table.name}.parquet`)))
      await rm(path)
      onTable(index + 1)
    }
  } finally {
    signal?.removeEventListener('abort', interrupt)
    connection.closeSync()
    instance.closeSync()
    await rm(join(folder, 'spill'), { recursive: true, force: true })
  }
}

/** Names every option, so that DuckDB guesses nothing: an empty field is null, a quoted empty one is the empty text. */
function copyStatement({ columns }: ExtractTable, from: string, to: string): string {
  const types = columns.map(({ column, type }) => `${literal(column)}: ${literal(duckTypes[type])}`)
  return `COPY (
    SELECT * FROM read_csv(${literal(from)}, columns = {${types.join(', ')}}, auto_detect = false, header = true,
      delim = ',', quote = '"', escape = '"', new_line = '\\n', nullstr = '', allow_quoted_nulls = false)
  ) TO ${literal(to)} (FORMAT parquet, COMPRESSION zstd)`
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

const duckTypes: { readonly [Type in FieldType]: string } = {
  text: 'VARCHAR',
  date: 'DATE',
  minute: 'VARCHAR',
  boolean: 'BOOLEAN',
  integer: 'INTEGER',
  decimal: `DECIMAL(18,${DECIMAL_PLACES})`,
}
