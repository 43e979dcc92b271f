/**
 * Runs statements on the server: one that answers with one row, or a cursor that is read batch by batch. A request that is
 * cancelled ends its statement in the server, and its connection is closed.
 */
import type { PoolClient } from 'pg'
import type { Cancellation } from '../../kernel/cancellation.ts'
import { type DatabasePool, openPool } from '../../postgres/connect.ts'
import { sqlStateOf } from '../../postgres/problems.ts'
import { watchCancellation } from '../watched-cancellation.ts'
import { OverBudget } from '../work-budget.ts'
import { PERIOD_SECONDS, StatementNames } from './statement-names.ts'
import type { RecordsRow, Statement } from './statements.ts'

export type RecordServer = {
  /** @throws Problem PGS1xx, OverBudget, or the reason of the cancellation */
  readonly ask: (statement: Statement, cancellation: Cancellation | undefined) => Promise<RecordsRow>
  /** The rows of a statement in batches. Holds a connection until the iteration ends. */
  readonly read: (
    statement: Statement,
    batchRows: number,
    cancellation: Cancellation | undefined,
  ) => AsyncGenerator<readonly RecordsRow[], void, undefined>
  readonly close: () => Promise<void>
}

export type ServerOptions = {
  readonly url: string
  /** The most connections. */
  readonly connections: number
  /** How long a statement may take, in milliseconds; Infinity means no limit. */
  readonly cpuMs: number
  readonly waitMs?: number
}

/**
 * Compiling a statement to machine code takes longer than running it. A statement runs on one core, so that a caller with large
 * questions does not slow the others down more than by his share.
 */
const SESSION = { jit: 'off', max_parallel_workers_per_gather: '0', work_mem: '32MB' } as const

/** How much longer than the server itself the answer to a statement is waited for. */
const ANSWER_GRACE_MS = 2000

export function openRecordServer({ url, connections, cpuMs, ...wait }: ServerOptions): RecordServer {
  const statementMs = Number.isFinite(cpuMs) ? Math.max(1, Math.ceil(cpuMs)) : 0
  const pool = openPool({
    ...{ url, use: 'tripfolio engine', connections, ...wait },
    ...{ statementMs, session: SESSION, lifetimeSeconds: PERIOD_SECONDS },
    // The server ends a statement whose time is up; one that says nothing is gone, or cannot be reached.
    ...(statementMs > 0 && { answerMs: statementMs + ANSWER_GRACE_MS }),
  })
  const names = new StatementNames()
  // Apart from the others, which may all be busy with what has to be cancelled.
  const cancels = openPool({
    url,
    use: 'tripfolio engine cancel',
    connections: 1,
    answerMs: ANSWER_GRACE_MS,
  })
  const failureOf = (cause: unknown): unknown =>
    statementMs > 0 && sqlStateOf(cause) === QUERY_CANCELED
      ? new OverBudget({ kind: 'cpu', limit: cpuMs })
      : cause
  return {
    ask: async (statement, cancellation) => {
      const connection = await cancellable(pool, cancels, cancellation)
      try {
        const [row] = await connection.query(statement, names.nameOf(statement.text))
        connection.release()
        return row ?? { records: null }
      } catch (cause) {
        throw failureOf(await connection.fail(cause))
      }
    },
    read: async function* (statement, batchRows, cancellation) {
      const connection = await cancellable(pool, cancels, cancellation)
      let isOpen = true
      try {
        await connection.query({ text: 'begin read only', values: [] })
        // A cursor in SQL, because a portal of the protocol would count the time between two reads against the statement.
        await connection.query({
          text: `declare ${CURSOR} no scroll cursor for ${statement.text}`,
          values: statement.values,
        })
        while (true) {
          const rows = await connection.query({ text: `fetch ${batchRows} from ${CURSOR}`, values: [] })
          if (rows.length === 0) break
          yield rows
        }
        await connection.query({ text: 'commit', values: [] })
        isOpen = false
        connection.release()
      } catch (cause) {
        isOpen = false
        throw failureOf(await connection.fail(cause))
      } finally {
        // The reader has stopped early: closing the connection ends the cursor.
        if (isOpen) await connection.fail(new Error('The reader stopped'))
      }
    },
    close: async () => {
      await Promise.all([pool.close(), cancels.close()])
    },
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: query_canceled, also by `statement_timeout` */
const QUERY_CANCELED = '57014'

const CURSOR = 'tripfolio_records'

type Cancellable = {
  readonly query: (statement: Statement, name?: string) => Promise<readonly RecordsRow[]>
  readonly release: () => void
  /** Closes the connection. @returns what to throw */
  readonly fail: (cause: unknown) => Promise<unknown>
}

async function cancellable(
  pool: DatabasePool,
  cancels: DatabasePool,
  cancellation: Cancellation | undefined,
): Promise<Cancellable> {
  if (cancellation?.aborted) throw cancellation.reason
  const { connection, release, problemOf } = await pool.hold()
  const watched = cancellation === undefined ? null : watchCancellation(cancellation)
  let cancelled: Promise<unknown> | null = null
  const cancel = () => {
    cancelled = cancelIn(cancels, connection)
  }
  watched?.signal.addEventListener('abort', cancel, { once: true })
  const end = (failure?: unknown) => {
    watched?.signal.removeEventListener('abort', cancel)
    watched?.release()
    release(failure)
  }
  if (watched?.signal.aborted) {
    end()
    throw watched.signal.reason
  }
  return {
    query: async ({ text, values }, name) => {
      watched?.signal.throwIfAborted()
      const named = name === undefined ? {} : { name }
      const { rows } = await connection.query<RecordsRow>({ text, values: [...values], ...named })
      watched?.signal.throwIfAborted()
      return rows
    },
    release: () => end(),
    fail: async (cause) => {
      await cancelled
      end(cause ?? new Error('The request failed'))
      return watched?.signal.aborted ? watched.signal.reason : problemOf(cause)
    },
  }
}

/** Ends the running statement of a connection. When that fails, the statement ends at the latest when its time is up. */
async function cancelIn(cancels: DatabasePool, connection: PoolClient): Promise<void> {
  if (!('processID' in connection)) return
  const { processID } = connection
  const cancel = (on: PoolClient) => on.query('select pg_cancel_backend($1::integer)', [processID])
  await cancels.withConnection(cancel).catch(() => undefined)
}
