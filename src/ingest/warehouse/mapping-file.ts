/**
 * Reads the mapping of a warehouse: for each table a view in the SQL of PostgreSQL. The views are not created; a refresh runs
 * their queries. The same file run by psql would create them.
 *
 *     mapping   = { statement ";" }
 *     statement = CREATE [OR REPLACE] [TEMP | TEMPORARY] VIEW table AS query
 *
 * Accepted: CREATE VIEW clients AS SELECT debtor_no AS client_number, name FROM debtors;
 * Refused:  SET work_mem = '1GB';   CREATE VIEW debtors AS SELECT ...;   a quote or a comment that is not closed
 */
import { closest } from '../../kernel/closest.ts'
import type { TableName } from '../../schema/extract-tables.ts'
import { mappingText } from '../guard/mapping-text.ts'
import { lineAt, shownStart, statementsOf } from '../guard/statements.ts'
import { ingestedTables } from '../tables.ts'
import { mappingUnreadable, mappingUnusable } from './problems.ts'

export type MappedView = {
  readonly table: TableName
  readonly query: string
  /** The line in the file in which the query begins, from 1. */
  readonly line: number
}

/** @throws Problem ING151 */
export async function readMapping(path: string): Promise<readonly MappedView[]> {
  const text = await mappingText(path).catch((cause: unknown) => {
    throw mappingUnreadable(path, cause)
  })
  return parseMapping(text, path)
}

/** @throws Problem ING151 */
export function parseMapping(text: string, path: string): readonly MappedView[] {
  const refuse = (at: number, reason: string) => mappingUnusable(path, lineAt(text, at), reason)
  const views: MappedView[] = []
  for (const statement of statementsOf(text, refuse)) {
    const start = statement[0]?.start ?? 0
    const words = statement.map(({ text }) => text.toLowerCase())
    const head = /^create (or replace )?(temp(orary)? )?view \S+ as /.exec(words.slice(0, 8).join(' '))
    if (head === null) throw refuse(start, `'${shownStart(statement)}' is no CREATE VIEW ... AS SELECT ...`)
    const count = head[0].trim().split(' ').length
    const name = words[count - 2]?.replace(/^"(.*)"$/, '$1') ?? ''
    const table = ingestedTables.find((known) => known.name === name)?.name
    if (table === undefined) throw refuse(start, notATable(name))
    if (views.some((view) => view.table === table)) throw refuse(start, `view '${table}' occurs twice`)
    const query = statement.slice(count)
    const [from, to] = [query[0]?.start ?? 0, query.at(-1)?.end ?? 0]
    views.push({ table, query: text.slice(from, to), line: lineAt(text, from) })
  }
  if (views.length === 0) throw refuse(text.length, 'it has no view')
  return views
}

function notATable(name: string): string {
  const names = ingestedTables.map((table) => table.name)
  const near = closest(name, names)
  return `no table is called '${name}'${near === undefined ? `; the tables are ${names.join(', ')}` : `. Is '${near}' meant?`}`
}
