/** Distributes tables of records over the nodes of a Citus cluster, by client, so that one node answers a query. */
import type { ClientBase } from 'pg'
import { RECORDS_SCHEMA } from '../record-tables.ts'

export async function hasCitus(connection: ClientBase): Promise<boolean> {
  const { rowCount } = await connection.query("select 1 from pg_extension where extname = 'citus'")
  return rowCount === 1
}

/** All tables of records have their shards where this empty table has its own. */
const PLACEMENT = `${RECORDS_SCHEMA}.placement`

/** The table that the others are co-located with. Its number of shards is the setting `citus.shard_count` of its first refresh. */
export async function createPlacement(connection: ClientBase): Promise<void> {
  const { rows } = await connection.query('select to_regclass($1) is not null as made', [PLACEMENT])
  if (rows[0].made) return
  // In one transaction, so that a killed refresh leaves no table that is not distributed.
  await connection.query('begin')
  await connection.query(`create table ${PLACEMENT} (client_number text collate "C" not null)`)
  await connection.query("select create_distributed_table($1, 'client_number', colocate_with => 'none')", [
    PLACEMENT,
  ])
  await connection.query('commit')
}

/** @param tables names as SQL text; the tables are empty */
export async function distribute(connection: ClientBase, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await connection.query("select create_distributed_table($1, 'client_number', colocate_with => $2)", [
      table,
      PLACEMENT,
    ])
  }
}
