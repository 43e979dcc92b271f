/** Reads the records from PostgreSQL, through a pool with named prepared statements. */
import { createHash } from 'node:crypto'
import { Pool, type PoolConfig } from 'pg'
import { CONNECTIONS } from '../load.ts'
import { orderOf } from './filters.ts'
import { countSql, jsonColumn, pageSql, type Store } from './store.ts'

export const SCHEMA = 'tripfolio_bench'

const RECORDS_PER_FETCH = 1000

export function postgresStore(config: PoolConfig): Store {
  const pool = new Pool({ ...config, max: 2 * CONNECTIONS, options: `-c search_path=${SCHEMA},public` })
  const run = async <R extends object>(text: string, values: readonly unknown[]): Promise<readonly R[]> =>
    (await pool.query<R>({ name: nameOf(text), text, values: [...values] })).rows
  return {
    page: async (query) => {
      const { clientNumber, condition, limit, offset } = query
      const parameters = [clientNumber, ...condition.parameters]
      const [counted, rows] = await Promise.all([
        run<{ total: string }>(countSql(query), parameters),
        run<{ record: string }>(pageSql(query), [...parameters, limit, offset]),
      ])
      return { total: Number(counted[0]?.total), records: rows.map(({ record }) => record) }
    },
    async *all(list, clientNumber) {
      const connection = await pool.connect()
      try {
        await connection.query('begin read only')
        const sql = `declare export no scroll cursor for select ${jsonColumn[list]} as record from bookings b
          where b.client_number = $1 order by ${orderOf(undefined)}`
        await connection.query(sql, [clientNumber])
        while (true) {
          const { rows } = await connection.query<{ record: string }>(
            `fetch ${RECORDS_PER_FETCH} from export`,
          )
          if (rows.length === 0) break
          for (const { record } of rows) yield record
        }
      } finally {
        await connection.query('rollback')
        connection.release()
      }
    },
  }
}

const names = new Map<string, string>()

/** The name of a prepared statement; equal texts have the same name. */
function nameOf(text: string): string {
  const known = names.get(text) ?? createHash('sha256').update(text).digest('hex').slice(0, 32)
  names.set(text, known)
  return known
}
