/**
 * One moment of a warehouse: a transaction that reads all tables as they were when it began, and changes nothing. The server
 * keeps old versions of rows while it is open, so it is closed as soon as the rows are here.
 */
import { Client, type QueryResult } from 'pg'
import { warehouseUrl } from '../../config/extract-source.ts'
import { Problem } from '../../kernel/problem.ts'
import { asWarehouseProblem, warehouseUrlUnusable } from './problems.ts'

export type Snapshot = {
  readonly connection: Client
  /** The time of the server when the transaction began to see its data. */
  readonly takenAt: Date
}

const CONNECT_MS = 10_000

/**
 * How values are written as text, whatever the defaults of the server, the user or the URL are; and no limit of the server on
 * the time: the refresh has its own. Scans begin at the beginning of a table, so that the order of rows does not depend on other readers.
 */
const settings: readonly (readonly [name: string, value: string])[] = [
  ['timezone', 'UTC'],
  ['datestyle', 'ISO, YMD'],
  ['intervalstyle', 'postgres'],
  ['extra_float_digits', '1'],
  ['client_encoding', 'UTF8'],
  // What a mapping holds is split into statements under this rule.
  ['standard_conforming_strings', 'on'],
  ['synchronize_seqscans', 'off'],
  ['statement_timeout', '0'],
  ['idle_in_transaction_session_timeout', '0'],
]

/** The functions that a query calls may change settings for the statements after it, so these are set again before each one. */
export const ownSettings = `select ${settings.map(([name, value]) => `set_config('${name}', '${value}', true)`).join(', ')}`

/** Older servers do not know it. */
const SINCE_17 = 'transaction_timeout'

/**
 * @throws Problem ING150 or PGS1xx for faults of the warehouse. Faults of the disk are thrown as they are.
 */
export async function withSnapshot<T>(
  source: string,
  signal: AbortSignal | undefined,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const connection = connectionTo(source)
  // What waits for the connection fails with the same error; without a listener the process would end.
  connection.on('error', ignore)
  // Ending a connection while a statement runs closes it at once.
  const end = () => void connection.end().catch(ignore)
  signal?.addEventListener('abort', end)
  try {
    await connection.connect()
    await connection.query('begin isolation level repeatable read, read only')
    // The first statement of the transaction decides what all of them see.
    const { rows }: QueryResult<{ ms: string }> = await connection.query(
      `${ownSettings}, floor(extract(epoch from statement_timestamp()) * 1000)::bigint::text as ms,
       (select set_config(name, '0', true) from pg_settings where name = '${SINCE_17}')`,
    )
    return await work({ connection, takenAt: new Date(Number(rows[0]?.ms)) })
  } catch (cause) {
    throw cause instanceof Problem ? cause : asWarehouseProblem(source, cause)
  } finally {
    signal?.removeEventListener('abort', end)
    end()
  }
}

function connectionTo(source: string): Client {
  if (warehouseUrl(source) === null) throw warehouseUrlUnusable()
  try {
    return new Client({
      connectionString: source,
      application_name: 'tripfolio ingest',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: CONNECT_MS,
    })
  } catch (cause) {
    throw warehouseUrlUnusable(cause)
  }
}

const ignore = (): void => undefined
