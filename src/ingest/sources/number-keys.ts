/**
 * Keys that a typed file holds as numbers have lost their leading zeros: 7 may be `007`. That is fine while the parents hold
 * only one of the two; where they hold both, nobody can say whose a row is, and the file is refused.
 */
import { keyIsNumber } from '../problems.ts'
import { list } from '../sql-text.ts'
import { stagedTable } from '../staging.ts'
import type { WorkDatabase } from '../work-database.ts'
import type { SourceFile, TablePart } from './table-part.ts'

/** Whether a column of this type of the database holds numbers. */
export const isNumberType = (type: string): boolean =>
  /^(U?(TINY|SMALL|BIG|HUGE)?INT|DECIMAL|DOUBLE|FLOAT)/.test(type)

const NUMBER = `'[0-9]+(\\.0+)?'`

/** The number as it is written without zeros that say nothing. */
const plain = (column: string): string =>
  `regexp_replace(regexp_replace(${column}, '\\.0+$', ''), '^0+([0-9])', '\\1')`

/**
 * Asked once the part is staged; its parents are before it.
 *
 * @throws Problem ING119
 */
export async function refuseNumberKeys(
  { table, file }: SourceFile,
  { numberColumns = [] }: TablePart,
  database: WorkDatabase,
): Promise<void> {
  const { parent } = table
  if (parent === undefined) return
  // Lines need not name their client.
  const columns = parent.unowned === undefined ? parent.columns : ['client_number', ...parent.unowned.columns]
  for (const column of columns.filter((each) => numberColumns.includes(each))) {
    const beside = (parent.unowned?.columns ?? columns).filter((other) => other !== column)
    const [found] = await database.rows(
      `SELECT min(${column}), max(${column}) FROM ${stagedTable(parent.table)}
       WHERE regexp_full_match(${column}, ${NUMBER})
         AND ${plain(column)} IN (SELECT ${plain(column)} FROM ${stagedTable(table.name)})
       GROUP BY ${list([plain(column), ...beside])} HAVING min(${column}) <> max(${column}) LIMIT 1`,
    )
    if (found !== undefined) {
      throw keyIsNumber(table.name, file, column, parent.table, found.map(String))
    }
  }
}
