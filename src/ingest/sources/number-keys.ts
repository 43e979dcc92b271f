/**
 * Keys that a typed file holds as numbers have lost their leading zeros: 7 may be `007`. That is fine while the parents hold
 * only one of the two; where they hold both, nobody can say whose a row is, and the file is refused.
 */
import { clientIsNumber, keyIsNumber } from '../problems.ts'
import { list } from '../sql-text.ts'
import { stagedTable } from '../staging.ts'
import type { WorkDatabase } from '../work-database.ts'
import type { SourceFile, TablePart } from './table-part.ts'

/** Whether a column of this type of the database holds numbers. */
export const isNumberType = (type: string): boolean =>
  /^(U?(TINY|SMALL|BIG|HUGE)?INT|DECIMAL|DOUBLE|FLOAT)/.test(type)

/** What is the same for all texts of one number: the first tells long numbers apart, the second what stands behind a point. */
const numberOf = (column: string): string =>
  `(coalesce(try_cast(${column} AS HUGEINT), 0), try_cast(${column} AS DOUBLE))`

/**
 * Asked once the part is staged; its parents are before it.
 *
 * @throws Problem ING119, or ING117 when clients themselves may have become one
 */
export async function refuseNumberKeys(
  { table, file }: SourceFile,
  { numberColumns = [] }: TablePart,
  database: WorkDatabase,
): Promise<void> {
  const { parent } = table
  if (parent === undefined) return refuseMergedClients(file, numberColumns, database)
  // Lines need not name their client.
  const columns = parent.unowned === undefined ? parent.columns : ['client_number', ...parent.unowned.columns]
  for (const column of columns.filter((each) => numberColumns.includes(each))) {
    const beside = (parent.unowned?.columns ?? columns).filter((other) => other !== column)
    const [found] = await database.rows(
      `SELECT min(${column}), max(${column}) FROM ${stagedTable(parent.table)}
       WHERE try_cast(${column} AS DOUBLE) IS NOT NULL
         AND ${numberOf(column)} IN (SELECT ${numberOf(column)} FROM ${stagedTable(table.name)})
       GROUP BY ${list([numberOf(column), ...beside])} HAVING min(${column}) <> max(${column}) LIMIT 1`,
    )
    if (found !== undefined) {
      throw keyIsNumber(table.name, file, column, parent.table, found.map(String))
    }
  }
}

/** Nothing is left to compare them with: all that belongs to `007` would belong to 7. */
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
