/**
 * Opens the streams that the collections of both versions are built from, all in one order: the records, their nested
 * elements, the captured custom data, and the travellers or payments, which version 1 shows and queries can name. The database sorts and joins;
 * the place of a record in its ordered table identifies it.
 */
import { datasets, storedCollections } from '../../schema/datasets.ts'
import {
  currencyColumn,
  extractTables,
  invoiceColumns,
  itineraryColumns,
  lineColumns,
  standardBookingColumns,
  type TableName,
} from '../../schema/extract-tables.ts'
import { type FieldType, toSnakeCase } from '../../schema/field.ts'
import type { TableRows } from '../../snapshot/writing/row-counts.ts'
import { list } from '../sql-text.ts'
import { orderedTable, stagedTable } from '../staging.ts'
import type { WorkDatabase } from '../work-database.ts'
import { RowStream, type StreamedColumn } from './row-stream.ts'
import type { WordColumns } from './words.ts'

/** The two kinds of records, named like their tables. */
export type RecordKind = 'bookings' | 'invoices'

/** A column of a stream, with the name under which the builders look for it. */
export type NamedColumn = { readonly name: string; readonly type: FieldType }

/** A stream whose rows say which record they belong to, and the names of its columns. */
type NamedStream = { readonly rows: RowStream; readonly columns: readonly NamedColumn[] }

export type RecordStreams = {
  readonly records: NamedStream
  /** Segments or invoice lines, in the order of their numbers. */
  readonly elements: NamedStream
  /** Field and value. */
  readonly captured: NamedStream
  /** Travellers or payments, in the order of the extract. */
  readonly parties: NamedStream
}

/** The columns of each stream. */
export type RecordColumns = { readonly [Stream in keyof RecordStreams]: Pick<NamedStream, 'columns'> }

/** The column that names the client of a row, as it was staged. Every stream has it. */
export const CLIENT_COLUMN: NamedColumn = { name: 'client_number', type: 'text' }

/** The name of a booking's column in the record of an invoice. */
export const ofBooking = (column: string): string => `booking.${column}`

/** The columns of a booking that its invoices show. */
const bookingColumnsOfInvoices: readonly NamedColumn[] = [
  CLIENT_COLUMN,
  ...standardBookingColumns.map(({ column, type }) => ({ name: column, type })),
  { name: 'trip_start_local', type: 'minute' },
  { name: 'trip_end_local', type: 'minute' },
]

type Source = {
  /** The record's own columns. */
  readonly own: readonly NamedColumn[]
  /** The columns that are joined from its booking. */
  readonly joined: readonly NamedColumn[]
  readonly elements: { readonly table: TableName; readonly columns: readonly NamedColumn[] }
  readonly parties: { readonly table: TableName; readonly columns: readonly NamedColumn[] }
  /** The columns by which rows of other tables name their record. */
  readonly key: readonly string[]
}

type ColumnLike = { readonly name: string; readonly type: FieldType; readonly column?: string }

const columnsOf = (fields: readonly ColumnLike[]): readonly NamedColumn[] =>
  fields.map(({ name, type, column = toSnakeCase(name) }) => ({ name: column, type }))

/** The columns of a table without the record's key, and the client. */
const detailsOf = (table: TableName, key: readonly string[]): readonly NamedColumn[] => [
  ...columnsOf(extractTables[table].columns).filter(({ name }) => !key.includes(name)),
  CLIENT_COLUMN,
]

const LOCATOR = 'record_locator'
const bookingKey = ['client_number', LOCATOR]
const invoiceKey = ['client_number', 'company', 'invoice_number']

const sources: { readonly [Kind in RecordKind]: Source } = {
  bookings: {
    own: columnsOf([
      ...storedCollections.bookings.fields,
      ...standardBookingColumns,
      ...itineraryColumns,
      currencyColumn,
    ]),
    joined: [],
    elements: {
      table: 'segments',
      columns: [...columnsOf(storedCollections.bookings.nested.fields), CLIENT_COLUMN],
    },
    parties: { table: 'travellers', columns: detailsOf('travellers', bookingKey) },
    key: bookingKey,
  },
  invoices: {
    own: columnsOf([...storedCollections.invoices.fields, ...invoiceColumns, currencyColumn]),
    joined: bookingColumnsOfInvoices,
    elements: {
      table: 'invoice_lines',
      columns: [...columnsOf([...storedCollections.invoices.nested.fields, ...lineColumns]), CLIENT_COLUMN],
    },
    parties: { table: 'payments', columns: detailsOf('payments', invoiceKey) },
    key: invoiceKey,
  },
}

/**
 * SQL that creates the table of accepted records, ordered by client and default order. Invoices have the columns of their
 * booking, because they show its custom data. Text is ordered by its UTF-8 bytes, which is code point order. From here on
 * `rowid` identifies a record. The locator of an invoice is the one of its booking in the snapshot, so it is null without one
 * (specification 2.4).
 */
