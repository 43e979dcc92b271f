/** Reads which snapshots are in the database, and what is known of them. Without the tables there are none. */
import type { ClientBase } from 'pg'
import type { DatabasePool } from '../../postgres/connect.ts'
import type { StoredName } from '../../schema/datasets.ts'
import { RECORDS_SCHEMA } from './record-tables.ts'
import { hasSnapshotTables, RECORDS_FORMAT, type StoredSnapshot, validAt } from './snapshot-tables.ts'

const COLUMNS = 'sequence, id, extracted_at, published_at, facts'
const OF_THIS_FORMAT = `format = ${RECORDS_FORMAT}`

/** The snapshot that requests are answered from; null while there is none. */
export const currentSnapshot = (connection: ClientBase): Promise<StoredSnapshot | null> =>
  oneOf(connection, `sequence = (select current from ${RECORDS_SCHEMA}.state)`, [])

export const snapshotOf = (connection: ClientBase, id: string): Promise<StoredSnapshot | null> =>
  oneOf(connection, 'id = $1', [id])

/** All of them, newest first. */
export const allSnapshots = (connection: ClientBase): Promise<readonly StoredSnapshot[]> =>
  snapshotsWhere(connection, 'true', [])

async function oneOf(connection: ClientBase, condition: string, values: readonly unknown[]) {
  const [found = null] = await snapshotsWhere(connection, condition, values)
  return found
}

async function snapshotsWhere(connection: ClientBase, condition: string, values: readonly unknown[]) {
  if (!(await hasSnapshotTables(connection))) return []
  const { rows } = await connection.query(
    `select ${COLUMNS} from ${RECORDS_SCHEMA}.snapshots where ${OF_THIS_FORMAT} and ${condition}
     order by sequence desc`,
    [...values],
  )
  return rows.map(
    ({ sequence, id, extracted_at, published_at, facts }): StoredSnapshot => ({
      kind: 'tables',
      id,
      sequence,
      extractedAt: extracted_at.toISOString(),
      publishedAt: published_at.toISOString(),
      ...facts,
    }),
  )
}

export type StoredClient = {
  readonly clientNumber: string
  readonly name: string
  readonly bookings: number
  readonly invoices: number
  readonly bytes: number
}

/** The clients of a snapshot in the order of their numbers. */
export async function clientsOf(
  pool: DatabasePool,
  { sequence }: StoredSnapshot,
): Promise<readonly StoredClient[]> {
  const counted = (stored: StoredName) =>
    `coalesce(sum(rows) filter (where stored = '${stored}'), 0)::integer`
  return pool.withConnection(async (connection) => {
    const { rows } = await connection.query<StoredClient>(
      `select client_number as "clientNumber", name, ${counted('bookings')} as bookings,
         ${counted('invoices')} as invoices, sum(bytes)::float8 as bytes
       from (select client_number, name from ${RECORDS_SCHEMA}.clients where ${validAt('$1')}) as known
       join (select * from ${RECORDS_SCHEMA}.client_data where ${validAt('$1')}) as placed using (client_number)
       group by client_number, name order by client_number`,
      [sequence],
    )
    return rows
  })
}
