/**
 * Step 3 of a refresh: writes the staged rows to the snapshot's draft, client by client in stored order, for both versions
 * at once. The database sorts and joins; this file merges the streams. Memory holds the collections of one client at a time,
 * whatever the size of the extract.
 */
import type { FieldValue } from '../../schema/field.ts'
import { CollectionBuilder } from '../../snapshot/format/collection-builder.ts'
import type { TableRows } from '../../snapshot/writing/row-counts.ts'
import type { SnapshotDraft } from '../../snapshot/writing/snapshot-writer.ts'
import type { WorkDatabase } from '../work-database.ts'
import { additionalValues } from './additional-values.ts'
import { type Client, fillIn, ownValues } from './custom-labels.ts'
import { ownerCheck } from './owner-check.ts'
import {
  countInvoicesWithoutBooking,
  type NamedColumn,
  ofBooking,
  openStreams,
  type RecordKind,
  type RecordStreams,
} from './record-streams.ts'
import type { RowStream } from './row-stream.ts'
import { type Version1Collection, version1Collections } from './version-1-rows.ts'
import { findWords } from './words.ts'

export type BuildContext = {
  readonly database: WorkDatabase
  readonly draft: Pick<SnapshotDraft, 'add'>
  /** The rows of each table that are not set aside. */
  readonly accepted: TableRows
  /** Receives the number of records built since the last call. */
  readonly onBuilt: (records: number) => void
}

export type Built = {
  /** How many clients have the same records as in the previous snapshot. */
  readonly unchanged: number
  /** How many invoices name a booking that the snapshot does not have. */
  readonly invoicesWithoutBooking: number
}

export async function buildCollections(clients: readonly Client[], context: BuildContext): Promise<Built> {
  const { database, accepted } = context
  const words = await findWords(database, accepted)
  const bookings = await openStreams('bookings', words, accepted, database)
  // The database sorts the invoices while the bookings are being built.
  const invoices = openStreams('invoices', words, accepted, database)
  invoices.catch(() => undefined)
  const keptBookings = await buildAll('bookings', clients, bookings, context)
  const keptInvoices = await buildAll('invoices', clients, await invoices, context)
  return {
    unchanged: clients.filter(({ clientNumber: c }) => keptBookings.has(c) && keptInvoices.has(c)).length,
    invoicesWithoutBooking: await countInvoicesWithoutBooking(accepted, database),
  }
}

/** @returns the clients whose collections are the same as in the previous snapshot */
async function buildAll(
  kind: RecordKind,
  clients: readonly Client[],
  streams: RecordStreams,
  { draft, onBuilt }: BuildContext,
): Promise<ReadonlySet<string>> {
  const kept = new Set<string>()
  const merge = merger(kind, streams, onBuilt)
  for (const client of clients) {
    const { version1, version2 } = await merge(client)
    const added = [await draft.add(version2), await draft.add(version1.builder)]
    if (added.every((collection) => collection.kept)) kept.add(client.clientNumber)
  }
  await refuseLeftovers(streams)
  return kept
}

type Builders = { readonly version1: Version1Collection; readonly version2: CollectionBuilder }

/** The number of records between two progress reports. */
const REPORTED_RECORDS = 5000

/** Takes the records from the streams, one client after another. */
function merger(
  kind: RecordKind,
  streams: RecordStreams,
  onBuilt: BuildContext['onBuilt'],
): (client: Client) => Promise<Builders> {
  const { records, elements, captured, parties } = streams
  const clientAt = records.columns.findIndex(({ name }) => name === 'client_number')
  const checkOwner = ownerCheck(kind, streams)
  const additionalOf = additionalValues(kind, streams)
  const openVersion1 = version1Collections[kind](streams)
  return async (client) => {
    const { clientNumber, labels } = client
    const version2 = new CollectionBuilder(kind, clientNumber, labels.labels)
    const version1 = openVersion1(client)
    const labelAt = placesOfLabels(kind, labels.columns, records.columns)
    while (records.rows.ready || (await records.rows.load())) {
      if (records.rows.peek()[clientAt] !== clientNumber) break
      const { owner } = records.rows
      const record = records.rows.take()
      const custom = ownValues(labelAt, record)
      const ownCaptured = await rowsOf(captured.rows, owner)
      const ownElements = await rowsOf(elements.rows, owner)
      const ownParties = await rowsOf(parties.rows, owner)
      checkOwner(clientNumber, { record, captured: ownCaptured, elements: ownElements, parties: ownParties })
      for (const [field = null, value = null] of ownCaptured) fillIn(labels, custom, field, value)
      const version1Values = version1.valuesOf({ record, elements: ownElements })
      const nestedJson = version2.append({
        // The builder reads the fields of version 2; the columns that others use follow them.
        values: record,
        custom,
        elements: ownElements,
        lists: {},
        additional: additionalOf(record, version1Values),
        collections: [ownParties],
      })
      version1.append({ record, elements: ownElements, parties: ownParties, nestedJson }, version1Values)
      if (version2.rowCount % REPORTED_RECORDS === 0) onBuilt(REPORTED_RECORDS)
    }
    onBuilt(version2.rowCount % REPORTED_RECORDS)
    return { version1, version2 }
  }
}

const noRows: readonly FieldValue[][] = []

/** The rows of one owner. Returns without waiting when the owner has none and the next row is loaded. */
function rowsOf(
  stream: RowStream,
  owner: number,
): readonly FieldValue[][] | Promise<readonly FieldValue[][]> {
  if (stream.ready && stream.owner !== owner) return noRows
  return loadRowsOf(stream, owner)
}

async function loadRowsOf(stream: RowStream, owner: number): Promise<readonly FieldValue[][]> {
  const rows: FieldValue[][] = []
  while ((stream.ready || (await stream.load())) && stream.owner === owner) rows.push(stream.take())
  return rows
}

/** For each label, the place in the record of the booking's own column that the label shows; -1 where it shows none. */
function placesOfLabels(
  kind: RecordKind,
  labelColumns: readonly (string | undefined)[],
  columns: readonly NamedColumn[],
): readonly number[] {
  return labelColumns.map((label) => {
    if (label === undefined) return -1
    const wanted = kind === 'bookings' ? label : ofBooking(label)
    return columns.findIndex(({ name }) => name === wanted)
  })
}

/** @throws Error when rows are left over: then the database orders clients otherwise than the builder */
async function refuseLeftovers(streams: RecordStreams): Promise<void> {
  for (const [name, { rows }] of Object.entries(streams)) {
    if (await rows.load()) throw new Error(`Rows of the ${name} were left over after the last client`)
  }
}
