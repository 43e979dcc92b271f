/** The connections of the stores to their PostgreSQL database. Values are read as SQLite would give them. */
import { types } from 'pg'
import { type DatabasePool, openPool } from '../../postgres/connect.ts'

/** The schema of all tables of the stores. */
export const STORE_SCHEMA = 'tripfolio'

export type StorePools = {
  readonly url: string
  /** For the queries and transactions of the operations. */
  readonly work: DatabasePool
  /** Only for the look-ups of requests, so that no operation keeps them waiting. */
  readonly latest: DatabasePool
  readonly close: () => Promise<void>
}

/** How long one statement may take, also one that waits for other writers. As long as a writer waits on SQLite. */
const STATEMENT_MS = 10_000
const WAIT_MS = 5000
const LOOK_UP_MS = 3000
/** How much later than the server a node gives up: only when the server or the network is gone. */
const GRACE_MS = 2000
const LOOK_UP_CONNECTIONS = 1

/**
 * @param connections the most connections to open, at least 2
 * @param statementMs how long one statement of an operation may take, in milliseconds
 * @param answerMs after how long without an answer an operation fails, in milliseconds
 */
export function openStorePools(
  url: string,
  connections: number,
  {
    statementMs = STATEMENT_MS,
    waitMs = WAIT_MS,
    answerMs = statementMs + GRACE_MS,
  }: { statementMs?: number; waitMs?: number; answerMs?: number } = {},
): StorePools {
  const options = { url, types: numbers, session: { search_path: STORE_SCHEMA } } as const
  const work = openPool({
    ...options,
    use: 'tripfolio store',
    connections: connections - LOOK_UP_CONNECTIONS,
    waitMs,
    statementMs,
    answerMs,
    pipeline: true,
  })
  const latest = openPool({
    ...options,
    use: 'tripfolio look-ups',
    connections: LOOK_UP_CONNECTIONS,
    waitMs: LOOK_UP_MS,
    statementMs: LOOK_UP_MS,
    answerMs: LOOK_UP_MS + GRACE_MS,
  })
  return {
    url,
    work,
    latest,
    close: async () => {
      await Promise.all([work.close(), latest.close()])
    },
  }
}

/**
 * One connection for the steps that bring the tables up to date, without a limit of time.
 *
 * @param lost ends the connection: where the server no longer answers, no statement would ever end
 */
export function openPoolForSteps(url: string, lost: AbortSignal): DatabasePool {
  const opened = openPool({
    url,
    types: numbers,
    session: { search_path: STORE_SCHEMA },
    use: 'tripfolio tables',
    connections: 1,
  })
  opened.pool.on('connect', (connection) => {
    const end = () => void connection.end().catch(() => undefined)
    lost.addEventListener('abort', end)
    if (lost.aborted) end()
  })
  return opened
}

/** `bigint`, and `numeric`, which is the sum of such numbers. All numbers of the stores are exact in JavaScript. */
const WHOLE_NUMBERS: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC])

export const numbers = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    WHOLE_NUMBERS.has(oid)
      ? Number
      : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}
