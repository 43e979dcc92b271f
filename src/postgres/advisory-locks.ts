/**
 * Locks that all nodes on one database see, for work that one node at a time may do. A lock belongs to a connection: when its
 * process dies, the server releases it at once; when the machine dies, as soon as the server finds the connection dead
 * (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS).
 *
 * The holder asks the server for a sign of life every second, and gives the lock up after 3 s without one. The server waits for
 * 7 s, so a holder that is cut off has stopped before another node can have the lock.
 */
import { hostname } from 'node:os'
import { Client } from 'pg'
import { withSession } from './database-url.ts'
import { asDatabaseProblem } from './problems.ts'

/** What is locked. The numbers are in the databases of users and never change. */
const numberOf = {
  'scheduled-work': 1,
  refresh: 2,
  'store-copy': 3,
  'first-run': 4,
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
  /**
   * Aborted, with a Problem PGS101 as the reason, when the connection breaks or the server no longer answers: the server may
   * give the lock to another node.
   */
  readonly lost: AbortSignal
  readonly release: () => Promise<void>
}

const CONNECT_MS = 3000
const BEAT_EVERY_MS = 1000
/** How long the server may take to answer on the connection of a lock, which does nothing else. */
const ANSWER_MS = 2000
const RELEASE_MS = 1000

/** How long the server waits for a sign of life from a machine that is gone: 3 s, then twice 2 s. */
const SESSION = { tcp_keepalives_idle: '3', tcp_keepalives_interval: '2', tcp_keepalives_count: '2' }

/**
 * @returns null when another node, or this one, holds the lock
 * @throws Problem PGS1xx
 */
export async function tryAdvisoryLock(url: string, name: LockName): Promise<AdvisoryLock | null> {
  const lost = new AbortController()
  const { connectionString, setSession } = withSession(url, SESSION)
  const connection = new Client({
    connectionString,
    application_name: applicationOf(name),
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  })
  connection.on('error', (cause) => lost.abort(asDatabaseProblem(url, cause)))
  try {
    await connection.connect()
    await answerOf(connection, () => connection.query(setSession))
    const { rows } = await answerOf(connection, () =>
      connection.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', [
        SPACE,
        numberOf[name],
      ]),
    )
    if (rows[0]?.locked !== true) {
      await end(connection)
      return null
    }
    // What a broken connection throws here, its event has reported.
    const beat = () => void answerOf(connection, () => connection.query('select 1')).catch(() => undefined)
    const beats = setInterval(beat, BEAT_EVERY_MS).unref()
    lost.signal.addEventListener('abort', () => clearInterval(beats))
    return {
      lost: lost.signal,
      release: async () => {
        clearInterval(beats)
        await end(connection)
      },
    }
  } catch (cause) {
    await end(connection)
    throw asDatabaseProblem(url, cause)
  }
}

/** The host and the process that hold the lock, e.g. `node-a:4711`; undefined when nobody does, or nobody can be asked. */
export async function lockHolder(url: string, name: LockName): Promise<string | undefined> {
  const connection = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  connection.on('error', () => undefined)
  try {
    await connection.connect()
    const { rows } = await answerOf(connection, () =>
      connection.query<{ application_name: string }>(HOLDERS, [SPACE, numberOf[name]]),
    )
    return rows[0]?.application_name.slice(labelOf(name).length)
  } catch {
    return undefined
  } finally {
    await end(connection)
  }
}

/** https://www.postgresql.org/docs/current/view-pg-locks.html: the two numbers of a lock are `classid` and `objid`. */
const HOLDERS = `
  select activity.application_name
  from pg_locks as lock join pg_stat_activity as activity using (pid)
  where lock.locktype = 'advisory' and lock.granted and lock.classid::bigint = $1 and lock.objid::bigint = $2
    and lock.database = (select oid from pg_database where datname = current_database())`

const labelOf = (name: LockName): string => `tripfolio lock ${name} `

/** The server cuts it after 63 bytes. */
const applicationOf = (name: LockName): string => `${labelOf(name)}${hostname().slice(0, 25)}:${process.pid}`

/** Breaks the connection when the server takes too long: it would also take too long for anything else. */
async function answerOf<T>(connection: Client, ask: () => Promise<T>): Promise<T> {
  const late = setTimeout(
    () => breakOff(connection, new Error(`it did not answer within ${ANSWER_MS} ms`)),
    ANSWER_MS,
  )
  try {
    return await ask()
  } finally {
    clearTimeout(late)
  }
}

/** A server that does not answer does not end the connection either. */
async function end(connection: Client): Promise<void> {
  const late = setTimeout(() => breakOff(connection), RELEASE_MS)
  await connection.end().catch(() => undefined)
  clearTimeout(late)
}

const breakOff = ({ connection }: Client, cause?: Error): void => void connection.stream.destroy(cause)
