/**
 * The tables as a refresh uses them: their order, and the parent of each. Columns, lengths and identities come from the
 * schema.
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
  /** Each row needs a row of this table that exists and was accepted. */
  readonly parent: Parent | undefined
}

export type Parent = {
  readonly table: TableName
  /** The columns that identify the parent; they have the same names in both tables. */
  readonly columns: readonly string[]
  /** The rule that a row without a parent breaks. */
  readonly rule: string
  /** Where rows may leave out their client: the other columns of the parent's key, and the rule for a wrong client. */
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

/** A booking is not the parent of its invoices: many invoices do not originate from a tracked booking (specification 2.4). */
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

/** Whether whole records of version 2 do not show the table, so that an extract may leave it out on purpose. */
export const isBeyondWholeRecords = (table: TableName): boolean =>
  table === 'travellers' || table === 'payments'

/** Lines and payments belong to invoices: these tables may only be left out together. */
const ofInvoices: readonly TableName[] = ['invoices', 'invoice_lines']

/** The tables among the missing ones without which an extract is incomplete. */
export function neededOf(missing: readonly TableName[]): readonly TableName[] {
  const hasInvoices = ['payments' as const, ...ofInvoices].some((table) => !missing.includes(table))
  return missing.filter(
    (table) => extractTables[table].required || (hasInvoices && ofInvoices.includes(table)),
  )
}

/**
 * How the values of a table with card numbers are masked before they are written anywhere; null for any other table. A card
 * number may be in a wrong or an unknown column, so all columns are masked except those that identify the parent.
 */
export function maskingOf({ columns, parent }: IngestedTable): MaskingOf | null {
  const masked = new Map(columns.map((column) => [column.column, column.masked]))
  if (columns.every((column) => column.masked === undefined)) return null
  const types = new Map(columns.map(({ column, type }) => [column, type]))
  const otherwise = (column: string) => ((types.get(column) ?? 'text') === 'text' ? 'text' : 'value')
  return (column) => masked.get(column) ?? (parent?.columns.includes(column) ? undefined : otherwise(column))
}

/** The mask for text that quotes rows of the table, or values of its column: numbers and dates are no card numbers. */
export function quoteMask(table: string, column: string | null = null): (text: string) => string {
  if (holdsCardNumbers(table)) return maskWidely
  const type = ingestedTables
    .find(({ name }) => name === table)
    ?.columns.find((known) => known.column === column)?.type
  return type === undefined || type === 'text' ? maskCardNumbersIn : asItIs
}

const asItIs = (text: string): string => text

export const holdsCardNumbers = (table: string): boolean =>
  ingestedTables.some((known) => known.name === table && maskingOf(known) !== null)
