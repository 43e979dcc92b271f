/** Fills a SQLite file with the rows of the peers. Replaces an existing file. */
import { rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { type Cell, indexes, type TableName, type TableRows, tables } from './booking-rows.ts'

/** Dates and moments are texts in one form, so their text order is their time order. */
const types = {
  integer: 'integer',
  text: 'text',
  date: 'text',
  timestamp: 'text',
  boolean: 'integer',
} as const

export async function loadSqlite(file: string, clients: readonly TableRows[]): Promise<void> {
  await rm(file, { force: true })
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = off; pragma synchronous = off')
  for (const [name, columns] of Object.entries(tables)) {
    const list = Object.entries(columns).map(([column, type]) => `${column} ${types[type]}`)
    const key = name === 'bookings' ? ', primary key (id)' : ''
    database.exec(`create table ${name} (${list.join(', ')}${key}) strict`)
    const places = list.map(() => '?').join(', ')
    const insert = database.prepare(`insert into ${name} values (${places})`)
    database.exec('begin')
    for (const rows of clients) for (const row of rows[name as TableName]) insert.run(...row.map(sqliteValue))
    database.exec('commit')
  }
  for (const [number, index] of indexes.entries()) database.exec(`create index i${number} ${index}`)
  database.exec('analyze')
  database.close()
}

const sqliteValue = (cell: Cell): string | number | null => (typeof cell === 'boolean' ? Number(cell) : cell)
