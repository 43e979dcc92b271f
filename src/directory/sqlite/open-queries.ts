/** Opens the query builder on one connection, and two faster ways to run queries; `close` closes the connection too. */
import { type CompiledQuery, Kysely } from 'kysely'
import type { Prepare, Queries } from '../database.ts'
import { type DialectOptions, nodeSqliteDialect, toInputValue } from './node-sqlite-dialect.ts'
import type { Connection, Statement } from './open-sqlite.ts'
import { isBusy, storeProblem, whenFree } from './sqlite-file.ts'

export type OpenQueries<Tables> = Queries<Tables> & {
  readonly prepare: Prepare
  readonly close: () => Promise<void>
}

export function openQueries<Tables>(
  connection: Connection,
  path: string,
  options: DialectOptions = {},
): OpenQueries<Tables> {
  const queries = new Kysely<Tables>({ dialect: nodeSqliteDialect(connection, path, options) })
  return {
    queries,
    runEach: openRunEach<Tables>(connection, path, options),
    prepare: openPrepare(connection, path),
    close: async () => {
      await queries.destroy()
      // The builder does not close a connection that it never used.
      if (connection.isOpen) connection.close()
    },
  }
}

/** The connection has one transaction at a time, which has the write lock: hence the argument is not needed. */
function openRunEach<Tables>(
  connection: Connection,
  path: string,
  { watch }: DialectOptions,
): Queries<Tables>['runEach'] {
  const statements = new WeakMap<CompiledQuery<unknown>, Statement>()
  return async (_transaction, query, values) => {
    try {
      const statement = statements.get(query) ?? connection.prepare(query.sql)
      statements.set(query, statement)
      return values.map((each) => Number(statement.run(...each.map(toInputValue)).changes))
    } catch (error) {
      const problem = storeProblem(path, error)
      watch?.failed(problem)
      throw problem
    }
  }
}

const openPrepare =
  (connection: Connection, path: string): Prepare =>
  (query) => {
    const { sql } = query.compile()
    let statement: Statement | undefined
    return (values) => {
      const ask = () => {
        statement ??= connection.prepare(sql)
        // The type Row is that of the query, whose columns the statement returns.
        return statement.all(...values.map(toInputValue)) as never
      }
      try {
        return ask()
      } catch (error) {
        if (!isBusy(error)) throw storeProblem(path, error)
        return whenFree(path, ask)
      }
    }
  }
