/**
 * The tables of a warehouse extract: column names in snake_case, their types and limits. Columns of version 2 records take
 * type and limit from the shape of the record; the other columns belong to version 1 or can only be named in queries, and may be missing.
 */

import { LONGEST_CLIENT_NUMBER } from '../kernel/client-number.ts'
import { storedCollections } from './datasets.ts'
import { type Field, toSnakeCase } from './field.ts'

export type ExtractColumn = Field & {
  /** Name in the extract. */
  readonly column: string
  /** False when the whole column may be missing from the extract. */
  readonly required: boolean
  /**
   * The values are card numbers (`number`) or may contain some (`text`): all but the last four digits are masked before
   * anything is stored.
   */
  readonly masked?: 'number' | 'text'
  /** The values name a client, and must have the form of a client number (client-number.ts). */
  readonly namesClient?: true
}

export type ExtractTable = {
  readonly name: TableName
  readonly columns: readonly ExtractColumn[]
  /**
   * The columns that identify a row within its client; a second row with the same identity is a duplicate. Empty when rows
   * need not be unique.
   */
  readonly identity: readonly string[]
  /** False when an extract may leave the table out. */
  readonly required: boolean
}

export type TableName =
  | 'clients'
  | 'custom_field_labels'
  | 'bookings'
  | 'booking_custom_data'
  | 'travellers'
  | 'segments'
  | 'invoices'
  | 'invoice_lines'
  | 'payments'

const { bookings, invoices } = storedCollections

const fromShape = (fields: readonly Field[]): readonly ExtractColumn[] =>
  fields.map((field) => ({
    ...field,
    column: toSnakeCase(field.name),
    required: true,
    ...(field.name === 'clientNumber' && { namesClient: true }),
  }))

const key = (name: string, maxLength: number): ExtractColumn => ({
  name,
  column: toSnakeCase(name),
  type: 'text',
  nullable: false,
  maxLength,
  required: true,
})

const optional = (name: string, type: Field['type'], maxLength?: number): ExtractColumn => ({
  name,
  column: toSnakeCase(name),
  type,
  nullable: true,
  maxLength,
  required: false,
})

const optionalText = (...names: string[]): readonly ExtractColumn[] =>
  names.map((name) => optional(name, 'text'))

const clientNumber = { ...key('clientNumber', LONGEST_CLIENT_NUMBER), namesClient: true } as const
/** On lines and payments of an invoice. Without it, company and invoice number alone determine the client. */
const ownerNumber = {
  ...optional('clientNumber', 'text', LONGEST_CLIENT_NUMBER),
  namesClient: true,
} as const
const recordLocator = key('recordLocator', 6)
const company = key('company', 30)
const invoiceNumber = key('invoiceNumber', 20)

/** Booking columns that a client's custom labels may name (and that version 1 shows under their own names). */
export const standardBookingColumns = optionalText(
  'traveller',
  'department',
  'employeeId',
  'costCentre',
  'purchaseOrder',
  'bookedBy',
  'authorisedBy',
  'customData1',
  'customData2',
)

/** Booking columns that version 1 itineraries show. */
export const itineraryColumns: readonly ExtractColumn[] = [
  optional('tripStartUtc', 'minute'),
  optional('tripEndUtc', 'minute'),
  optional('totalAirDistance', 'decimal'),
  optional('totalAirDuration', 'text'),
  optional('totalAirDurationSeconds', 'integer'),
]

/** The currency of a booking's or an invoice's amounts, which only queries show. */
export const currencyColumn = optional('currencyCode', 'text', 3)

/** Columns that version 1 invoices and their lines show. */
export const invoiceColumns: readonly ExtractColumn[] = [
  ...optionalText('department'),
  optional('balanceAmount', 'decimal'),
]
export const lineColumns = optionalText('travellerName', 'vendorName', 'ticketNumber', 'originalTicketNumber')

export const extractTables: { readonly [Name in TableName]: ExtractTable } = {
  clients: {
    name: 'clients',
    columns: [clientNumber, key('name', 200)],
    identity: ['client_number'],
    required: true,
  },
  custom_field_labels: {
    name: 'custom_field_labels',
    columns: [clientNumber, key('field', 100), key('label', 200)],
    identity: ['client_number', 'label'],
    required: false,
  },
  bookings: {
    name: 'bookings',
    columns: [...fromShape(bookings.fields), ...standardBookingColumns, ...itineraryColumns, currencyColumn],
    identity: ['client_number', 'record_locator'],
    required: true,
  },
  booking_custom_data: {
    name: 'booking_custom_data',
    columns: [
      clientNumber,
      recordLocator,
      key('field', 100),
      { ...optional('value', 'text'), required: true },
    ],
    identity: ['client_number', 'record_locator', 'field'],
    required: false,
  },
  travellers: {
    name: 'travellers',
    columns: [clientNumber, recordLocator, ...optionalText('name', 'department')],
    identity: [],
    required: false,
  },
  segments: {
    name: 'segments',
    columns: [clientNumber, recordLocator, ...fromShape(bookings.nested.fields)],
    identity: ['client_number', 'record_locator', 'segment_number'],
    required: false,
  },
  invoices: {
    name: 'invoices',
    columns: [...fromShape(invoices.fields), ...invoiceColumns, currencyColumn],
    identity: ['company', 'invoice_number'],
    required: false,
  },
  invoice_lines: {
    name: 'invoice_lines',
    columns: [ownerNumber, company, invoiceNumber, ...fromShape(invoices.nested.fields), ...lineColumns],
    identity: ['company', 'invoice_number', 'line_number'],
    required: false,
  },
  payments: {
    name: 'payments',
    columns: [
      ownerNumber,
      company,
      invoiceNumber,
      // A form of payment often contains the card number, as in VI4111111111111111/1227.
      { ...optional('merchant', 'text'), masked: 'text' },
      optional('receivedDate', 'date'),
      { ...optional('formOfPayment', 'text'), masked: 'text' },
      { ...optional('cardNumber', 'text'), masked: 'number' },
      { ...optional('cardHolder', 'text'), masked: 'text' },
      { ...optional('amount', 'decimal'), nullable: false, required: true },
    ],
    identity: [],
    required: false,
  },
}
