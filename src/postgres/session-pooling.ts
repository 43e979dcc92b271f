/** Finds out whether a pooler between us and the server gives a session to several connections in turn. */
import type { DatabasePool } from './connect.ts'
import { transactionPooling } from './problems.ts'

/**
 * Two connections that are open at the same time and speak to one process of the server share it. A pooler in transaction mode
 * usually gives both the same one when they ask one after the other. It may be busy and give two: then this notices nothing.
 *
 * @param other a pool to the same server; may be `pool` when it has at least two connections
 * @throws Problem PGS106, or PGS1xx
 */
export async function refuseTransactionPooling(pool: DatabasePool, other: DatabasePool): Promise<void> {
  const processOf = ({ withConnection }: DatabasePool, meanwhile: () => Promise<void>) =>
    withConnection(async (connection) => {
      const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid')
      await meanwhile()
      return rows[0]?.pid
    })
  let second: number | undefined
  const first = await processOf(pool, async () => {
    second = await processOf(other, async () => undefined)
  })
  if (first === second) throw transactionPooling(pool.url)
}
