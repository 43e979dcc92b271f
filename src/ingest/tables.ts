/**
 * The tables that version 2 is built from, as a refresh uses them: which columns are read, and which row each row belongs
 * to. Columns, lengths and identities are those of the schema; nothing here repeats them.
 */
import {
  type ExtractColumn,
  type ExtractTable,
  extractTables,
  standardBookingColumns,
  type TableName,
} from '../schema/extract-tables.ts'

/** Parents come before their children. */
const ingestedNames = [
  'clients',
  'custom_field_labels',
  'bookings',
  'booking_custom_data',
  'segments',
  'invoices',
  'invoice_lines',
] as const satisfies readonly TableName[]

export type IngestedName = (typeof ingestedNames)[number]

export type IngestedTable = {
  readonly name: IngestedName
  readonly schema: ExtractTable
  /** The columns that are read, in the schema's order. */
  readonly columns: readonly ExtractColumn[]
  /** The row that must exist, and must have been accepted, for a row of this table to be accepted. */
  readonly parent: Parent | undefined
}

export type Parent = {
  readonly table: IngestedName
  /** The columns that name it, by the same names in both tables. */
  readonly columns: readonly string[]
  /** The rule that a row without a parent breaks. */
  readonly rule: string
}

const ofClient: Parent = { table: 'clients', columns: ['client_number'], rule: 'client.unknown' }
const ofBooking: Parent = {
  table: 'bookings',
  columns: ['client_number', 'record_locator'],
  rule: 'reference.booking',
}
const ofInvoice: Parent = {
  table: 'invoices',
  columns: ['company', 'invoice_number'],
  rule: 'reference.invoice',
}

/** An invoice's booking is no parent: many invoices do not originate from a tracked booking (specification 2.4). */
const parents: { readonly [Name in IngestedName]: Parent | undefined } = {
  clients: undefined,
  custom_field_labels: ofClient,
  bookings: ofClient,
  booking_custom_data: ofBooking,
  segments: ofBooking,
  invoices: ofClient,
  invoice_lines: ofInvoice,
}

/** Optional columns belong to version 1, except those of a booking that custom labels may name. */
const isRead = (table: IngestedName, { column, required }: ExtractColumn): boolean =>
  required || (table === 'bookings' && standardBookingColumns.some((standard) => standard.column === column))

export const ingestedTables: readonly IngestedTable[] = ingestedNames.map((name) => ({
  name,
  schema: extractTables[name],
  columns: extractTables[name].columns.filter((column) => isRead(name, column)),
  parent: parents[name],
}))
