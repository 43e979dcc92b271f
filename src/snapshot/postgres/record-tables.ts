/**
 * Creates, fills and drops the tables of records of one stored collection in one generation (`table-layout.ts`). The names in
 * its statements come from the code, never from data.
 */
import type { ClientBase } from 'pg'
import { identifier } from '../../postgres/sql-names.ts'
import type { StoredName } from '../../schema/datasets.ts'
import type { Partition } from '../partition.ts'
import { copyPartition } from './copy-rows.ts'
import type { TableColumn } from './record-columns.ts'
import { comparedColumn, indexedFields, orderDate, shortColumns } from './record-indexes.ts'
import { columnsOf, recordTables } from './table-layout.ts'

export { RECORDS_SCHEMA, type RecordTables, recordTables } from './table-layout.ts'

/** Statements that create the tables without indexes, to be run before {@link copyRows}. The schema must exist. */
export function createRecordTables(stored: StoredName, generation: number): readonly string[] {
  const tables = recordTables(stored, generation)
  const columns = columnsOf(stored)
  const create = (table: string, of: readonly TableColumn[]) =>
    `create table ${table} (${of.map(({ name, type, nullable }) => `${identifier(name)} ${type}${nullable ? '' : ' not null'}`).join(', ')})`
  const statements = [create(tables.fields, columns.fields), create(tables.records, columns.records)]
  return tables.elements === null ? statements : [...statements, create(tables.elements, columns.elements)]
}

/**
 * Statements that create the indexes and make the tables ready for queries, to be run once when all rows have been copied.
 * The last ones are `vacuum`, so they run one by one outside of a transaction.
 */
export function finishRecordTables(stored: StoredName, generation: number): readonly string[] {
  const { fields, records, elements, all } = recordTables(stored, generation)
  const { texts, orders, elements: ofElements } = indexedFields[stored]
  const list = (names: readonly string[]) => names.map(identifier).join(', ')
  const date = orderDate(stored)
  const included = ` include (${list(shortColumns(stored))})`
  const ordered = (order: (typeof orders)[number]) =>
    `create index on ${fields} (client_number, ${order.map(([name, direction]) => `${identifier(name)} ${direction}`).join(', ')}, ${list([date, 'ordinal'])})${included}`
  const index = (table: string, names: readonly string[], include = '') =>
    `create index on ${table} (${list(['client_number', ...names, 'ordinal'])})${include}`
  return [
    `alter table ${fields} add primary key (client_number, ordinal)`,
    index(fields, [date], included),
    ...orders.map(ordered),
    ...texts.map((name) => index(fields, [comparedColumn(stored, name), date])),
    `create index on ${fields} using gin (keys) with (fastupdate = off)`,
    `alter table ${records} add primary key (client_number, ordinal)`,
    ...(elements === null
      ? []
      : [
          `alter table ${elements} add primary key (client_number, ordinal, position)`,
          ...ofElements.map((names) =>
            index(
              elements,
              names.map((name) => comparedColumn(stored, name)),
            ),
          ),
        ]),
    ...all.map((table) => `vacuum (freeze, analyze) ${table}`),
  ]
}

export function dropRecordTables(stored: StoredName, generation: number): readonly string[] {
  return recordTables(stored, generation).all.map((table) => `drop table if exists ${table}`)
}

export type CopiedRows = { readonly rows: number; readonly elements: number }

/**
 * Copies all rows of a partition into the tables of a generation, in bounded memory. A failure leaves rows behind: the caller
 * rolls back, or drops the tables.
 */
export async function copyRows(
  connection: ClientBase,
  partition: Partition,
  generation: number,
): Promise<CopiedRows> {
  await copyPartition(connection, partition, recordTables(partition.stored, generation))
  return { rows: partition.rowCount, elements: partition.nested?.elementCount ?? 0 }
}

/** Copies the rows of one client from the tables of one generation into those of another, within the server. */
export async function copyBetweenGenerations(
  connection: ClientBase,
  {
    clientNumber,
    stored,
    from,
    to,
  }: {
    readonly clientNumber: string
    readonly stored: StoredName
    readonly from: number
    readonly to: number
  },
): Promise<CopiedRows> {
  const [source, target] = [recordTables(stored, from), recordTables(stored, to)]
  const copied: number[] = []
  for (const [i, table] of source.all.entries()) {
    const into = `insert into ${target.all[i]} select * from ${table} where client_number = $1`
    const { rowCount } = await connection.query(`${into} order by client_number, ordinal`, [clientNumber])
    copied.push(rowCount ?? 0)
  }
  const [rows = 0, , elements = 0] = copied
  return { rows, elements }
}
