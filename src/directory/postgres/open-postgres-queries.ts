/** Opens the query builder on the pool of a store, and a faster way to write many rows. */
import { HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression } from 'kysely'
import type { DatabasePool } from '../../postgres/connect.ts'
import type { Prepare, Queries } from '../database.ts'
import { type DialectOptions, type PostgresConnection, postgresDialect } from './postgres-dialect.ts'

/** PostgreSQL has no empty lists; on SQLite nothing is in them. */
const emptyLists = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })

export const openPostgresQueries = <Tables>(
  pool: DatabasePool,
  options: DialectOptions,
): Queries<Tables> => ({
  queries: new Kysely<Tables>({ dialect: postgresDialect(pool, options), plugins: [emptyLists] }),
  runEach: (transaction, query, values) =>
    transaction
      .getExecutor()
      .provideConnection((connection) => (connection as PostgresConnection).runEach(query, values)),
})

export const prepareOn =
  <Tables>(queries: Kysely<Tables>): Prepare =>
  (query) => {
    const compiled = query.compile()
    return async (values) => {
      const { rows } = await queries.executeQuery({ ...compiled, parameters: values })
      return rows as never
    }
  }
