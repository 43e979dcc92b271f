/**
 * Generations of record tables: the rows that one refresh writes. A refresh fills a new one, outside of the transaction that
 * publishes it. The tables of a generation are dropped whole when no snapshot has rows in them, or when their refresh was
 * killed; rows are never deleted.
 */
import type { ClientBase } from 'pg'
import type { DatabasePool } from '../../../postgres/connect.ts'
import { sqlStateOf } from '../../../postgres/problems.ts'
import { type StoredName, storedNames } from '../../../schema/datasets.ts'
import type { Partition } from '../../partition.ts'
import { rowsLost } from '../../problems.ts'
import {
  type CopiedRows,
  copyBetweenGenerations,
  copyRows,
  createRecordTables,
  dropRecordTables,
  finishRecordTables,
  RECORDS_SCHEMA,
  recordTables,
} from '../record-tables.ts'
import { tableSuffixes } from '../table-layout.ts'
import { distribute, hasCitus } from './citus.ts'
import { refuseOvertaken } from './fence.ts'

/** The tables that one refresh fills. */
export type Generation = {
  /** Null while the refresh has not written anything. */
  readonly number: () => number | null
  /** Rows by collection. */
  readonly written: ReadonlyMap<StoredName, number>
  readonly write: (partition: Partition) => Promise<CopiedRows>
  readonly copyFrom: (from: number, clientNumber: string, stored: StoredName) => Promise<CopiedRows>
  /** Makes indexes, and checks that all rows arrived. @throws Problem SNP204 */
  readonly finish: () => Promise<void>
  readonly drop: () => Promise<void>
}

/** Makes tables when the first rows are written. */
export function createGeneration(pool: DatabasePool): Generation {
  const written = new Map<StoredName, number>()
  const made = new Map<StoredName, Promise<void>>()
  let numbered: Promise<number> | undefined
  let number: number | null = null

  const use = <T>(work: (connection: ClientBase) => Promise<T>) => pool.withConnection(work)

  async function nextNumber(): Promise<number> {
    const { rows } = await use((connection) =>
      connection.query(`select nextval('${RECORDS_SCHEMA}.generation_numbers')::integer as number`),
    )
    number = rows[0].number as number
    return number
  }

  function tablesOf(stored: StoredName, generation: number): Promise<void> {
    const making = made.get(stored) ?? makeTables(pool, stored, generation)
    made.set(stored, making)
    return making
  }

  async function filled(
    stored: StoredName,
    fill: (connection: ClientBase, generation: number) => Promise<CopiedRows>,
  ): Promise<CopiedRows> {
    numbered ??= nextNumber()
    const generation = await numbered
    await tablesOf(stored, generation)
    const copied = await pool.transaction((connection) => fill(connection, generation))
    written.set(stored, (written.get(stored) ?? 0) + copied.rows)
    return copied
  }

  return {
    number: () => number,
    written,
    write: (partition) =>
      filled(partition.stored, (connection, generation) => copyRows(connection, partition, generation)),
    copyFrom: (from, clientNumber, stored) =>
      filled(stored, (connection, to) =>
        copyBetweenGenerations(connection, { clientNumber, stored, from, to }),
      ),
    async finish() {
      for (const [stored, expected] of written) {
        const generation = number as number
        for (const statement of finishRecordTables(stored, generation)) {
          await use((connection) => connection.query(statement))
        }
        const { fields } = recordTables(stored, generation)
        const counted = await use((connection) =>
          connection.query(`select count(*)::float8 as rows from ${fields}`),
        )
        if (counted.rows[0].rows !== expected) throw rowsLost(stored, expected, counted.rows[0].rows)
      }
    },
    async drop() {
      for (const [stored, making] of made) {
        await making.catch(() => undefined)
        await dropTables(pool, stored, number as number)
      }
    },
  }
}

async function makeTables(pool: DatabasePool, stored: StoredName, generation: number): Promise<void> {
  // In one transaction, so that no table of a Citus cluster stays undistributed.
  await pool.transaction(async (connection) => {
    for (const statement of createRecordTables(stored, generation)) await connection.query(statement)
    if (await hasCitus(connection)) await distribute(connection, recordTables(stored, generation).all)
  })
}

/**
 * Drops the tables that no snapshot has rows in. The caller has not begun a generation, or has published it. Tables that a reader
 * still uses stay until the next refresh: who waits for a lock on a table keeps new readers of it waiting.
 *
 * @throws Problem SNP203 when another refresh has begun since, whose tables no row names yet
 */
export async function dropUnusedGenerations(pool: DatabasePool, refresh: number): Promise<void> {
  const { used, there } = await pool.withConnection(async (connection) => {
    const used = await connection.query(
      `select distinct generation, stored from ${RECORDS_SCHEMA}.client_data`,
    )
    const there = await connection.query('select tablename from pg_tables where schemaname = $1', [
      RECORDS_SCHEMA,
    ])
    return { used: used.rows.map(keyOf), there: there.rows.map(({ tablename }) => tablename as string) }
  })
  const kept = new Set(used)
  const unused = new Map(there.flatMap(generationOf).map((table) => [keyOf(table), table]))
  for (const [key, { stored, generation }] of unused) {
    if (!kept.has(key)) await dropTables(pool, stored, generation, refresh).catch(ignoreReaders)
  }
}

type GenerationTable = { readonly stored: StoredName; readonly generation: number }

const keyOf = ({ stored, generation }: GenerationTable): string => `${stored} ${generation}`

const GENERATION_TABLE = new RegExp(`^(.+)_g(\\d+)(?:${tableSuffixes.join('|')})?$`)

/** The generation that a table with this name belongs to. */
function generationOf(table: string): readonly GenerationTable[] {
  const [, name, number] = GENERATION_TABLE.exec(table) ?? []
  const stored = storedNames.find((stored) => stored.replace('-', '_') === name)
  return stored === undefined ? [] : [{ stored, generation: Number(number) }]
}

/** @param refresh drops only while this is the newest refresh; without it, the caller drops tables of its own */
async function dropTables(
  pool: DatabasePool,
  stored: StoredName,
  generation: number,
  refresh?: number,
): Promise<void> {
  await pool.transaction(async (connection) => {
    if (refresh !== undefined) await refuseOvertaken(connection, refresh)
    await connection.query(`set local lock_timeout = ${DROP_WAIT_MS}`)
    for (const statement of dropRecordTables(stored, generation)) await connection.query(statement)
    await connection.query(
      `delete from ${RECORDS_SCHEMA}.generations where generation = $1 and stored = $2`,
      [generation, stored],
    )
  })
}

const DROP_WAIT_MS = 500

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: lock_not_available */
const LOCK_NOT_AVAILABLE = '55P03'

function ignoreReaders(problem: unknown): void {
  if (sqlStateOf(problem) !== LOCK_NOT_AVAILABLE) throw problem
}
