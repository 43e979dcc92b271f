/**
 * Step 3 of a refresh: the staged rows in the order in which they are stored, client by client, into the snapshot's draft.
 * The database sorts and joins; here streams are merged. One client's collection is held at a time, whatever the extract's
 * size.
 */

import { datasets, type StoredName, storedCollections } from '../../schema/datasets.ts'
import { type Field, type FieldType, type FieldValue, toSnakeCase } from '../../schema/field.ts'
import { CollectionBuilder } from '../../snapshot/collection-builder.ts'
import type { SnapshotDraft } from '../../snapshot/snapshot-writer.ts'
import { list } from '../sql-text.ts'
import { orderedTable, stagedTable } from '../staging.ts'
import type { IngestedName } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import { type Client, columnsInUse, fillIn, ownValues } from './custom-labels.ts'
import { RowStream, type StreamedColumn, type StreamQuery } from './row-stream.ts'
import { findWords, type WordColumns } from './words.ts'

export type BuildContext = {
  readonly database: WorkDatabase
  readonly draft: Pick<SnapshotDraft, 'add'>
  /** How many more records have been built. */
  readonly onBuilt: (records: number) => void
}

/** @returns how many clients have the same records as in the previous snapshot */
export async function buildCollections(clients: readonly Client[], context: BuildContext): Promise<number> {
  const { database } = context
  const layout: Layout = {
    ownColumns: columnsInUse(clients),
    words: await findWords(database, recordTables),
  }
  const bookings = await openStreams('bookings', layout, database)
  // The database sorts the invoices while the bookings are being built.
  const invoices = openStreams('invoices', layout, database)
  invoices.catch(() => undefined)
  const keptBookings = await buildAll('bookings', clients, bookings, context)
  const keptInvoices = await buildAll('invoices', clients, await invoices, context)
  return clients.filter(({ clientNumber: c }) => keptBookings.has(c) && keptInvoices.has(c)).length
}

/** What the streams carry, and how. */
type Layout = {
  /** The booking's own columns that labels show: they follow the record's fields. */
  readonly ownColumns: readonly string[]
  readonly words: WordColumns
}

const recordTables = ['bookings', 'segments', 'booking_custom_data', 'invoices', 'invoice_lines'] as const

/** @returns the clients whose collection is the same as in the previous snapshot */
async function buildAll(
  stored: StoredName,
  clients: readonly Client[],
  streams: Streams,
  { draft, onBuilt }: BuildContext,
): Promise<ReadonlySet<string>> {
  const kept = new Set<string>()
  for (const client of clients) {
    const builder = await buildCollection(stored, client, streams, onBuilt)
    const added = await draft.add(builder)
    if (added.kept) kept.add(client.clientNumber)
  }
  await refuseLeftovers(streams)
  return kept
}

type Streams = {
  readonly records: RowStream
  readonly elements: RowStream
  readonly captured: RowStream
  /** The names of the columns of `records`. */
  readonly columns: readonly string[]
}

const columnOf = ({ name }: Field): string => toSnakeCase(name)

/** The table of the nested elements, and how they name their record. */
const elementsOf: {
  readonly [Name in StoredName]: { readonly table: IngestedName; readonly key: readonly string[] }
} = {
  bookings: { table: 'segments', key: ['client_number', 'record_locator'] },
  invoices: { table: 'invoice_lines', key: ['company', 'invoice_number'] },
}

/**
 * The accepted records by client and default order, with the booking's own columns beside them: an invoice takes the
 * custom data of its booking. Text is ordered by its UTF-8 bytes, which is code point order. From here on a record is known
 * by its `rowid`.
 */
function orderRows(stored: StoredName, ownColumns: readonly string[]): string {
  const fields = storedCollections[stored].fields.map((field) => `record.${columnOf(field)}`)
  const order = ['client_number', ...datasets[stored].defaultOrder.map(toSnakeCase)]
  const booking = stored === 'bookings' ? 'record' : 'booking'
  const join =
    stored === 'bookings'
      ? ''
      : `LEFT JOIN ${orderedTable('bookings')} AS booking USING (client_number, record_locator)`
  return `CREATE TABLE ${orderedTable(stored)} AS
    SELECT ${list([...fields, ...ownColumns.map((column) => `${booking}.${column}`)])}
    FROM ${stagedTable(stored)} AS record ${join}
    WHERE record.fault IS NULL ORDER BY ${list(order.map((column) => `record.${column}`))}`
}

