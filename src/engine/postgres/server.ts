/**
 * Runs statements that answer with one row on the server. No connection is held between two statements. A request that is
 * cancelled ends its statement in the server, and its connection is closed.
 */
import type { PoolClient } from 'pg'
import type { Cancellation } from '../../kernel/cancellation.ts'
import { type DatabasePool, openPool } from '../../postgres/connect.ts'
import { sqlStateOf } from '../../postgres/problems.ts'
import { reasonOf, throwIfCancelled, whenCancelled } from '../watched-cancellation.ts'
import { OverBudget } from '../work-budget.ts'
import type { RawRow } from './row-frames.ts'
import { RowQuery } from './row-query.ts'
import { PERIOD_SECONDS, StatementNames } from './statement-names.ts'
import type { RecordsRow, Statement } from './statements.ts'

export type RecordServer = {
  /** @throws Problem PGS1xx, OverBudget, or the reason of the cancellation */
  readonly ask: (statement: Statement, cancellation: Cancellation | undefined) => Promise<RecordsRow>
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
const SESSION = {
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // No row number is looked up twice.
  enable_memoize: 'off',
  work_mem: '32MB',
} as const

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
      throwIfCancelled(cancellation)
      const { connection, release, problemOf } = await pool.hold()
      let cancelling: Promise<void> | null = null
      const cancel = () => {
        cancelling = cancelIn(cancels, connection)
      }
      const unwatch = cancellation === undefined ? null : whenCancelled(cancellation, cancel)
      try {
        throwIfCancelled(cancellation)
        const name = statement.plannedAnew ? undefined : names.nameOf(statement.text)
        const row = await rowOf(connection, statement, name)
        throwIfCancelled(cancellation)
        release()
        return recordsRow(row)
      } catch (cause) {
        unwatch?.()
        await cancelling
        release(cause ?? new Error('The statement failed'))
        throw cancellation?.aborted ? reasonOf(cancellation) : failureOf(problemOf(cause))
      } finally {
        unwatch?.()
      }
    },
    close: async () => {
      await Promise.all([pool.close(), cancels.close()])
    },
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: query_canceled, also by `statement_timeout` */
const QUERY_CANCELED = '57014'

const rowOf = (
  connection: PoolClient,
  statement: Statement,
  name: string | undefined,
): Promise<RawRow | null> =>
  new Promise((resolve, reject) => {
    connection.query(
      new RowQuery(statement, name, (failure, row) => (failure ? reject(failure) : resolve(row))),
    )
  })

/** The records are the last value. */
const recordsRow = (row: RawRow | null): RecordsRow => ({
  ...(row !== null && row.length > 1 && { total: Number(row[0]?.toString('latin1')) }),
  records: row?.at(-1) ?? null,
})

/** Ends the running statement of a connection. When that fails, the statement ends at the latest when its time is up. */
async function cancelIn(cancels: DatabasePool, connection: PoolClient): Promise<void> {
  if (!('processID' in connection)) return
  const { processID } = connection
  const cancel = (on: PoolClient) => on.query('select pg_cancel_backend($1::integer)', [processID])
  await cancels.withConnection(cancel).catch(() => undefined)
}
