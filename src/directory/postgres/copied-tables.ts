/** Writes the rows of tables into a PostgreSQL database in one stream for each table, and reads them again. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { from } from 'pg-copy-streams'
import Cursor from 'pg-cursor'
import { identifier } from '../../postgres/sql-names.ts'

/** How much text is sent at once, and how many rows are read at once. */
const CHUNK_CHARACTERS = 2 ** 16
const BATCH_ROWS = 500

export type Columns = { readonly table: string; readonly columns: readonly string[] }

/** Values are those of the parameters of queries. A column whose numbers the database gives goes on after the largest one. */
export async function writeRows(
  connection: PoolClient,
  { table, columns }: Columns,
  rows: Iterable<readonly unknown[]>,
): Promise<void> {
  const names = columns.map(identifier).join(', ')
  const target = connection.query(from(`copy ${identifier(table)} (${names}) from stdin`))
  await pipeline(Readable.from(chunksOf(rows)), target)
  for (const column of columns) await continueNumbers(connection, table, column)
}

async function continueNumbers(connection: PoolClient, table: string, column: string): Promise<void> {
  const { rows } = await connection.query<{ numbers: string | null }>(
    'select pg_get_serial_sequence($1, $2) as numbers',
    [identifier(table), column],
  )
  const numbers = rows[0]?.numbers ?? null
  if (numbers === null) return
  const largest = `select max(${identifier(column)}) as largest from ${identifier(table)}`
  await connection.query(`select setval($1, largest) from (${largest}) as rows where largest is not null`, [
    numbers,
  ])
}

/** @yields each row as an array of its values in the order of the columns */
export async function* readRows(
  connection: PoolClient,
  { table, columns }: Columns,
): AsyncGenerator<readonly unknown[]> {
  const text = `select ${columns.map(identifier).join(', ')} from ${identifier(table)}`
  const cursor = connection.query(new Cursor<readonly unknown[]>(text, [], { rowMode: 'array' }))
  try {
    for (;;) {
      const rows = await cursor.read(BATCH_ROWS)
      if (rows.length === 0) return
      yield* rows
    }
  } finally {
    await cursor.close()
  }
}

function* chunksOf(rows: Iterable<readonly unknown[]>): Generator<Buffer> {
  let chunk = ''
  for (const row of rows) {
    chunk += `${row.map(copied).join('\t')}\n`
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  if (chunk !== '') yield Buffer.from(chunk)
}

/** The text format of COPY: https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS */
function copied(value: unknown): string {
  if (value === null) return '\\N'
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`
  return String(value).replace(/[\\\n\r\t]/g, (character) => escapes[character] as string)
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
