/**
 * Runs the mapping of an extract: a `tripfolio.sql` in the source folder, whose views supply tables. A view with a table's
 * name is read instead of the table's files. The file has the rights of the folder, not those of the service.
 */
import { join } from 'node:path'
import { statedDialects } from '../dialect/stated-dialects.ts'
import { mappingText } from '../guard/mapping-text.ts'
import { permittedStatements } from '../guard/permitted-statements.ts'
import { decodedFolder, type StatedTexts } from '../mapping/decoded-files.ts'
import { mappingFailed, mappingRefused } from '../problems.ts'
import { name } from '../sql-text.ts'
import { holdsCardNumbers, ingestedTables } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import { statedEncodings } from './encodings.ts'
import { MAPPING_FILE } from './file-form.ts'
import type { ReadPart } from './table-part.ts'
import { readTyped } from './typed-columns.ts'

/**
 * @returns the names of the views and tables that the mapping made, in lower case
 * @throws Problem ING107
 */
export async function runMapping(folder: string, database: WorkDatabase): Promise<ReadonlySet<string>> {
  const path = join(folder, MAPPING_FILE)
  const text = await mappingText(path).catch((cause: unknown) => {
    throw mappingFailed(path, cause)
  })
  const macros = await macroNames(database)
  const statements = permittedStatements(text, macros, (line, reason) => mappingRefused(path, line, reason))
  // Its views are bound to their files when they are made, so it has to be known before how the files are to be read.
  for (const { sql, texts } of statements) if (statesForm(texts())) await database.runMapping(sql())
  const stated = await mappedTexts(database)
  // The views that it makes name files, too, when they are read.
  database.nameFilesIn(await decodedFolder(folder, statements, stated, () => database.folder))
  for (const { sql, makes } of statements) {
    await database.runMapping(sql()).catch((cause: unknown) => {
      // The database shows the place of an error in the text itself.
      const isShown = cause instanceof Error && cause.message.includes('\nLINE ')
      throw mappingFailed(path, cause, isShown ? undefined : makes)
    })
  }
  const rows = await madeTables(database)
  for (const [table, isView] of rows) {
    if (!isView && holdsCardNumbers(String(table))) {
      throw mappingFailed(path, `${table} has to be a view, because a table would store whole card numbers`)
    }
  }
  return new Set(rows.map(([table]) => String(table)))
}

/** The macros that the refresh has made. */
async function macroNames(database: WorkDatabase): Promise<ReadonlySet<string>> {
  const rows = await database.rows(
    'SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE NOT internal',
  )
  return new Set(rows.map(([name]) => String(name)))
}

/** `SET VARIABLE encoding = 'utf-16'`: it depends on nothing, so that it may run before the others. */
const statesForm = (texts: readonly string[]): boolean =>
  texts.length === 5 && /^set variable (encoding|escape|quote)\w* = '.*'$/is.test(texts.join(' '))

/** The name in lower case, and whether it is a view, of each view and table that there is. */
const madeTables = (database: WorkDatabase) =>
  database.rows(
    `SELECT lower(table_name), table_type = 'VIEW' FROM information_schema.tables WHERE table_schema = 'main'`,
  )

/**
 * What a mapping has stated of text files as variables: `SET VARIABLE encoding = 'windows-1252'`, `SET VARIABLE escape = '\'`.
 *
 * @throws Problem ING140
 */
export const mappedTexts = async (database: WorkDatabase): Promise<StatedTexts> => ({
  encodings: statedEncodings(await variablesOf(['encoding'], database), tableNames),
  dialects: statedDialects(await variablesOf(['escape', 'quote'], database), tableNames),
})

const tableNames = ingestedTables.map((table) => table.name)

/** The variables with these names, and with them and the name of a table. */
async function variablesOf(
  names: readonly string[],
  database: WorkDatabase,
): Promise<readonly (readonly [variable: string, value: string])[]> {
  const rows = await database.rows(
    `SELECT name, value::VARCHAR FROM duckdb_variables() WHERE regexp_matches(name, '^(${names.join('|')})(_|$)', 'i')`,
  )
  return rows.map(([variable, value]) => [String(variable), String(value)])
}

export const readView: ReadPart = (source, context) =>
  readTyped(source, `main.${name(source.table.name)}`, context)
