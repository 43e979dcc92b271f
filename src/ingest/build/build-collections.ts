/**
 * Step 3 of a refresh: the staged rows in the order in which they are stored, client by client, into the snapshot's draft.
 * The database sorts and joins; here streams are merged. One client's collection is held at a time, whatever the extract's
 * size.
 */

import { datasets, type StoredName, storedCollections } from '../../schema/datasets.ts'
import { standardBookingColumns } from '../../schema/extract-tables.ts'
import { type Field, type FieldType, type FieldValue, toSnakeCase } from '../../schema/field.ts'
import { CollectionBuilder } from '../../snapshot/collection-builder.ts'
import type { SnapshotDraft } from '../../snapshot/snapshot-writer.ts'
import { list } from '../sql-text.ts'
import { orderedTable, stagedTable } from '../staging.ts'
import type { IngestedName } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import { type Client, fillIn, ownValues } from './custom-labels.ts'
import { RowStream, type StreamedColumn, type StreamQuery } from './row-stream.ts'
import { findWords, type WordColumns } from './words.ts'

export type BuildContext = {
  readonly database: WorkDatabase
  readonly draft: Pick<SnapshotDraft, 'add'>
  /** How many more records have been built. */
  readonly onBuilt: (records: number) => void
  readonly signal: AbortSignal | undefined
}

/** @returns how many clients have the same records as in the previous snapshot */
export async function buildCollections(clients: readonly Client[], context: BuildContext): Promise<number> {
  const { database, signal } = context
  const words = await findWords(database, recordTables)
  const bookings = await openStreams('bookings', words, database, signal)
  // The database sorts the invoices while the bookings are being built.
  const invoices = openStreams('invoices', words, database, signal)
  invoices.catch(() => undefined)
  const keptBookings = await buildAll('bookings', clients, bookings, context)
  const keptInvoices = await buildAll('invoices', clients, await invoices, context)
  return clients.filter(({ clientNumber: c }) => keptBookings.has(c) && keptInvoices.has(c)).length
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
    const builder = await buildCollection(stored, client, streams)
    const added = await draft.add(builder)
    if (added.kept) kept.add(client.clientNumber)
    onBuilt(builder.rowCount)
  }
  await refuseLeftovers(streams)
  return kept
}

type Streams = { readonly records: RowStream; readonly elements: RowStream; readonly captured: RowStream }

const columnOf = ({ name }: Field): string => toSnakeCase(name)
const standardColumns = standardBookingColumns.map(({ column }) => column)

/** The table of the nested elements, and how they name their record. */
const elementsOf: {
  readonly [Name in StoredName]: { readonly table: IngestedName; readonly key: readonly string[] }
} = {
  bookings: { table: 'segments', key: ['client_number', 'record_locator'] },
  invoices: { table: 'invoice_lines', key: ['company', 'invoice_number'] },
}

/**
 * The accepted records by client and default order, with the booking's standard columns beside them: an invoice takes the
 * custom data of its booking. Text is ordered by its UTF-8 bytes, which is code point order. From here on a record is known
 * by its `rowid`.
 */
function orderRows(stored: StoredName): string {
  const fields = storedCollections[stored].fields.map((field) => `record.${columnOf(field)}`)
  const order = ['client_number', ...datasets[stored].defaultOrder.map(toSnakeCase)]
  const booking = stored === 'bookings' ? 'record' : 'booking'
  const join =
    stored === 'bookings'
      ? ''
      : `LEFT JOIN ${orderedTable('bookings')} AS booking USING (client_number, record_locator)`
  return `CREATE TABLE ${orderedTable(stored)} AS
    SELECT ${list([...fields, ...standardColumns.map((column) => `${booking}.${column}`)])}
    FROM ${stagedTable(stored)} AS record ${join}
    WHERE record.fault IS NULL ORDER BY ${list(order.map((column) => `record.${column}`))}`
}

async function openStreams(
  stored: StoredName,
  words: WordColumns,
  database: WorkDatabase,
  signal: AbortSignal | undefined,
): Promise<Streams> {
  await database.run(orderRows(stored))
  const { fields, nested } = storedCollections[stored]
  const ordered = orderedTable(stored)
  const { table, key } = elementsOf[stored]
  const streamed = (name: IngestedName, alias: string, column: string, type: FieldType): StreamedColumn => ({
    sql: `${alias}.${column}`,
    type,
    words: words.get(`${name}.${column}`),
  })
  const open = (query: StreamQuery) => RowStream.open(database, query, signal)
  const records = await open({
    owner: 'record.rowid',
    columns: [
      ...fields.map((field) => streamed(stored, 'record', columnOf(field), field.type)),
      ...standardColumns.map((column) => streamed('bookings', 'record', column, 'text')),
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
  return { records, elements, captured }
}

async function buildCollection(
  stored: StoredName,
  client: Client,
  streams: Streams,
): Promise<CollectionBuilder> {
  const { records, elements, captured } = streams
  const { labels } = client
  const builder = new CollectionBuilder(stored, client.clientNumber, labels.labels)
  const { fields } = storedCollections[stored]
  const clientAt = fields.findIndex(({ name }) => name === 'clientNumber')
  while (records.ready || (await records.load())) {
    if (records.peek()[clientAt] !== client.clientNumber) break
    const { owner } = records
    const row = records.take()
    const custom = ownValues(labels, row.slice(fields.length))
    while ((captured.ready || (await captured.load())) && captured.owner === owner) {
      const [field = null, value = null] = captured.take()
      fillIn(labels, custom, field, value)
    }
    const nested: FieldValue[][] = []
    while ((elements.ready || (await elements.load())) && elements.owner === owner)
      nested.push(elements.take())
    builder.append({ values: row.slice(0, fields.length), custom, elements: nested })
  }
  return builder
}

/** Whatever is left over belongs to no client in turn: the database's order and ours would differ. */
async function refuseLeftovers(streams: Streams): Promise<void> {
  for (const [name, stream] of Object.entries(streams)) {
    if (await stream.load()) throw new Error(`Rows of the ${name} were left over after the last client`)
  }
}
