/**
 * Fills a schema of a PostgreSQL database with the rows of the peers, unless it has them already: a comment on the schema
 * names their data. Returns remarks, such as a missing extension.
 */
import { Client, type ClientConfig } from 'pg'
import { type Cell, indexes, type TableName, type TableRows, tables } from './booking-rows.ts'
import { SCHEMA } from './postgres-store.ts'

const ROWS_PER_INSERT = 5000

export async function loadPostgres(
  config: ClientConfig,
  mark: string,
  clients: () => Promise<readonly TableRows[]>,
): Promise<readonly string[]> {
  const client = new Client({ ...config, options: `-c search_path=${SCHEMA},public` })
  await client.connect()
  try {
    if ((await markOf(client)) !== mark) await fill(client, mark, await clients())
    const { rows } = await client.query(
      "select 1 from pg_indexes where schemaname = $1 and indexname = 'trigrams'",
      [SCHEMA],
    )
    return rows.length === 1 ? [] : ['This PostgreSQL has no pg_trgm: contains() scans its rows.']
  } finally {
    await client.end()
  }
}

async function markOf(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ mark: string }>(
    "select obj_description(oid, 'pg_namespace') as mark from pg_namespace where nspname = $1",
    [SCHEMA],
  )
  return rows[0]?.mark
}

async function fill(client: Client, mark: string, clients: readonly TableRows[]): Promise<void> {
  await client.query(`drop schema if exists ${SCHEMA} cascade`)
  await client.query(`create schema ${SCHEMA}`)
  for (const name of Object.keys(tables) as TableName[]) {
    const columns = Object.entries(tables[name])
    await client.query(
      `create table ${name} (${columns.map(([column, type]) => `${column} ${type}${type === 'text' ? ' collate "C"' : ''}`).join(', ')})`,
    )
    for (const rows of clients) await insert(client, name, rows[name])
  }
  await client.query('alter table bookings add primary key (id)')
  for (const [number, index] of indexes.entries()) await client.query(`create index i${number} ${index}`)
  await indexTrigrams(client)
  for (const name of Object.keys(tables)) await client.query(`vacuum (analyze, freeze) ${name}`)
  await client.query(`comment on schema ${SCHEMA} is '${mark.replaceAll("'", "''")}'`)
}

async function insert(client: Client, name: TableName, rows: readonly Cell[][]): Promise<void> {
  const types = Object.values(tables[name])
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    const batch = rows.slice(start, start + ROWS_PER_INSERT)
    await client.query(
      `insert into ${name} select * from unnest(${arrays})`,
      types.map((_, column) => batch.map((row) => row[column])),
    )
  }
}

async function indexTrigrams(client: Client): Promise<void> {
  try {
    await client.query(`create extension if not exists pg_trgm schema ${SCHEMA}`)
  } catch {
    return
  }
  await client.query('create index trigrams on bookings using gin (locator_folded gin_trgm_ops)')
}
