/** What can go wrong with a PostgreSQL server (PGS1xx). Messages name the server and the database, and never a password. */
import { Problem } from '../kernel/problem.ts'
import { showDatabase } from './database-url.ts'

/** The database can be neither read nor written, whatever is asked of it. */
class AwayProblem extends Problem {}

export const isDatabaseAway = (error: unknown): error is Problem => error instanceof AwayProblem

/** The server cannot be reached at the moment, ends connections, or starts up: trying again may succeed. */
const databaseAway = (url: string, cause: unknown) =>
  new AwayProblem('PGS101', `The database ${showDatabase(url)} cannot be reached: ${reasonOf(cause)}`, {
    hint: 'Try again. Operators: check that PostgreSQL is running and can be reached from this machine.',
    forCallers: 'The service cannot reach its database at the moment. Try again.',
    cause,
  })

const poolIsBusy = (url: string, waitedMs: number, cause: unknown) =>
  new Problem(
    'PGS102',
    `No connection to the database ${showDatabase(url)} became free within ${waitedMs} ms`,
    {
      hint: 'Try again later. Operators: slow queries hold the connections, or there are too few of them.',
      forCallers: 'The database of the service is busy. Try again later.',
      cause,
    },
  )

/** The server ended a statement that took longer than it may. */
const statementTimedOut = (url: string, cause: unknown) =>
  new Problem('PGS103', `The database ${showDatabase(url)} took too long to answer`, {
    hint: 'Try again later, or with a filter that selects fewer records.',
    forCallers:
      'The database of the service took too long to answer. Try again later, or with a filter that selects fewer records.',
    cause,
  })

const databaseRefused = (url: string, cause: unknown) =>
  new AwayProblem('PGS104', `The database ${showDatabase(url)} refuses the connection: ${reasonOf(cause)}`, {
    hint: 'Check user, password, database name and rights in the URL, and pg_hba.conf of the server.',
    cause,
  })

/** The server answered with an error that no retry mends: a full disk, missing rights, a table that is not there. */
const databaseFailed = (url: string, cause: unknown) =>
  new Problem('PGS105', `The database ${showDatabase(url)} failed: ${reasonOf(cause)}`, {
    hint: 'The log of the PostgreSQL server has the details.',
    cause,
  })

/** Locks, settings and prepared statements of a session would belong to whoever has it next. */
export const transactionPooling = (url: string) =>
  new Problem(
    'PGS106',
    `A pooler lets several connections to the database ${showDatabase(url)} share one session`,
    {
      hint: 'Let the pooler give each connection a session of its own (PgBouncer: pool_mode = session), or name the server itself in the URL.',
    },
  )

/**
 * Turns what the driver throws into a problem. A problem stays as it is.
 *
 * @param waitedMs how long a request may wait for a connection of the pool
 */
export function asDatabaseProblem(url: string, cause: unknown, waitedMs = 0): Problem {
  if (cause instanceof Problem) return cause
  const code = codeOf(cause)
  if (code === undefined) {
    if (isPoolTimeout(cause)) return poolIsBusy(url, waitedMs, cause)
    // The driver reports a connection that broke with plain errors: "Connection terminated unexpectedly".
    return databaseAway(url, cause)
  }
  if (code === QUERY_CANCELED) return statementTimedOut(url, cause)
  if (!SQLSTATE.test(code) || AWAY.test(code)) return databaseAway(url, cause)
  return REFUSED.test(code) ? databaseRefused(url, cause) : databaseFailed(url, cause)
}

const SQLSTATE = /^[0-9A-Z]{5}$/

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const QUERY_CANCELED = '57014'

/** Broken connections, too many of them, shutdown and start-up, read-only while a standby takes over. */
const AWAY = /^(?:08|57P|53300|25006)/

/** Password, unknown database, missing right to connect. */
const REFUSED = /^(?:28|3D000|42501)/

/** The SQLSTATE that the server gave for the fault behind a problem; undefined when it gave none. */
export const sqlStateOf = (problem: unknown): string | undefined =>
  problem instanceof Problem ? codeOf(problem.cause) : undefined

const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined

/** https://github.com/brianc/node-postgres/tree/master/packages/pg-pool: the text is all that tells it apart. */
const isPoolTimeout = (cause: unknown): boolean =>
  cause instanceof Error && cause.message.includes('timeout exceeded when trying to connect')

function reasonOf(cause: unknown): string {
  // Node tries every address of a host, and puts the reasons together in an error without a text of its own.
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message
  return cause instanceof Error ? cause.message : String(cause)
}
