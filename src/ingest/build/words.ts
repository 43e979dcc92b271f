/**
 * Finds text columns with few distinct values. Their values are read from the database as numbers in a list of words:
 * creating strings is the largest cost of reading, and most values of an extract repeat.
 */
import type { TableName } from '../../schema/extract-tables.ts'
import type { TableRows } from '../../snapshot/writing/row-counts.ts'
import { CATALOG, list, outgoing } from '../sql-text.ts'
import { SCHEMA, stagedTable } from '../staging.ts'
import { type IngestedTable, ingestedTables } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'

/** The words of a column, and the SQL that turns a text into its number. */
export type Words = { readonly words: readonly string[]; readonly numberOf: (sql: string) => string }

/** The words of each column; keys are `table.column`. */
export type WordColumns = ReadonlyMap<string, Words>

/** Whether a table is read as a stream; the two others are read as a whole. */
const isStreamed = ({ name }: IngestedTable): boolean => name !== 'clients' && name !== 'custom_field_labels'

/** In smaller tables words save nothing. */
const LEAST_ROWS = 10_000
const MOST_WORDS = 10_000

/** @param accepted the rows of each table that are not set aside */
export async function findWords(database: WorkDatabase, accepted: TableRows): Promise<WordColumns> {
  const found = new Map<string, Words>()
  for (const { name, columns } of ingestedTables.filter(isStreamed)) {
    if ((accepted[name] ?? 0) < LEAST_ROWS) continue
    const texts = columns.filter(({ type }) => type === 'text').map(({ column }) => column)
    const distinct = texts.map((column) => `approx_count_distinct(${column})`)
    const [counts = []] = await database.rows(
      `SELECT ${list(distinct)} FROM ${stagedTable(name)} WHERE fault IS NULL`,
    )
    for (const [at, column] of texts.entries()) {
      const count = Number(counts[at])
      if (count > 0 && count < MOST_WORDS)
        found.set(`${name}.${column}`, await wordsOf(database, name, column))
    }
  }
  return found
}

async function wordsOf(database: WorkDatabase, table: TableName, column: string): Promise<Words> {
  const type = `${SCHEMA}.words_of_${table}_${column}`
  await database.run(
    `CREATE TYPE IF NOT EXISTS ${CATALOG}.${type} AS ENUM
       (SELECT DISTINCT ${column} FROM ${stagedTable(table)} WHERE fault IS NULL AND ${column} IS NOT NULL)`,
  )
  const words: string[] = []
  // A cast cannot name the database of a type. Only a connection of its own is sure to find it, whatever a mapping has set.
  const read = database.eachRows(
    `SELECT ${outgoing('word::VARCHAR')} FROM (SELECT unnest(enum_range(NULL::${type})) AS word)`,
  )
  for await (const rows of read) words.push(...rows.map(([word]) => String(word)))
  return { words, numberOf: (sql) => `enum_code(${sql}::${type})` }
}