async function openStreams(
  stored: StoredName,
  { ownColumns, words }: Layout,
  database: WorkDatabase,
): Promise<Streams> {
  await database.run(orderRows(stored, ownColumns))
  const { fields, nested } = storedCollections[stored]
  const ordered = orderedTable(stored)
  const { table, key } = elementsOf[stored]
  const streamed = (name: IngestedName, alias: string, column: string, type: FieldType): StreamedColumn => ({
    sql: `${alias}.${column}`,
    type,
    words: words.get(`${name}.${column}`),
  })
  const open = (query: StreamQuery) => RowStream.open(database, query)
  const records = await open({
    owner: 'record.rowid',
    columns: [
      ...fields.map((field) => streamed(stored, 'record', columnOf(field), field.type)),
      ...ownColumns.map((column) => streamed('bookings', 'record', column, 'text')),
    ],
    from: `FROM ${ordered} AS record`,
  })
  const elements = await open({
    owner: 'record.rowid',
    columns: nested.fields.map((field) => streamed(table, 'element', columnOf(field), field.type)),
    from: `FROM ${stagedTable(table)} AS element JOIN ${ordered} AS record USING (${list(key)})
      WHERE element.fault IS NULL ORDER BY record.rowid, element.${columnOf(nested.fields[0] as Field)}`,
  })
  const captured = await open({
    owner: 'record.rowid',
    columns: ['field', 'value'].map((column) => streamed('booking_custom_data', 'captured', column, 'text')),
    from: `FROM ${stagedTable('booking_custom_data')} AS captured
      JOIN ${ordered} AS record USING (client_number, record_locator)
      WHERE captured.fault IS NULL AND captured.value IS NOT NULL
        AND captured.field IN (SELECT field FROM ${stagedTable('custom_field_labels')} WHERE fault IS NULL)
      ORDER BY record.rowid`,
  })
  return { records, elements, captured, columns: [...fields.map(columnOf), ...ownColumns] }
}

/** How many records are built between two reports. */
const REPORTED_RECORDS = 5000

async function buildCollection(
  stored: StoredName,
  { clientNumber, labels }: Client,
  { records, elements, captured, columns }: Streams,
  onBuilt: BuildContext['onBuilt'],
): Promise<CollectionBuilder> {
  const builder = new CollectionBuilder(stored, clientNumber, labels.labels)
  const clientAt = columns.indexOf('client_number')
  const labelAt = labels.columns.map((column) => (column === undefined ? -1 : columns.lastIndexOf(column)))
  while (records.ready || (await records.load())) {
    if (records.peek()[clientAt] !== clientNumber) break
    const { owner } = records
    const values = records.take()
    const custom = ownValues(labelAt, values)
    while ((captured.ready || (await captured.load())) && captured.owner === owner) {
      const [field = null, value = null] = captured.take()
      fillIn(labels, custom, field, value)
    }
    const nested: FieldValue[][] = []
    while ((elements.ready || (await elements.load())) && elements.owner === owner)
      nested.push(elements.take())
    // The builder looks at the fields of its collection; the booking's own columns behind them are not its business.
    builder.append({ values, custom, elements: nested })
    if (builder.rowCount % REPORTED_RECORDS === 0) onBuilt(REPORTED_RECORDS)
  }
  onBuilt(builder.rowCount % REPORTED_RECORDS)
  return builder
}

/** Whatever is left over belongs to no client in turn: the database's order and ours would differ. */
async function refuseLeftovers({ records, elements, captured }: Streams): Promise<void> {
  for (const [name, stream] of Object.entries({ records, elements, captured })) {
    if (await stream.load()) throw new Error(`Rows of the ${name} were left over after the last client`)
  }
}
