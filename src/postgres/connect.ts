/** Opens a pool of connections to a PostgreSQL database for one use, with faults as Problems (PGS1xx). */
import { type CustomTypesConfig, Pool, type PoolClient, type PoolConfig } from 'pg'
import type { Problem } from '../kernel/problem.ts'
import { withSession } from './database-url.ts'
import { asDatabaseProblem } from './problems.ts'

export type DatabasePool = {
  readonly url: string
  /** The pool of the driver, for libraries that want one. Its errors are those of the driver. */
  readonly pool: Pool
  /**
   * Runs `work` on one connection. The connection goes back into the pool, or is closed when it broke or `work` failed, because
   * nobody knows in which state a failure left it.
   *
   * @throws Problem PGS1xx for faults of the database
   */
  readonly withConnection: <T>(work: (connection: PoolClient) => Promise<T>) => Promise<T>
  /**
   * Takes a connection for work that ends later, such as a cursor. The caller must release it.
   *
   * @throws Problem PGS1xx
   */
  readonly hold: () => Promise<HeldConnection>
  /** Runs `work` in a transaction of one connection: commits when it resolves, rolls back when it rejects. */
  readonly transaction: <T>(work: (connection: PoolClient) => Promise<T>, begin?: string) => Promise<T>
  /** Waits for the connections in use. */
  readonly close: () => Promise<void>
}

export type HeldConnection = {
  readonly connection: PoolClient
  /** Gives the connection back, or closes it when something failed on it. */
  readonly release: (failure?: unknown) => void
  /** Whether it has ended on its own. */
  readonly isBroken: () => boolean
  /** What the driver threw, as a Problem. */
  readonly problemOf: (cause: unknown) => Problem
}

export type PoolOptions = {
  readonly url: string
  /** Shown by `pg_stat_activity`, e.g. `tripfolio store`. */
  readonly use: string
  /** The most connections. */
  readonly connections: number
  /** How long a query may wait for a connection, in milliseconds. */
  readonly waitMs?: number
  /** How long one statement may take, in milliseconds; 0 means no limit. */
  readonly statementMs?: number
  /** How long a connection lasts, in seconds; without it, as long as it is used. */
  readonly lifetimeSeconds?: number
  /**
   * After how long without an answer the connection counts as broken, in milliseconds: a machine that is gone says nothing. By
   * default it is waited for.
   */
  readonly answerMs?: number
  /** Sends the next statement before the one before is answered. Such a connection takes no cursors. */
  readonly pipeline?: boolean
  /** How values are read, in place of the driver's defaults. */
  readonly types?: CustomTypesConfig
  /** Settings of the session, such as `synchronous_commit`. */
  readonly session?: Readonly<Record<string, string>>
}

const WAIT_MS = 5000
const IDLE_MS = 60_000
const KEEP_ALIVE_AFTER_MS = 10_000

export function openPool({
  url,
  use,
  connections,
  waitMs = WAIT_MS,
  statementMs = 0,
  lifetimeSeconds = 0,
  answerMs,
  pipeline = false,
  types,
  session = {},
}: PoolOptions): DatabasePool {
  const { connectionString, setSession } = withSession(url, {
    statement_timeout: `${statementMs}`,
    // Times and numbers are read and written as text in one form, whatever the server's defaults.
    timezone: 'UTC',
    datestyle: 'ISO',
    ...session,
  })
  const config: PoolConfig = {
    connectionString,
    // The pool waits for it before it gives the connection to anyone.
    onConnect: async (connection) => {
      const setting = { text: setSession, query_timeout: waitMs }
      await connection.query(setting)
    },
    application_name: use,
    max: connections,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: lifetimeSeconds,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    query_timeout: answerMs,
    pipeline,
    types,
  }
  const pool = new Pool(config)
  // Without a listener, an idle connection that breaks would end the process. The pool has removed it already.
  pool.on('error', () => undefined)
  const broken = new WeakSet<PoolClient>()
  // One that breaks while it is held would end it as well. Its statement fails.
  pool.on('connect', (connection) => connection.on('error', () => broken.add(connection)))

  const problemOf = (cause: unknown) => asDatabaseProblem(url, cause, waitMs)

  const hold: DatabasePool['hold'] = async () => {
    const connection = await pool.connect().catch((cause: unknown) => {
      throw problemOf(cause)
    })
    // The pool itself closes a connection that broke meanwhile.
    const release = (failure?: unknown) => connection.release(failure !== undefined)
    return { connection, release, isBroken: () => broken.has(connection), problemOf }
  }

  const withConnection: DatabasePool['withConnection'] = async (work) => {
    const { connection, release } = await hold()
    try {
      const result = await work(connection)
      release()
      return result
    } catch (cause) {
      release(cause ?? new Error('The work failed'))
      throw problemOf(cause)
    }
  }

  return {
    url,
    pool,
    withConnection,
    hold,
    transaction: (work, begin = 'begin') =>
      withConnection(async (connection) => {
        await connection.query(begin)
        // A failure closes the connection, and the server rolls back.
        const result = await work(connection)
        await connection.query('commit')
        return result
      }),
    close: () => pool.end(),
  }
}
