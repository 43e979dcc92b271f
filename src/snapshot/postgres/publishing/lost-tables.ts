/**
 * Finds generations whose tables are not there any more, or are empty: an administrator has dropped one, or a dump was
 * restored only in part. A refresh must not reuse rows of these.
 */
import type { ClientBase } from 'pg'
import type { StoredName } from '../../../schema/datasets.ts'
import { RECORDS_SCHEMA, recordTables } from '../record-tables.ts'

/** The tables of one collection in one generation. */
export type GenerationTables = { readonly generation: number; readonly stored: StoredName }

/** @param which SQL condition on the rows of `client_data` */
export async function lostTables(
  connection: ClientBase,
  which = 'true',
): Promise<readonly GenerationTables[]> {
  const { rows: used } = await connection.query<GenerationTables>(
    `select distinct generation, stored from ${RECORDS_SCHEMA}.client_data where rows > 0 and ${which}`,
  )
  const lost: GenerationTables[] = []
  for (const tables of used) if (!(await hasRows(connection, tables))) lost.push(tables)
  return lost
}

/** COPY loads a table as a whole, so a table with one row has all of them. */
async function hasRows(connection: ClientBase, { stored, generation }: GenerationTables): Promise<boolean> {
  const { all, fields, records } = recordTables(stored, generation)
  if (!(await hasTables(connection, all))) return false
  for (const table of [fields, records]) {
    // Citus does not take it within `exists`.
    const { rowCount } = await connection.query(`select 1 from ${table} limit 1`)
    if (rowCount === 0) return false
  }
  return true
}

/** @param tables names as SQL text */
export async function hasTables(connection: ClientBase, tables: readonly string[]): Promise<boolean> {
  const { rows } = await connection.query(
    'select bool_and(to_regclass(name) is not null) as there from unnest($1::text[]) as name',
    [tables],
  )
  return rows[0].there
}
