/**
 * Which refresh may change what is published: the one that began last. A lock of the server can be lost without its holder knowing
 * for some seconds, so every transaction that publishes, removes or drops checks the number of its refresh.
 */
import type { ClientBase } from 'pg'
import { overtaken } from '../../problems.ts'
import { RECORDS_SCHEMA } from '../record-tables.ts'

/**
 * From now on no earlier refresh can publish, remove or drop anything.
 *
 * @returns the number of this refresh
 */
export async function beginRefresh(connection: ClientBase): Promise<number> {
  const { rows } = await connection.query(
    `update ${RECORDS_SCHEMA}.state set refresh = refresh + 1 returning refresh`,
  )
  return rows[0].refresh
}

/**
 * No other refresh begins until the transaction of the connection ends.
 *
 * @throws Problem SNP203 when another refresh has begun since
 */
export async function refuseOvertaken(connection: ClientBase, refresh: number): Promise<void> {
  const { rows } = await connection.query(`select refresh from ${RECORDS_SCHEMA}.state for update`)
  if (rows[0]?.refresh !== refresh) throw overtaken()
}
