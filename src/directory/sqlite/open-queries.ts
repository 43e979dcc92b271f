/** The query builder on one connection, with what it is too slow for; all of it is closed with the connection. */
import { type CompiledQuery, Kysely } from 'kysely'
import type { LatestReads, Queries } from '../database.ts'
import { type DialectOptions, nodeSqliteDialect, toInputValue } from './node-sqlite-dialect.ts'
import type { Connection, Statement } from './open-sqlite.ts'
import { isBusy, storeProblem, whenFree } from './sqlite-file.ts'

export type OpenQueries<Tables> = Queries<Tables> &
  Pick<LatestReads<Tables>, 'prepare'> & { readonly close: () => Promise<void> }

export function openQueries<Tables>(
  connection: Connection,
  path: string,
  options: DialectOptions = {},
): OpenQueries<Tables> {
  const queries = new Kysely<Tables>({ dialect: nodeSqliteDialect(connection, path, options) })
  return {
    queries,
    runEach: openRunEach<Tables>(connection, path, options),
    prepare: openPrepare<Tables>(connection, path),
    close: async () => {
      await queries.destroy()
      // The builder leaves a connection open that it never used.
      if (connection.isOpen) connection.close()
    },
  }
}

/** The transaction is that of the connection, and has the write lock. */
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
  <Tables>(connection: Connection, path: string): LatestReads<Tables>['prepare'] =>
  (query) => {
    const { sql } = query.compile()
    let statement: Statement | undefined
    return (values) => {
      const ask = () => {
        statement ??= connection.prepare(sql)
        // Its columns are those of the query.
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
