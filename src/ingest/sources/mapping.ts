/**
 * Runs the operator's own mapping: a `tripfolio.sql` in the source folder, whose views supply tables. A view with a table's
 * name is read instead of the table's files.
 */
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { mappingFailed } from '../problems.ts'
import { literal, name } from '../sql-text.ts'
import { holdsCardNumbers, ingestedTables } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import { type StatedEncodings, statedEncodings } from './encodings.ts'
import type { ReadPart } from './table-part.ts'
import { readTyped } from './typed-columns.ts'

export const MAPPING_FILE = 'tripfolio.sql'

/** Restores how a refresh compares and orders text, which a mapping may not change: `a1` and `A1` are two clients. */
const ownSettings = [
  `SET GLOBAL default_collation = ''`,
  // A setting of the session would override the global one.
  `SET SESSION default_collation = ''`,
  'SET GLOBAL preserve_insertion_order = true',
  `SET TimeZone = 'UTC'`,
]

/**
 * @returns the names of the views and tables that the mapping made, in lower case
 * @throws Problem ING107
 */
export async function runMapping(folder: string, database: WorkDatabase): Promise<ReadonlySet<string>> {
  const path = join(folder, MAPPING_FILE)
  let sql = ''
  try {
    sql = await readFile(path, 'utf8')
    await database.run(`SET file_search_path = ${literal(await searchable(folder, database))}`)
    await database.run(sql)
    for (const setting of ownSettings) await database.run(setting)
  } catch (cause) {
    throw mappingFailed(path, cause, await unmadeView(sql, cause, database))
  }
  const rows = await madeTables(database)
  for (const [table, isView] of rows) {
    if (!isView && holdsCardNumbers(String(table))) {
      throw mappingFailed(path, `${table} has to be a view, because a table would store whole card numbers`)
    }
  }
  return new Set(rows.map(([table]) => String(table)))
}

/** The name in lower case, and whether it is a view, of each view and table that there is. */
const madeTables = (database: WorkDatabase) =>
  database.rows(
    `SELECT lower(table_name), table_type = 'VIEW' FROM information_schema.tables WHERE table_schema = 'main'`,
  )

/** Statements run in their order, and the database does not say which one failed: the first that has made nothing. */
async function unmadeView(sql: string, cause: unknown, database: WorkDatabase): Promise<string | undefined> {
  // The database shows the place of an error in the text itself.
  if (!(cause instanceof Error) || cause.message.includes('\nLINE ')) return undefined
  const made = new Set((await madeTables(database).catch(() => [])).map(([table]) => table))
  const names = Array.from(sql.matchAll(CREATION), ([, kind = '', table = '']) => ({ kind, table }))
  const unmade = names.find(({ table }) => !made.has(table.toLowerCase()))
  return unmade && `${unmade.kind.toLowerCase()} ${unmade.table}`
}

const CREATION =
  /^\s*CREATE\s+(?:OR\s+REPLACE\s+)?(VIEW|TABLE)\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:main\.)?"?(\w+)/gim

/**
 * The encodings that a mapping has stated as variables: `SET VARIABLE encoding = 'windows-1252'`.
 *
 * @throws Problem ING140
 */
export async function mappedEncodings(database: WorkDatabase): Promise<StatedEncodings> {
  const variables = await database.rows(
    `SELECT name, value::VARCHAR FROM duckdb_variables() WHERE name ILIKE 'encoding' OR name ILIKE 'encoding\\_%' ESCAPE '\\'`,
  )
  return statedEncodings(
    variables.map(([variable, value]) => [String(variable), String(value)]),
    ingestedTables.map((table) => table.name),
  )
}

/** The search path is a list with commas, so a folder with a comma in its name is reached through a link. */
async function searchable(folder: string, database: WorkDatabase): Promise<string> {
  if (!folder.includes(',')) return folder
  const link = join(database.folder, 'source')
  await symlink(folder, link)
  return link
}

export const readView: ReadPart = (source, context) =>
  readTyped(source, `main.${name(source.table.name)}`, context)
