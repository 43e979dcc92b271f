/**
 * Locks that all nodes on one database see, for work that one node at a time may do. A lock belongs to a connection: when its
 * process dies, the server releases it at once; when the machine dies, as soon as the server finds the connection dead
 * (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS).
 */
import { Client } from 'pg'
import { asDatabaseProblem } from './problems.ts'

/** What is locked. The numbers are in the databases of users and never change. */
const numberOf = {
  'scheduled-work': 1,
  refresh: 2,
  'store-copy': 3,
  'store-tables': 11,
  'control-writes': 12,
  'history-writes': 13,
} as const

/** The first of the two numbers of a lock, so that locks of other programs in the database are others. */
const SPACE = 0x54524950

export type LockName = keyof typeof numberOf

/** The call of a lock function for this lock, such as `pg_advisory_xact_lock`, as SQL. */
export const lockCall = (lockFunction: `pg_advisory_${string}`, name: LockName): string =>
  `${lockFunction}(${SPACE}, ${numberOf[name]})`

export type AdvisoryLock = {
  /** Aborted when the connection breaks: the server may have given the lock to another node by then. */
  readonly lost: AbortSignal
  readonly release: () => Promise<void>
}

/** How long the server waits for a sign of life from a machine that is gone: 3 s, then twice 2 s. */
const SESSION = '-c tcp_keepalives_idle=3 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=2'

/**
 * @returns null when another node, or this one, holds the lock
 * @throws Problem PGS1xx
 */
export async function tryAdvisoryLock(url: string, name: LockName): Promise<AdvisoryLock | null> {
  const lost = new AbortController()
  const connection = new Client({
    connectionString: url,
    application_name: `tripfolio lock ${name}`,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    options: SESSION,
  })
  connection.on('error', (cause) => lost.abort(asDatabaseProblem(url, cause)))
  try {
    await connection.connect()
    const { rows } = await connection.query<{ locked: boolean }>(
      'select pg_try_advisory_lock($1, $2) as locked',
      [SPACE, numberOf[name]],
    )
    if (rows[0]?.locked === true) {
      return { lost: lost.signal, release: () => connection.end().catch(() => undefined) }
    }
    await connection.end()
    return null
  } catch (cause) {
    await connection.end().catch(() => undefined)
    throw asDatabaseProblem(url, cause)
  }
}

const CONNECT_MS = 5000
