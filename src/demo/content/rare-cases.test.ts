import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { TableName } from '../../schema/extract-tables.ts'
import {
  bookingKey,
  type Extract,
  groupsOf,
  invoiceKey,
  keyOf,
  keysOf,
  makeExtract,
  type Row,
} from '../testing/extract-in-memory.ts'
import { countryOf } from './places.ts'

type SpecialCase = { readonly fact: string; readonly holds: (extract: Extract) => boolean }

const some = (table: TableName, holds: (row: Row) => boolean) => (extract: Extract) =>
  extract[table].some(holds)
const text = (value: unknown): string => String(value ?? '')
const label = (pattern: RegExp) => some('custom_field_labels', (row) => pattern.test(text(row.label)))
const name = (pattern: RegExp) => some('travellers', (row) => pattern.test(text(row.name)))
const linesOf = (lineType: string, holds: (line: Row) => boolean) =>
  some('invoice_lines', (line) => line.line_type === lineType && holds(line))

const specialCases: readonly SpecialCase[] = [
  ...['HK', 'XX', 'HX', 'UN', 'WL'].map((status) => ({
    fact: `a segment of status ${status}`,
    holds: some('segments', (row) => row.status === status),
  })),
  ...['AIR', 'HOTEL', 'CAR', 'RAIL'].map((type) => ({
    fact: `a segment of type ${type}`,
    holds: some('segments', (row) => row.segment_type === type),
  })),
  ...[true, false].flatMap((value) => [
    {
      fact: `a booking with is_ticketed ${value}`,
      holds: some('bookings', (row) => row.is_ticketed === value),
    },
    {
      fact: `a booking with is_international ${value}`,
      holds: some('bookings', (row) => row.is_international === value),
    },
  ]),
  {
    fact: 'a booking that is cancelled as a whole',
    holds: ({ segments }) =>
      [...groupsOf(segments, ...bookingKey).values()].some((its) =>
        its.every(({ status }) => status === 'XX'),
      ),
  },
  {
    fact: 'a booking without segments',
    holds: ({ bookings, segments }) => {
      const withSegments = keysOf(segments, ...bookingKey)
      return bookings.some((row) => !withSegments.has(keyOf(row, bookingKey)))
    },
  },
  {
    fact: 'a train that crosses a border',
    holds: some(
      'segments',
      (row) =>
        row.segment_type === 'RAIL' && countryOf(text(row.origin)) !== countryOf(text(row.destination)),
    ),
  },
  {
    fact: 'a trip of more than three flights',
    holds: ({ segments }) =>
      [...groupsOf(segments, ...bookingKey).values()].some(
        (its) => its.filter(({ segment_type }) => segment_type === 'AIR').length > 3,
      ),
  },
  {
    fact: 'a booking with a gap in its segment numbers',
    holds: ({ segments }) =>
      [...groupsOf(segments, ...bookingKey).values()].some(
        (its) => its.at(-1)?.segment_number !== its.length,
      ),
  },
  {
    fact: 'a booking of several travellers',
    holds: ({ travellers, bookings }) => travellers.length > bookings.length,
  },
  ...[0, 2].map((count) => ({
    fact: `a booking with ${count} invoices`,
    holds: ({ bookings, invoices }: Extract) => {
      const byBooking = groupsOf(invoices, ...bookingKey)
      return bookings.some((row) => (byBooking.get(keyOf(row, bookingKey))?.length ?? 0) === count)
    },
  })),
  {
    fact: 'an invoice number used by several companies',
    holds: ({ invoices }) => keysOf(invoices, 'invoice_number').size < invoices.length,
  },
  { fact: 'three companies', holds: ({ invoices }) => keysOf(invoices, 'company').size === 3 },
  ...['FARE', 'TAX', 'FEE', 'HOTEL', 'CAR'].map((lineType) => ({
    fact: `a ${lineType} line`,
    holds: linesOf(lineType, () => true),
  })),
  ...['DISCOUNT', 'CREDIT', 'REFUND', 'TAX'].map((lineType) => ({
    fact: `a negative ${lineType} line`,
    holds: linesOf(lineType, (line) => Number(line.line_amount_inc_gst) < 0),
  })),
  ...[10, 0, null].map((percent) => ({
    fact: `a line with ${percent} percent GST`,
    holds: some('invoice_lines', (line) => line.gst_percent === percent),
  })),
  { fact: 'a unit price of 0.00001', holds: some('invoice_lines', (line) => line.unit_price === 0.00001) },
  {
    fact: 'a unit price with five decimals',
    holds: some('invoice_lines', (line) => /\.\d{5}$/.test(text(line.unit_price))),
  },
  {
    fact: 'a quantity that is not whole',
    holds: some('invoice_lines', (line) => !Number.isInteger(line.quantity)),
  },
  { fact: 'a discounted fare', holds: linesOf('FARE', (line) => Number(line.line_discount_amount) > 0) },
  {
    fact: 'an invoice paid in part',
    holds: ({ invoices, payments }) => {
      const paid = keysOf(payments, ...invoiceKey)
      return invoices.some((row) => Number(row.balance_amount) > 0 && paid.has(keyOf(row, invoiceKey)))
    },
  },
  {
    fact: 'test card numbers and no others',
    holds: ({ payments }) => {
      const cards = keysOf(payments, 'card_number')
      const tests = ['4111111111111111', '378282246310005', '5555555555554444', '30569309025904', '']
      return cards.has('4111111111111111') && [...cards].every((card) => tests.includes(card))
    },
  },
  { fact: 'a blank custom value', holds: some('booking_custom_data', (row) => row.value === '') },
  { fact: 'a label with spaces', holds: label(/ /) },
  { fact: 'a label with quotes', holds: label(/"/) },
  { fact: 'a label with an apostrophe', holds: label(/'/) },
  { fact: 'a label with letters beyond ASCII', holds: label(/\P{ASCII}/u) },
  { fact: 'a label with a dot', holds: label(/\./) },
  { fact: 'a label that is a reserved word', holds: label(/^and$/) },
  {
    fact: 'labels of booking columns and of booking_custom_data rows',
    holds: ({ custom_field_labels, booking_custom_data }) => {
      const fields = keysOf(custom_field_labels, 'field')
      return fields.has('cost_centre') && booking_custom_data.some((row) => fields.has(text(row.field)))
    },
  },
  { fact: 'a traveller called Zoë', holds: name(/^Zoë/) },
  { fact: 'a traveller called Łukasz', holds: name(/^Łukasz/) },
  { fact: 'a traveller called 李', holds: name(/^李/) },
  { fact: 'a traveller with an apostrophe', holds: name(/'/) },
  { fact: 'a traveller with quotes', holds: name(/"/) },
  { fact: 'a traveller with a comma', holds: name(/,/) },
]

for (const { clients, bookings } of [
  { clients: 5, bookings: 50 },
  { clients: 1, bookings: 50 },
  { clients: 100, bookings: 50 },
]) {
  describe(`an extract of ${clients} clients and ${bookings} bookings`, () => {
    let extract: Extract
    before(async () => {
      extract = await makeExtract(clients, bookings)
    })

    for (const { fact, holds } of specialCases) {
      test(`has ${fact}`, () => assert.ok(holds(extract)))
    }
  })
}

describe('among five clients', () => {
  let extract: Extract
  before(async () => {
    extract = await makeExtract(5, 50)
  })

  test('one has no bookings and one has no labels', () => {
    const numbers = extract.clients.map(({ client_number }) => client_number)
    const trading = keysOf(extract.bookings, 'client_number')
    const labelled = keysOf(extract.custom_field_labels, 'client_number')
    assert.ok(numbers.some((number) => !trading.has(String(number))))
    assert.ok(numbers.some((number) => !labelled.has(String(number))))
  })

  test('two use the same record locator', () => {
    assert.ok(keysOf(extract.bookings, 'record_locator').size < extract.bookings.length)
  })

  test('labels differ', () => {
    const byClient = groupsOf(extract.custom_field_labels, 'client_number')
    const sets = [...byClient.values()].map((rows) => rows.map(({ label }) => label).join('|'))
    assert.equal(new Set(sets).size, sets.length)
  })
})
