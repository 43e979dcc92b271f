/** The query builder on one connection, which is closed with it. */
import { Kysely } from 'kysely'
import { type DialectOptions, nodeSqliteDialect } from './node-sqlite-dialect.ts'
import type { Connection } from './open-sqlite.ts'

export type OpenQueries<Tables> = {
  readonly queries: Kysely<Tables>
  readonly close: () => Promise<void>
}

export function openQueries<Tables>(
  connection: Connection,
  path: string,
  options?: DialectOptions,
): OpenQueries<Tables> {
  const queries = new Kysely<Tables>({ dialect: nodeSqliteDialect(connection, path, options) })
  return {
    queries,
    close: async () => {
      await queries.destroy()
      // The builder leaves a connection open that it never used.
      if (connection.isOpen) connection.close()
    },
  }
}