function orderRows(kind: RecordKind): string {
  const { own, joined } = sources[kind]
  const columns = [
    ...own.map(({ name }) => (joined.length > 0 && name === LOCATOR ? `booking.${name}` : `record.${name}`)),
    ...joined.map(({ name }) => `booking.${name} AS booking_${name}`),
  ]
  const join =
    joined.length === 0
      ? ''
      : `LEFT JOIN ${orderedTable('bookings')} AS booking
         ON booking.client_number = record.client_number AND booking.record_locator = record.record_locator`
  const order = ['client_number', ...datasets[kind].defaultOrder.map(toSnakeCase)]
  return `CREATE TABLE ${orderedTable(kind)} AS
    SELECT ${list(columns)} FROM ${stagedTable(kind)} AS record ${join}
    WHERE record.fault IS NULL ORDER BY ${list(order.map((column) => `record.${column}`))}`
}

/** How many accepted invoices name a booking that is not in the snapshot. Call after the streams of invoices are open. */
export async function countInvoicesWithoutBooking(
  accepted: TableRows,
  database: WorkDatabase,
): Promise<number> {
  if (accepted.invoices === 0) return 0
  const [counts = []] = await database.rows(
    `SELECT (SELECT count(${LOCATOR}) FROM ${stagedTable('invoices')} WHERE fault IS NULL),
       (SELECT count(${LOCATOR}) FROM ${orderedTable('invoices')})`,
  )
  return Number(counts[0]) - Number(counts[1])
}

/** The columns of the streams that {@link openStreams} opens, known without a database. */
export function streamColumns(kind: RecordKind): RecordColumns {
  const { own, joined, elements, parties } = sources[kind]
  return {
    records: { columns: [...own, ...joined.map(({ name, type }) => ({ name: ofBooking(name), type }))] },
    elements,
    captured: { columns: capturedColumns },
    parties,
  }
}

/** The bookings must be opened before the invoices, which join columns of the ordered bookings. */
export async function openStreams(
  kind: RecordKind,
  words: WordColumns,
  accepted: TableRows,
  database: WorkDatabase,
): Promise<RecordStreams> {
  const columns = streamColumns(kind)
  if (accepted[kind] === 0 && kind === 'invoices') return withoutRows(columns)
  // The invoices join the bookings, also when there are none.
  await database.run(orderRows(kind))
  if (accepted[kind] === 0) return withoutRows(columns)
  const { own, joined, elements, parties, key } = sources[kind]
  const ordered = orderedTable(kind)
  const streamed = (table: TableName, sql: string, { name, type }: NamedColumn): StreamedColumn => ({
    sql,
    type,
    words: words.get(`${table}.${name}`),
  })
  const records = await RowStream.open(database, {
    owner: 'record.rowid',
    columns: [
      ...own.map((column) => streamed(kind, `record.${column.name}`, column)),
      ...joined.map((column) => streamed('bookings', `record.booking_${column.name}`, column)),
    ],
    from: `FROM ${ordered} AS record`,
  })
  const details = ({ table, columns }: Source['elements'], order: string) =>
    accepted[table] === 0
      ? RowStream.empty
      : RowStream.open(database, {
          owner: 'record.rowid',
          columns: columns.map((column) => streamed(table, `detail.${column.name}`, column)),
          from: `FROM ${stagedTable(table)} AS detail JOIN ${ordered} AS record USING (${list(key)})
            WHERE detail.fault IS NULL ORDER BY record.rowid, ${order}`,
        })
  const elementNumber = extractTables[elements.table].identity.at(-1)
  return {
    records: { ...columns.records, rows: records },
    elements: { ...columns.elements, rows: await details(elements, `detail.${elementNumber}`) },
    captured: {
      ...columns.captured,
      rows:
        accepted.booking_custom_data === 0
          ? RowStream.empty
          : await openCaptured(ordered, streamed, database),
    },
    parties: { ...columns.parties, rows: await details(parties, 'detail.rowid') },
  }
}

const withoutRows = ({ records, elements, captured, parties }: RecordColumns): RecordStreams => ({
  records: { ...records, rows: RowStream.empty },
  elements: { ...elements, rows: RowStream.empty },
  captured: { ...captured, rows: RowStream.empty },
  parties: { ...parties, rows: RowStream.empty },
})

const capturedColumns: readonly NamedColumn[] = [
  { name: 'field', type: 'text' },
  { name: 'value', type: 'text' },
  CLIENT_COLUMN,
]

async function openCaptured(
  ordered: string,
  streamed: (table: TableName, sql: string, column: NamedColumn) => StreamedColumn,
  database: WorkDatabase,
): Promise<RowStream> {
  return RowStream.open(database, {
    owner: 'record.rowid',
    columns: capturedColumns.map((column) =>
      streamed('booking_custom_data', `captured.${column.name}`, column),
    ),
    from: `FROM ${stagedTable('booking_custom_data')} AS captured
      JOIN ${ordered} AS record USING (client_number, record_locator)
      WHERE captured.fault IS NULL AND captured.value IS NOT NULL
        AND captured.field IN (SELECT field FROM ${stagedTable('custom_field_labels')} WHERE fault IS NULL)
      ORDER BY record.rowid`,
  })
}

/**
 * The place of the column with this name in a stream's rows.
 *
 * @throws RangeError when the stream does not have the column
 */
export function placeOf(columns: readonly NamedColumn[], name: string): number {
  const place = columns.findIndex((column) => column.name === name)
  if (place === -1) throw new RangeError(`The stream has no column '${name}'`)
  return place
}
