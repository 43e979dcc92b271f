/** Reads which snapshots are in the database, and what is known of them. Without the tables there are none. */
import type { ClientBase } from 'pg'
import { RECORDS_SCHEMA } from './record-tables.ts'
import { hasSnapshotTables, RECORDS_FORMAT, type StoredSnapshot } from './snapshot-tables.ts'

const COLUMNS = 'sequence, id, extracted_at, published_at, facts'
const OF_THIS_FORMAT = `format = ${RECORDS_FORMAT}`

const IS_CURRENT = `sequence = (select current from ${RECORDS_SCHEMA}.state)`

/** The snapshot that requests are answered from; null while there is none. */
export const currentSnapshot = (connection: ClientBase): Promise<StoredSnapshot | null> =>
  oneOf(connection, `${OF_THIS_FORMAT} and ${IS_CURRENT}`, [])

/** The snapshot that a refresh compares with: the current one, also when another version of the program has written it. */
export const comparedSnapshot = (connection: ClientBase): Promise<StoredSnapshot | null> =>
  oneOf(connection, IS_CURRENT, [])

export const snapshotOf = (connection: ClientBase, id: string): Promise<StoredSnapshot | null> =>
  oneOf(connection, `${OF_THIS_FORMAT} and id = $1`, [id])

/** All of them, newest first. */
export const allSnapshots = (connection: ClientBase): Promise<readonly StoredSnapshot[]> =>
  snapshotsWhere(connection, OF_THIS_FORMAT, [])

async function oneOf(connection: ClientBase, condition: string, values: readonly unknown[]) {
  const [found = null] = await snapshotsWhere(connection, condition, values)
  return found
}

async function snapshotsWhere(connection: ClientBase, condition: string, values: readonly unknown[]) {
  if (!(await hasSnapshotTables(connection))) return []
  const { rows } = await connection.query(
    `select ${COLUMNS} from ${RECORDS_SCHEMA}.snapshots where ${condition}
     order by sequence desc`,
    [...values],
  )
  return rows.map(
    ({ sequence, id, extracted_at, published_at, facts }): StoredSnapshot => ({
      id,
      sequence,
      extractedAt: extracted_at.toISOString(),
      publishedAt: published_at.toISOString(),
      ...facts,
    }),
  )
}
