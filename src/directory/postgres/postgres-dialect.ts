/**
 * Lets Kysely speak to the pool of a store. A transaction shuts out the other writers of all nodes until it ends: it takes an
 * advisory lock when it begins, and reads what was committed before.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { PoolClient } from 'pg'
import { type LockName, lockCall } from '../../postgres/advisory-locks.ts'
import type { DatabasePool } from '../../postgres/connect.ts'
import { asDatabaseProblem, isDatabaseAway } from '../../postgres/problems.ts'
import type { StoreWatch } from './store-watch.ts'

export type DialectOptions = {
  readonly watch: StoreWatch
  /** The lock that transactions hold; null for transactions that shut nobody out. */
  readonly lock: LockName | null
  /** Commits do not wait for the disk. */
  readonly relaxed?: boolean
}

export const postgresDialect = (pool: DatabasePool, options: DialectOptions): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new StoreDriver(pool, options),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})

export type PostgresConnection = DatabaseConnection & {
  /** Runs one statement with each of these values. @returns how many rows each of them changed */
  readonly runEach: (
    query: CompiledQuery<unknown>,
    values: readonly (readonly unknown[])[],
  ) => Promise<readonly number[]>
}

/** A connection of the pool, until it is released. */
type Held = PostgresConnection & {
  readonly client: PoolClient
  /** Closes the connection when it is released. */
  isBroken: boolean
  readonly giveBack: () => void
}

class StoreDriver implements Driver {
  readonly #pool: DatabasePool
  readonly #watch: StoreWatch
  readonly #begin: string

  constructor(pool: DatabasePool, { watch, lock, relaxed = false }: DialectOptions) {
    this.#pool = pool
    this.#watch = watch
    this.#begin = [
      'begin',
      ...(relaxed ? ['set local synchronous_commit = off'] : []),
      ...(lock === null ? [] : [`select ${lockCall('pg_advisory_xact_lock', lock)}`]),
    ].join('; ')
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<DatabaseConnection> {
    const { promise, resolve, reject } = Promise.withResolvers<DatabaseConnection>()
    let isHad = false
    const held = this.#pool.withConnection(
      (client) =>
        new Promise<void>((done, fail) => {
          isHad = true
          resolve(this.#hold(client, done, fail))
        }),
    )
    held.catch((problem) => {
      // What failed on a connection was thrown by the statement that met it.
      if (isHad) return
      this.#watch.failed(problem)
      reject(problem)
    })
    return promise
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    ;(connection as Held).giveBack()
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const held = connection as Held
    try {
      await this.#run(held, (client) => client.query(this.#begin))
    } catch (problem) {
      // It may have begun without the lock, and nobody rolls it back.
      held.isBroken = true
      throw problem
    }
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#run(connection as Held, (client) => client.query('commit'))
    this.#watch.worked()
  }

  /** Closing the connection rolls back as well. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const held = connection as Held
    if (!held.isBroken) await this.#run(held, (client) => client.query('rollback'))
  }

  /** Others use the pool too. */
  async destroy(): Promise<void> {}

  #hold(client: PoolClient, done: () => void, fail: (cause: unknown) => void): Held {
    const held: Held = {
      client,
      isBroken: false,
      giveBack: () => (held.isBroken ? fail(new Error('A statement has failed')) : done()),
      executeQuery: (query) => this.#run(held, () => execute(client, query)),
      runEach: (query, values) => this.#run(held, () => executeEach(client, query, values)),
      // Results of the stores are small, so a stream gets them as one chunk.
      streamQuery: async function* <Row>(this: Held, query: CompiledQuery) {
        yield await this.executeQuery<Row>(query)
      },
    }
    return held
  }

  async #run<T>(held: Held, work: (client: PoolClient) => Promise<T>): Promise<T> {
    try {
      return await work(held.client)
    } catch (cause) {
      // A defect of ours, as on SQLite: the tables refuse the row, and the connection is sound.
      if (isConstraint(cause)) throw cause
      const problem = asDatabaseProblem(this.#pool.url, cause)
      // Otherwise the server has refused a statement, and a rollback makes the connection usable again.
      held.isBroken ||= isDatabaseAway(problem)
      this.#watch.failed(problem)
      throw problem
    }
  }
}

async function execute<Row>(
  client: PoolClient,
  { sql, parameters }: CompiledQuery,
): Promise<QueryResult<Row>> {
  const { rows, rowCount } = await client.query(sql, parameters.map(toParameter))
  return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
}

/** The connection sends all of them before the first is answered. The server reads the statement once. */
async function executeEach(
  client: PoolClient,
  query: CompiledQuery<unknown>,
  values: readonly (readonly unknown[])[],
): Promise<readonly number[]> {
  const name = names.get(query) ?? `each-${++named}`
  names.set(query, name)
  const run = (each: readonly unknown[]) =>
    client.query({ name, text: query.sql, values: each.map(toParameter) })
  const results = await Promise.allSettled(values.map(run))
  return results.map((result) => {
    // After the first failure the server refuses the others.
    if (result.status === 'rejected') throw result.reason
    return result.value.rowCount ?? 0
  })
}

const names = new WeakMap<CompiledQuery<unknown>, string>()
let named = 0

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: class 23, violations of constraints. */
const isConstraint = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' && /^23/.test(cause.code)

/** Texts of PostgreSQL cannot hold the character 0, which no text of a person has: it becomes the replacement character. */
export const toParameter = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
