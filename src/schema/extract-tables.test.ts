/** Compares the extract tables with the list for operators: one line per table, `?` after nullable columns. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { datasets } from './datasets.ts'
import {
  type ExtractTable,
  extractTables,
  itineraryColumns,
  standardBookingColumns,
  type TableName,
} from './extract-tables.ts'

const documented: { readonly [Name in TableName]: string } = {
  clients: 'client_number, name',
  custom_field_labels: 'client_number, field, label',
  bookings:
    'client_number, record_locator, originating_agency, booking_date, modified_at, is_ticketed, is_international, ' +
    'trip_start_local, trip_end_local, traveller?, department?, employee_id?, cost_centre?, purchase_order?, ' +
    'booked_by?, authorised_by?, custom_data1?, custom_data2?, trip_start_utc?, trip_end_utc?, total_air_distance?, ' +
    'total_air_duration?, total_air_duration_seconds?, currency_code?',
  // The value may be null: a CSV file cannot distinguish an empty value from none, and empty values are omitted anyway.
  booking_custom_data: 'client_number, record_locator, field, value?',
  travellers: 'client_number, record_locator, name?, department?',
  segments:
    'client_number, record_locator, segment_number, segment_type, start_local?, end_local?, origin?, destination?, ' +
    'vendor?, code?, status?',
  invoices:
    'company, client_number, record_locator?, invoice_number, invoice_date, payment_terms_code?, due_date, ' +
    'obt_source?, source_travel_header?, collective_statement_no?, cust_ledger_entry_no?, department?, balance_amount?, ' +
    'currency_code?',
  invoice_lines:
    'client_number?, company, invoice_number, line_number, line_type, product_code?, description?, quantity?, unit_price?, ' +
    'line_discount_amount?, line_amount_ex_gst?, line_amount_inc_gst?, gst_percent?, traveller_name?, vendor_name?, ' +
    'ticket_number?, original_ticket_number?',
  payments:
    'client_number?, company, invoice_number, merchant?, received_date?, form_of_payment?, card_number?, card_holder?, amount',
}

const identities: { readonly [Name in TableName]: string } = {
  clients: 'client_number',
  custom_field_labels: 'client_number, label',
  bookings: 'client_number, record_locator',
  booking_custom_data: 'client_number, record_locator, field',
  travellers: '',
  segments: 'client_number, record_locator, segment_number',
  invoices: 'company, invoice_number',
  invoice_lines: 'company, invoice_number, line_number',
  payments: '',
}

const tables: readonly ExtractTable[] = Object.values(extractTables)

describe('extractTables', () => {
  for (const table of tables) {
    it(`lists the columns of ${table.name} and which of them may be null`, () => {
      const columns = table.columns.map(({ column, nullable }) => (nullable ? `${column}?` : column))
      assert.equal(columns.join(', '), documented[table.name])
    })

    it(`identifies a row of ${table.name} by columns that are never null`, () => {
      assert.equal(table.identity.join(', '), identities[table.name])
      for (const name of table.identity) {
        assert.equal(table.columns.find(({ column }) => column === name)?.nullable, false, name)
      }
    })
  }

  it('have their own names as keys', () => {
    for (const [name, table] of Object.entries(extractTables)) assert.equal(table.name, name)
  })

  it('require clients and bookings only', () => {
    const needed = tables.filter(({ required }) => required).map(({ name }) => name)
    assert.deepEqual(needed, ['clients', 'bookings'])
  })

  it('do not require the columns that only version 1, custom labels and queries use', () => {
    const dispensable = tables
      .filter(({ name }) => name !== 'travellers' && name !== 'payments')
      .flatMap(({ name, columns }) =>
        columns.filter(({ required }) => !required).map(({ column }) => `${name}.${column}`),
      )
    assert.deepEqual(dispensable, [
      ...[...standardBookingColumns, ...itineraryColumns].map(({ column }) => `bookings.${column}`),
      'bookings.currency_code',
      'invoices.department',
      'invoices.balance_amount',
      'invoices.currency_code',
      'invoice_lines.client_number',
      'invoice_lines.traveller_name',
      'invoice_lines.vendor_name',
      'invoice_lines.ticket_number',
      'invoice_lines.original_ticket_number',
    ])
  })

  it('require all columns that are not nullable', () => {
    for (const { name, columns } of tables) {
      for (const { column, nullable, required } of columns)
        assert.ok(required || nullable, `${name}.${column}`)
    }
  })

  it('take types and lengths of version 2 columns from the records', () => {
    const sources = [
      [extractTables.bookings, datasets.bookings.fields],
      [extractTables.segments, datasets.itineraries.nested?.fields],
      [extractTables.invoices, datasets.invoices.fields],
      [extractTables.invoice_lines, datasets.invoices.nested?.fields],
    ] as const
    for (const [{ name, columns }, fields] of sources) {
      for (const { name: field, type, maxLength } of fields ?? []) {
        const column = columns.find((candidate) => candidate.name === field)
        assert.deepEqual([column?.type, column?.maxLength], [type, maxLength], `${name}.${field}`)
      }
    }
  })

  it('use one length for a key in every table', () => {
    const lengths = { client_number: 20, record_locator: 6, company: 30, invoice_number: 20 }
    for (const { name, columns } of tables) {
      for (const [key, length] of Object.entries(lengths)) {
        const column = columns.find((candidate) => candidate.column === key)
        if (column !== undefined)
          assert.deepEqual([column.type, column.maxLength], ['text', length], `${name}.${key}`)
      }
    }
  })
})
