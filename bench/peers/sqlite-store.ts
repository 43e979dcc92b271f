/** Reads the records from a SQLite file, through node:sqlite with prepared statements. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { orderOf } from './filters.ts'
import { countSql, jsonColumn, pageSql, type Store } from './store.ts'

export function sqliteStore(file: string): Store {
  const database = new DatabaseSync(file, { readOnly: true })
  database.exec('pragma mmap_size = 2000000000; pragma cache_size = -65536; pragma temp_store = memory')
  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? database.prepare(sqliteText(sql))
    statements.set(sql, known)
    return known
  }
  return {
    page: async (query) => {
      const { clientNumber, condition, limit, offset } = query
      const parameters = [clientNumber, ...condition.parameters]
      const { total } = prepared(countSql(query)).get(...parameters) as { total: number }
      const rows = prepared(pageSql(query)).all(...parameters, limit, offset) as { record: string }[]
      return { total, records: rows.map(({ record }) => record) }
    },
    async *all(list, clientNumber) {
      const sql = `select ${jsonColumn[list]} as record from bookings b where b.client_number = $1 order by ${orderOf(undefined)}`
      // Each export has its own statement, so that the next export does not disturb its iterator.
      for (const row of database.prepare(sqliteText(sql)).iterate(clientNumber)) yield row.record as string
    },
  }
}

/** SQLite numbers its parameters ?1, ?2. */
const sqliteText = (sql: string): string => sql.replaceAll(/\$(\d+)/g, '?$1')
