/**
 * Refuses keys that are ambiguous as numbers. A key that a typed file stores as a number has no leading zeros: 7 may be
 * `007`. That is harmless while the parent table has only one of the two; when it has both, the file is refused.
 */
import { clientIsNumber, keyIsNumber } from '../problems.ts'
import { list } from '../sql-text.ts'
import { stagedTable } from '../staging.ts'
import type { WorkDatabase } from '../work-database.ts'
import type { SourceFile, TablePart } from './table-part.ts'

/** Whether a column of this type of the database holds numbers. */
export const isNumberType = (type: string): boolean =>
  /^(U?(TINY|SMALL|BIG|HUGE)?INT|DECIMAL|DOUBLE|FLOAT)/.test(type)

/** Equal for all texts of one number: the integer tells long numbers apart, the double tells decimal places apart. */
const numberOf = (column: string): string =>
  `(coalesce(try_cast(${column} AS HUGEINT), 0), try_cast(${column} AS DOUBLE))`

/**
 * Runs after the part and the tables of its parents are staged.
 *
 * @throws Problem ING119, or ING117 when two clients may have become one
 */
export async function refuseNumberKeys(
  { table, file }: SourceFile,
  { numberColumns = [] }: TablePart,
  database: WorkDatabase,
): Promise<void> {
  const { parent } = table
  if (parent === undefined) return refuseMergedClients(file, numberColumns, database)
  // Invoice lines and payments need not name their client.
  const columns = parent.unowned === undefined ? parent.columns : ['client_number', ...parent.unowned.columns]
  for (const column of columns.filter((each) => numberColumns.includes(each))) {
    const otherKeys = (parent.unowned?.columns ?? columns).filter((other) => other !== column)
    const [found] = await database.rows(
      `SELECT min(${column}), max(${column}) FROM ${stagedTable(parent.table)}
       WHERE try_cast(${column} AS DOUBLE) IS NOT NULL
         AND ${numberOf(column)} IN (SELECT ${numberOf(column)} FROM ${stagedTable(table.name)})
       GROUP BY ${list([numberOf(column), ...otherKeys])} HAVING min(${column}) <> max(${column}) LIMIT 1`,
    )
    if (found !== undefined) {
      throw keyIsNumber(table.name, file, column, parent.table, found.map(String))
    }
  }
}

/** Clients have no parent to compare with: if `007` became 7, all rows of client `007` would belong to client 7. */
async function refuseMergedClients(
  file: string,
  numberColumns: readonly string[],
  database: WorkDatabase,
): Promise<void> {
  if (!numberColumns.includes('client_number')) return
  const [found] = await database.rows(
    `SELECT client_number, count(*) FROM ${stagedTable('clients')} WHERE client_number IS NOT NULL
     GROUP BY client_number HAVING count(*) > 1 ORDER BY client_number LIMIT 1`,
  )
  if (found !== undefined) throw clientIsNumber(file, String(found[0]), Number(found[1]))
}
