/**
 * Steps between versions as rows of a table, on the coordinator of a cluster: only a look-up by client reads them. A refresh
 * inserts them before it publishes. What a killed refresh left is a true statement that nobody asks for, until it is removed
 * by its age.
 */
import type { ClientBase } from 'pg'
import type { DatabasePool } from '../../postgres/connect.ts'
import { identifier } from '../../postgres/sql-names.ts'
import { datasets, type Version2Stored } from '../../schema/datasets.ts'
import type { KeyedRows } from '../changes/compare-collections.ts'
import { decodeStep, encodeStep, HASH_LENGTH, keyMembers } from '../changes/step.ts'
import type { StepEdge, StepSink, StepSource } from '../changes/step-store.ts'
import { isUnavailable, notReadableNow } from '../problems.ts'
import { recordTables } from './record-tables.ts'
import { readSuccessions, STEPS_TABLE as TABLE } from './succession-table.ts'

/** The caller holds the lock of refreshes. Databases of earlier versions do not have the table. */
export async function createStepTable(connection: ClientBase): Promise<void> {
  await connection.query(`set client_min_messages = warning; create table if not exists ${TABLE} (
    client_number text collate "C" not null,
    stored text collate "C" not null,
    from_version text collate "C" not null,
    to_version text collate "C" not null,
    snapshot text collate "C" not null,
    written_at timestamptz not null default now(),
    step bytea not null,
    primary key (client_number, stored, from_version, to_version, snapshot)
  )`)
}

const hasStepTable = async (connection: ClientBase): Promise<boolean> =>
  (await connection.query(`select to_regclass('${TABLE}') is not null as found`)).rows[0].found

type EdgeRow = Pick<StepEdge, 'from' | 'to' | 'snapshot'>

/** @param pool may wait for its server for a limited time only */
export function tableStepSource(pool: DatabasePool): StepSource {
  return {
    edges: async (clientNumber, stored) => {
      const what = `What changed in the ${stored} of client '${clientNumber}'`
      const ask = <T>(work: (connection: ClientBase) => Promise<T>) => asking(pool, what, work)
      const rows = await ask(async (connection) => {
        if (!(await hasStepTable(connection))) return []
        const found = await connection.query<EdgeRow>(
          `select from_version as from, to_version as to, snapshot from ${TABLE}
           where client_number = $1 and stored = $2`,
          [clientNumber, stored],
        )
        return found.rows
      })
      return rows.map(({ from, to, snapshot }) => ({
        from,
        to,
        snapshot,
        read: async () => {
          const { rows } = await ask((connection) =>
            connection.query<{ step: Buffer }>(
              `select step from ${TABLE} where client_number = $1 and stored = $2
                 and from_version = $3 and to_version = $4 and snapshot = $5`,
              [clientNumber, stored, from, to, snapshot],
            ),
          )
          if (rows[0] === undefined) throw new Error('it is missing')
          return decodeStep(rows[0].step, { clientNumber, stored, from, to })
        },
      }))
    },
    successions: () => asking(pool, 'Which snapshot was current then', readSuccessions),
  }
}

/** Callers are not told the name of the server. */
async function asking<T>(
  pool: DatabasePool,
  what: string,
  work: (connection: ClientBase) => Promise<T>,
): Promise<T> {
  try {
    return await pool.withConnection(work)
  } catch (cause) {
    if (!isUnavailable(cause)) throw cause
    throw notReadableNow(what, cause)
  }
}

export function tableStepSink(pool: DatabasePool, snapshot: string): StepSink {
  return {
    add: async (step) => {
      const { clientNumber, stored, from, to } = step
      await pool.withConnection((connection) =>
        connection.query(
          `insert into ${TABLE} (client_number, stored, from_version, to_version, snapshot, step)
           values ($1, $2, $3, $4, $5, $6)`,
          [clientNumber, stored, from, to, snapshot, encodeStep(step)],
        ),
      )
    },
    // The commit of the publication waits for the disk, and with it for everything before it.
    stored: async () => undefined,
    abandon: async () => {
      await pool.withConnection((connection) =>
        connection.query(`delete from ${TABLE} where snapshot = $1`, [snapshot]),
      )
    },
  }
}

/** The records of a client as keys and hashes, which the server computes: they are a fraction of the records. */
export async function placedRows(
  pool: DatabasePool,
  place: { readonly clientNumber: string; readonly stored: Version2Stored; readonly generation: number },
): Promise<KeyedRows> {
  const { clientNumber, stored, generation } = place
  const { fields, records } = recordTables(stored, generation)
  const [date = ''] = datasets[stored].defaultOrder
  const parts = stored === 'bookings' ? ['front', 'rest'] : ['front']
  const hashed = parts.map((part) => `encode(sha256(convert_to(r.${part}, 'UTF8')), 'base64')`)
  const keys = keyMembers[stored].map((name) => `f.${identifier(name)}`)
  const { rows } = await pool.withConnection((connection) =>
    connection.query<(string | number)[]>({
      text: `select f.${identifier(date)}, ${[...keys, ...hashed].join(', ')} from ${fields} f
             join ${records} r on r.client_number = f.client_number and r.ordinal = f.ordinal
             where f.client_number = $1 and r.client_number = $1 order by f.ordinal`,
      values: [clientNumber],
      rowMode: 'array',
    }),
  )
  const hashesFrom = 1 + keys.length
  return {
    count: rows.length,
    date: (row) => rows[row]?.[0] as number,
    key: (row) => (rows[row] as string[]).slice(1, hashesFrom),
    hashes: (row) => (rows[row] as string[]).slice(hashesFrom).map(urlSafe),
  }
}

const urlSafe = (base64: string): string =>
  base64.slice(0, HASH_LENGTH).replaceAll('+', '-').replaceAll('/', '_')
