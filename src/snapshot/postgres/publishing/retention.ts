/** Removes old snapshots: first the rows that name them, then the tables that no snapshot needs any more. */
import type { DatabasePool } from '../../../postgres/connect.ts'
import { oldSnapshots } from '../../writing/old-snapshots.ts'
import { RECORDS_SCHEMA } from '../record-tables.ts'
import { refuseOvertaken } from './fence.ts'
import { dropUnusedGenerations } from './generations.ts'

/**
 * Keeps the newest `keep` snapshots and those that `oldSnapshots` keeps, the current one, and the one that was current before it: other nodes may answer from that
 * one for another moment.
 *
 * @throws Problem SNP203 when another refresh has begun since: it may build on what would be removed
 */
export async function removeSnapshots(pool: DatabasePool, keep: number, refresh: number): Promise<void> {
  await pool.transaction(async (connection) => {
    await refuseOvertaken(connection, refresh)
    const { rows } = await connection.query<{ id: string; content: string | null }>(
      `select id, facts ->> 'content' as content from ${RECORDS_SCHEMA}.snapshots order by sequence desc`,
    )
    await connection.query(
      `delete from ${RECORDS_SCHEMA}.snapshots
       where id = any ($1) and not exists (select from ${RECORDS_SCHEMA}.state where sequence in (current, previous))`,
      [oldSnapshots(rows, keep).map(({ id }) => id)],
    )
    for (const table of ['client_data', 'clients'] as const) await connection.query(withoutSnapshot(table))
  })
  await dropUnusedGenerations(pool, refresh)
}

/** Rows whose interval has no snapshot in it. */
const withoutSnapshot = (table: 'client_data' | 'clients'): string => `
  delete from ${RECORDS_SCHEMA}.${table} as data
  where valid_to is not null and not exists (
    select from ${RECORDS_SCHEMA}.snapshots
    where sequence >= data.valid_from and sequence < data.valid_to)`
