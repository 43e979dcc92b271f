/**
 * The tables as a refresh uses them: in which order, and which row each row belongs to. Columns, lengths and identities
 * are those of the schema; nothing here repeats them.
 */

import {
  type ExtractColumn,
  type ExtractTable,
  extractTables,
  type TableName,
} from '../schema/extract-tables.ts'
import { type MaskingOf, maskCardNumbersIn, maskWidely } from './card-numbers.ts'

/** Parents come before their children. */
const tableNames: readonly TableName[] = [
  'clients',
  'custom_field_labels',
  'bookings',
  'booking_custom_data',
  'travellers',
  'segments',
  'invoices',
  'invoice_lines',
  'payments',
]

export type IngestedTable = {
  readonly name: TableName
  readonly schema: ExtractTable
  readonly columns: readonly ExtractColumn[]
  /** The row that must exist, and must have been accepted, for a row of this table to be accepted. */
  readonly parent: Parent | undefined
}

export type Parent = {
  readonly table: TableName
  /** The columns that name it, by the same names in both tables. */
  readonly columns: readonly string[]
  /** The rule that a row without a parent breaks. */
  readonly rule: string
  /** Where rows need not say whose they are: what else names the parent, and the rule that a row of another client breaks. */
  readonly unowned?: { readonly columns: readonly string[]; readonly rule: string }
}

const ofClient: Parent = { table: 'clients', columns: ['client_number'], rule: 'client.unknown' }
const ofBooking: Parent = {
  table: 'bookings',
  columns: ['client_number', 'record_locator'],
  rule: 'reference.booking',
}
const ofInvoice: Parent = {
  table: 'invoices',
  columns: ['client_number', 'company', 'invoice_number'],
  rule: 'reference.invoice',
  unowned: { columns: ['company', 'invoice_number'], rule: 'reference.client' },
}

/** An invoice's booking is no parent: many invoices do not originate from a tracked booking (specification 2.4). */
const parents: { readonly [Name in TableName]: Parent | undefined } = {
  clients: undefined,
  custom_field_labels: ofClient,
  bookings: ofClient,
  booking_custom_data: ofBooking,
  travellers: ofBooking,
  segments: ofBooking,
  invoices: ofClient,
  invoice_lines: ofInvoice,
  payments: ofInvoice,
}

export const ingestedTables: readonly IngestedTable[] = tableNames.map((name) => ({
  name,
  schema: extractTables[name],
  columns: extractTables[name].columns,
  parent: parents[name],
}))

/**
 * How the values of a table with card numbers are masked before they are written anywhere; null for any other table. A
 * number may stand in a wrong column or in one that nobody knows, so all are looked at but those that name the parent.
 */
export function maskingOf({ columns, parent }: IngestedTable): MaskingOf | null {
  const masked = new Map(columns.map((column) => [column.column, column.masked]))
  if (columns.every((column) => column.masked === undefined)) return null
  return (column) => masked.get(column) ?? (parent?.columns.includes(column) ? undefined : 'text')
}

/** What is done to text that quotes rows of the table. */
export const quoteMask = (table: string): ((text: string) => string) =>
  holdsCardNumbers(table) ? maskWidely : maskCardNumbersIn

export const holdsCardNumbers = (table: string): boolean =>
  ingestedTables.some((known) => known.name === table && maskingOf(known) !== null)
