/** Opens a control store in memory with the current tables and the given rows. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { ControlTables } from '../control-tables.ts'
import type { Database, TableContent } from '../database.ts'
import { controlMigrations } from '../migrations/control-migrations.ts'
import { migrate } from '../migrations/migrate.ts'
import { sqliteExpressions } from './expressions.ts'
import { openQueries } from './open-queries.ts'

const IN_MEMORY = ':memory:'

export async function openScratchDatabase(
  content: TableContent<ControlTables>,
): Promise<Database<ControlTables>> {
  // A child may come before its parent in the rows, so references are checked only after all are inserted.
  const connection = new DatabaseSync(IN_MEMORY, { enableForeignKeyConstraints: false })
  const { queries, runEach, close } = openQueries<ControlTables>(connection, IN_MEMORY)
  try {
    await migrate(queries, controlMigrations, { name: IN_MEMORY, isPassing: () => false })
    for (const [table, rows] of Object.entries(content)) insertRows(connection, table, rows)
    connection.exec('pragma foreign_keys = on')
  } catch (error) {
    await close()
    throw error
  }
  return { queries, runEach, expressions: sqliteExpressions, close }
}

/** Bypasses the query builder: a large directory has too many values for one statement. */
function insertRows(connection: DatabaseSync, table: string, rows: readonly object[]): void {
  const [first] = rows
  if (first === undefined) return
  const columns = Object.keys(first)
  const names = columns.map((column) => `"${column}"`).join(', ')
  const insert = connection.prepare(
    `insert into "${table}" (${names}) values (${columns.map(() => '?').join(', ')})`,
  )
  connection.exec('begin')
  for (const row of rows) insert.run(...(Object.values(row) as SQLInputValue[]))
  connection.exec('commit')
}
