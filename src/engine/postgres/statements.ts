/**
 * The statements that read a selection. Finished JSON has no line feeds, so the records of a batch are sent as one text with
 * line feeds between them: the server and the driver handle one value instead of one per record.
 */
import type { Paging } from '../../query/ast.ts'
import type { PlacedData } from '../../snapshot/postgres/placed-data.ts'
import { recordTables } from '../../snapshot/postgres/record-tables.ts'
import { Parameters } from './parameters.ts'
import type { Selection } from './selections.ts'

export type Statement = { readonly text: string; readonly values: readonly unknown[] }

/** One row of a statement: how many records are selected, if it was asked for, and the JSON of those that are read. */
export type RecordsRow = {
  readonly total?: string
  readonly records: string | null
  readonly distinct?: string
}

const RECORDS = String.raw`string_agg(JSON, E'\n' order by KEYS)`

/**
 * Reads a page of the selection, and counts the selection unless its total is known. Counting and reading are planned apart: a
 * page often needs only the beginning of an index. A filter that looks into elements is evaluated once for both, because its
 * rows cannot be estimated well enough to bet on such a beginning.
 */
export function pageStatement(
  selection: Selection,
  { offset, limit }: Paging,
  isTotalKnown: boolean,
): Statement {
  const { rows, parameters, looksIntoElements } = selection
  const { columns, order, ordinal } = keysOf(selection)
  const found = `select ${columns} ${rows}`
  const records = RECORDS.replace('JSON', selection.json).replace('KEYS', order)
  const counted = looksIntoElements ? 'from found' : rows
  return {
    text: `${looksIntoElements ? `with found as materialized (${found}) ` : ''}select ${
      isTotalKnown ? '' : `(select count(*) ${counted}) as total, `
    }(select ${records} from (${looksIntoElements ? 'select * from found' : found} order by ${order}
      limit ${parameters.add(limit, 'bigint')} offset ${parameters.add(offset, 'bigint')}) p
      join ${selection.tables.records} r on r.client_number = ${selection.client} and r.ordinal = p.${ordinal}) as records`,
    values: parameters.values,
  }
}

/** Reads all records of the selection one by one; the body of a cursor. */
export function everyRecordStatement(selection: Selection): Statement {
  const { rows, parameters, json, tables, client } = selection
  const { columns, order, ordinal } = keysOf(selection)
  // Rows are ordered before their records are read: `offset 0` keeps the planner from sorting whole records.
  const record = `select ${json} as record from ${tables.records} r
    where r.client_number = ${client} and r.ordinal = p.${ordinal} offset 0`
  return {
    text: `select found.record as records from (select ${columns} ${rows} order by ${order}) p
      cross join lateral (${record}) found order by ${order}`,
    values: parameters.values,
  }
}

/** Reads the records from one row number up to another, in the default order and without a filter. */
export function rangeStatement(
  { clientNumber, stored, generation }: PlacedData,
  { json }: Pick<Selection, 'json'>,
  { from, to }: { readonly from: number; readonly to: number },
): Statement {
  const parameters = new Parameters()
  const { records } = recordTables(stored, generation)
  const client = parameters.add(clientNumber, 'text')
  return {
    text: `select ${RECORDS.replace('JSON', json).replace('KEYS', 'r.ordinal')} as records
      from ${records} r where r.client_number = ${client}
      and r.ordinal >= ${parameters.add(from, 'integer')} and r.ordinal < ${parameters.add(to, 'integer')}`,
    values: parameters.values,
  }
}

function keysOf({ order }: Selection): {
  readonly columns: string
  readonly order: string
  readonly ordinal: string
} {
  return {
    columns: order.map(({ value }, i) => `${value} as k${i}`).join(', '),
    order: order.map(({ direction }, i) => `k${i} ${direction}`).join(', '),
    ordinal: `k${order.length - 1}`,
  }
}
