/**
 * Lets Kysely speak to `node:sqlite`: one connection, handed to one query or transaction at a time. Transactions take the
 * write lock when they begin, so that what they read cannot change before they write.
 */
import type { SQLInputValue } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Connection, Statement } from './open-sqlite.ts'
import { PATIENCE_MS, whenFree } from './sqlite-file.ts'
import { type WriteWatch, watchWrites } from './write-watch.ts'

export type DialectOptions = {
  readonly watch?: WriteWatch
  /** How long a transaction waits for other writers; by default ten seconds. */
  readonly patienceMs?: number
}

export const nodeSqliteDialect = (
  database: Connection,
  path: string,
  { watch = watchWrites(), patienceMs = PATIENCE_MS }: DialectOptions = {},
): Dialect => ({
  createAdapter: () => new TransactionalDdlAdapter(),
  createDriver: () => new NodeSqliteDriver(database, path, watch, patienceMs),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})

/** SQLite rolls tables back like rows. Saying so makes the migrator run all pending steps in one transaction. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class NodeSqliteDriver implements Driver {
  readonly #database: Connection
  readonly #connection: DatabaseConnection
  readonly #path: string
  readonly #watch: WriteWatch
  readonly #patienceMs: number
  /** Settles when the connection's last user in the queue has released it. */
  #lastRelease: Promise<void> = Promise.resolve()
  #release = (): void => {}
  /** While the store cannot be written: the rows that had been changed when the transaction began. */
  #changesBefore = Infinity

  constructor(database: Connection, path: string, watch: WriteWatch, patienceMs: number) {
    this.#database = database
    this.#path = path
    this.#watch = watch
    this.#patienceMs = patienceMs
    this.#connection = connectionTo(database, path, watch)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const previous = this.#lastRelease
    this.#lastRelease = promise
    await previous
    this.#release = resolve
    return this.#connection
  }

  async releaseConnection(): Promise<void> {
    this.#release()
  }

  async beginTransaction(): Promise<void> {
    const begin = () => this.#database.exec('begin immediate')
    await watched(this.#watch, () => whenFree(this.#path, begin, this.#patienceMs))
    if (this.#watch.isFailing()) this.#changesBefore = totalChanges(this.#database)
  }

  async commitTransaction(): Promise<void> {
    await watched(this.#watch, () => whenFree(this.#path, () => this.#database.exec('commit')))
    // A transaction without a change succeeds on a read-only disk, too: it proves nothing.
    if (this.#watch.isFailing() && totalChanges(this.#database) > this.#changesBefore) this.#watch.worked()
  }

  /** After some errors, such as a full disk, SQLite has rolled back already. */
  async rollbackTransaction(): Promise<void> {
    if (this.#database.isTransaction) this.#database.exec('rollback')
  }

  async destroy(): Promise<void> {
    if (this.#database.isOpen) this.#database.close()
  }
}

const totalChanges = (database: Connection): number =>
  Number(database.prepare('select total_changes() as changed').get()?.changed)

/** The most prepared statements that a connection keeps. */
const MOST_STATEMENTS = 200

function connectionTo(database: Connection, path: string, watch: WriteWatch): DatabaseConnection {
  const statements = new Map<string, Prepared>()
  const prepared = (sql: string): Prepared => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = database.prepare(sql)
    const made = { statement, hasRows: statement.columns().length > 0 }
    // Statements with lists of values would pile up; the others are soon prepared again.
    if (statements.size === MOST_STATEMENTS) statements.clear()
    statements.set(sql, made)
    return made
  }
  const execute = <Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> => {
    const { statement, hasRows } = prepared(sql)
    const values = parameters.map(toInputValue)
    if (hasRows) return { rows: statement.all(...values) as Row[] }
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
  }
  return {
    executeQuery: (query) => watched(watch, () => whenFree(path, () => execute(query))),
    // Results of the control store are small, so a stream gets them as one chunk.
    async *streamQuery<Row>(query: CompiledQuery) {
      yield await whenFree(path, () => execute<Row>(query))
    },
  }
}

async function watched<T>(watch: WriteWatch, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    watch.failed(error)
    throw error
  }
}

type Prepared = { readonly statement: Statement; readonly hasRows: boolean }

export function toInputValue(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value
  }
  if (value instanceof Uint8Array) return value
  throw new TypeError(`The control store holds text, numbers, bytes and null, not ${typeof value}`)
}
