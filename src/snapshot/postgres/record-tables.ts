/**
 * Creates, fills and drops the tables of records of one stored collection in one generation (`table-layout.ts`). The names in
 * its statements come from the code, never from data.
 */
import type { ClientBase } from 'pg'
import { identifier } from '../../postgres/sql-names.ts'
import {
  type NestedCollection,
  namedFields,
  type StoredName,
  storedCollections,
} from '../../schema/datasets.ts'
import type { Partition } from '../partition.ts'
import { copyPartition } from './copy-rows.ts'
import type { TableColumn } from './record-columns.ts'
import { comparedColumn, indexedFields, orderDate, orderedColumns, shortColumns } from './record-indexes.ts'
import { columnsOf, recordTables } from './table-layout.ts'

export { RECORDS_SCHEMA, type RecordTables, recordTables } from './table-layout.ts'

/** Statements that create the tables without indexes, to be run before {@link copyRows}. The schema must exist. */
export function createRecordTables(stored: StoredName, generation: number): readonly string[] {
  const tables = recordTables(stored, generation)
  const columns = columnsOf(stored)
  const create = (table: string, of: readonly TableColumn[]) =>
    `create table ${table} (${of.map(({ name, type, nullable }) => `${identifier(name)} ${type}${nullable ? '' : ' not null'}`).join(', ')})`
  return [
    create(tables.fields, columns.fields),
    create(tables.records, columns.records),
    ...(tables.elements === null ? [] : [create(tables.elements, columns.elements)]),
    ...[...tables.additional].map(([name, table]) => create(table, columns.additional.get(name) ?? [])),
  ]
}

/**
 * Statements that create the indexes and make the tables ready for queries, to be run once when all rows have been copied.
 * The last ones are `vacuum`, so they run one by one outside of a transaction.
 */
export function finishRecordTables(stored: StoredName, generation: number): readonly string[] {
  const { fields, records, elements, additional, all } = recordTables(stored, generation)
  const { texts, orders, elements: ofNested, additional: ofAdditional } = indexedFields[stored]
  const { fields: ownFields, nested, additionalCollections } = storedCollections[stored]
  const list = (names: readonly string[]) => names.map(identifier).join(', ')
  const date = orderDate(stored)
  const included = ` include (${list(shortColumns(stored))})`
  const ordered = (order: (typeof orders)[number]) => {
    const columns = order.flatMap(([name, direction]) =>
      orderedColumns(ownFields, name).map((column) => `${identifier(column)} ${direction}`),
    )
    return `create index on ${fields} (client_number, ${columns.join(', ')}, ${list([date, 'ordinal'])})${included}`
  }
  const index = (table: string, names: readonly string[], include = '') =>
    `create index on ${table} (${list(['client_number', ...names, 'ordinal'])})${include}`
  const ofElements = (
    table: string,
    collection: NestedCollection,
    indexed: readonly (readonly string[])[],
  ) => [
    `alter table ${table} add primary key (client_number, ordinal, position)`,
    ...indexed.map((names) =>
      index(
        table,
        names.map((name) => comparedColumn(namedFields(collection), name)),
      ),
    ),
  ]
  return [
    `alter table ${fields} add primary key (client_number, ordinal)`,
    index(fields, [date], included),
    ...orders.map(ordered),
    ...texts.map((name) => index(fields, [comparedColumn(ownFields, name), date])),
    `create index on ${fields} using gin (keys) with (fastupdate = off)`,
    `alter table ${records} add primary key (client_number, ordinal)`,
    ...(elements === null || nested === null ? [] : ofElements(elements, nested, ofNested)),
    ...additionalCollections.flatMap((each) =>
      ofElements(additional.get(each.name) as string, each, ofAdditional[each.name] ?? []),
    ),
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
