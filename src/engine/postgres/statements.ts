/**
 * The statements that read a selection. The records of a batch are sent as one text with separators between them: the server and
 * the driver handle one value instead of one per record.
 */
import type { Paging } from '../../query/ast.ts'
import type { PlacedData } from '../../snapshot/postgres/placed-data.ts'
import { SEPARATOR_SQL } from './batches.ts'
import { Parameters } from './parameters.ts'
import type { RecordSource, Selection } from './selections.ts'

export type Statement = {
  readonly text: string
  readonly values: readonly unknown[]
  /** Whether the server plans it for its values each time. Otherwise it may keep a plan for average values. */
  readonly plannedAnew?: boolean
}

/** The row of a statement: how many records are selected, if it was asked for, and the JSON of those that are read, in UTF-8. */
export type RecordsRow = { readonly total?: number; readonly records: Buffer | null }

const textOf = ({ text }: RecordSource, order: string): string =>
  `string_agg(${text}, ${SEPARATOR_SQL} order by ${order})`

/**
 * Reads a page of the selection, and if it is asked for the total, counts the selection unless the page is the last one.
 * Counting and reading are planned apart: a page often needs only the beginning of an index. A filter that looks into elements
 * is evaluated once for both, because its rows cannot be estimated well enough to bet on such a beginning.
 */
export function pageStatement(
  selection: Selection,
  { offset, limit }: Paging,
  withTotal: boolean,
): Statement {
  const { parameters } = selection
  const { order, ordinal } = keysOf(selection)
  const { beginning, found, counted } = foundRows(selection)
  const records = textOf(selection.records, order)
  const [most, before] = [parameters.add(limit, 'bigint'), parameters.add(offset, 'bigint')]
  const page = `from (${found} order by ${order} limit ${most} offset ${before}) p
    join ${selection.records.table} r on r.client_number = ${selection.client} and r.ordinal = p.${ordinal}`
  const isLast = `read.count < ${most} and (read.count > 0 or ${before} = 0)`
  return {
    text: withTotal
      ? `${beginning}select case when ${isLast} then ${before} + read.count else (select count(*) ${counted}) end as total,
    read.records from (select count(*) as count, ${records} as records ${page}) read`
      : `${beginning}select ${records} as records ${page}`,
    values: parameters.values,
  }
}

/**
 * Counts the selection. It may be run beside the statement of a page. Planning it for its values takes 0.2 ms, and counting many rows
 * milliseconds: a kept plan, which takes a third of the rows for any range, may choose the index of the range that all rows satisfy.
 */
export const countStatement = ({ rows, parameters }: Selection): Statement => ({
  text: `select count(*) as total, null as records ${rows}`,
  values: [...parameters.values],
  plannedAnew: true,
})

/** Reads a part of the row numbers of the selection in its order, as digits with commas between them. */
export function rowNumbersStatement(selection: Selection, { offset, limit }: Paging): Statement {
  const { parameters } = selection
  const { order, ordinal } = keysOf(selection)
  const { beginning, found } = foundRows(selection)
  return {
    text: `${beginning}select string_agg(p.${ordinal}::text, ',' order by ${order}) as records
      from (${found} order by ${order}
      limit ${parameters.add(limit, 'bigint')} offset ${parameters.add(offset, 'bigint')}) p`,
    values: parameters.values,
  }
}

/** Reads the records with the given row numbers, in their order. */
export function numberedStatement(
  { clientNumber }: PlacedData,
  { records }: Pick<Selection, 'records'>,
  ordinals: readonly number[],
): Statement {
  const parameters = new Parameters()
  const client = parameters.add(clientNumber, 'text')
  return {
    text: `select ${textOf(records, 'o.place')} as records
      from unnest(${parameters.add(ordinals, 'integer[]')}) with ordinality o(ordinal, place)
      join ${records.table} r on r.client_number = ${client} and r.ordinal = o.ordinal`,
    values: parameters.values,
  }
}

/** Reads the records from one row number up to another, in the default order and without a filter. */
export function rangeStatement(
  { clientNumber }: PlacedData,
  { records }: Pick<Selection, 'records'>,
  { from, to }: { readonly from: number; readonly to: number },
): Statement {
  const parameters = new Parameters()
  const client = parameters.add(clientNumber, 'text')
  return {
    text: `select ${textOf(records, 'r.ordinal')} as records
      from ${records.table} r where r.client_number = ${client}
      and r.ordinal >= ${parameters.add(from, 'integer')} and r.ordinal < ${parameters.add(to, 'integer')}`,
    values: parameters.values,
  }
}

/** The keys of the selected rows, and from where they are counted, after the beginning of the statement. */
function foundRows(selection: Selection): Readonly<Record<'beginning' | 'found' | 'counted', string>> {
  const { rows, looksIntoElements } = selection
  const found = `select ${keysOf(selection).columns} ${rows}`
  return looksIntoElements
    ? {
        beginning: `with found as materialized (${found}) `,
        found: 'select * from found',
        counted: 'from found',
      }
    : { beginning: '', found, counted: rows }
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
