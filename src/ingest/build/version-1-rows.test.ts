/** The rows of version 1, with the finished JSON of their lists written out byte by byte. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { storedCollections } from '../../schema/datasets.ts'
import type { FieldValue } from '../../schema/field.ts'
import { LineItemV1, PaymentV1 } from '../../schema/version-1-shapes.ts'
import { partWriter } from './part-json.ts'
import type { NamedColumn, RecordColumns, RecordKind } from './record-streams.ts'
import { streamColumns } from './record-streams.ts'
import { type RecordParts, version1Rows } from './version-1-rows.ts'
import { paymentSources } from './version-1-sources.ts'

type Values = Readonly<Record<string, FieldValue>>

/** A row that holds these values under the names of their columns, and null elsewhere. */
const rowOf = (columns: readonly NamedColumn[], values: Values): readonly FieldValue[] => {
  for (const name of Object.keys(values)) {
    assert.ok(
      columns.some((column) => column.name === name),
      `there is no column ${name}`,
    )
  }
  return columns.map(({ name }) => values[name] ?? null)
}

function partsOf(
  kind: RecordKind,
  { record, elements = [], parties = [] }: { record: Values; elements?: Values[]; parties?: Values[] },
): RecordParts {
  const columns = streamColumns(kind)
  return {
    record: rowOf(columns.records.columns, record),
    elements: elements.map((values) => rowOf(columns.elements.columns, values)),
    parties: parties.map((values) => rowOf(columns.parties.columns, values)),
    nestedJson: '[{"segmentNumber":1}]',
  }
}

const rowsOf =
  <Made>({ valuesOf, rowOf: make }: RowMaker<Made>) =>
  (parts: RecordParts, clientName: string): Made =>
    make(parts, valuesOf(parts, clientName))

type RowMaker<Made> = {
  readonly valuesOf: (parts: RecordParts, clientName: string) => readonly FieldValue[]
  readonly rowOf: (parts: RecordParts, values: readonly FieldValue[]) => Made
}

/** The values of a stored row under the names of their fields, nulls left out. */
const named = (stored: 'bookings-v1' | 'invoices-v1', values: readonly FieldValue[]) =>
  Object.fromEntries(
    storedCollections[stored].fields.flatMap(({ name }, i) =>
      values[i] === null ? [] : [[name, values[i]]],
    ),
  )

describe('a booking of version 1', () => {
  const bookingRow = rowsOf(version1Rows.bookings(streamColumns('bookings')))

  it('has its values under the version 1 names, the number of its segments, and both lists', () => {
    const parts = partsOf('bookings', {
      record: {
        client_number: 'C1',
        record_locator: 'ABC123',
        modified_at: 60,
        is_ticketed: true,
        employee_id: 'E7',
        custom_data2: 'second',
        total_air_duration_seconds: 3600,
      },
      elements: [{ segment_number: 1 }, { segment_number: 2 }],
      parties: [{ name: 'Zoë "Z" O’Neil', department: null }, { department: 'Sales' }],
    })
    const { values, lists } = bookingRow(parts, 'Acme')
    assert.deepEqual(named('bookings-v1', values), {
      recordLocator: 'ABC123',
      clientNumber: 'C1',
      modifiedDateTime: 60,
      isTicketed: true,
      employeeId: 'E7',
      customData2: 'second',
      segmentCount: 2,
      totalAirDurationSeconds: 3600,
    })
    assert.deepEqual(lists, {
      travellers: '[{"name":"Zoë \\"Z\\" O’Neil","department":null},{"name":null,"department":"Sales"}]',
      segments: '[{"segmentNumber":1}]',
    })
  })
})

describe('an invoice of version 1', () => {
  const invoiceRow = rowsOf(version1Rows.invoices(streamColumns('invoices')))

  it('has exact sums, lines with members of the linked booking, and its payments', () => {
    const parts = partsOf('invoices', {
      record: {
        invoice_number: 'I-1',
        client_number: 'C1',
        department: 'Finance',
        balance_amount: -5,
        'booking.employee_id': 'E7',
        'booking.cost_centre': 'CC',
        'booking.purchase_order': 'PO',
        'booking.booked_by': 'Bo',
        'booking.authorised_by': 'Al',
        'booking.custom_data1': 'one',
        'booking.custom_data2': 'two',
        'booking.trip_start_local': 1439,
        'booking.trip_end_local': 1440,
      },
      elements: [
        {
          traveller_name: 'Ann',
          product_code: 'AIR',
          vendor_name: 'QF',
          ticket_number: 'T1',
          original_ticket_number: 'T0',
          line_amount_ex_gst: 10_000_000,
          line_amount_inc_gst: 11_000_001,
        },
        { line_amount_ex_gst: null, line_amount_inc_gst: -1 },
      ],
      parties: [
        {
          merchant: 'Shop',
          received_date: 1,
          form_of_payment: 'CARD',
          card_number: '****1111',
          card_holder: 'A N',
          amount: 150_000,
        },
        { amount: 0 },
      ],
    })
    const { values, lists } = invoiceRow(parts, 'Acme Pty')
    assert.deepEqual(named('invoices-v1', values), {
      invoiceNumber: 'I-1',
      clientNumber: 'C1',
      clientName: 'Acme Pty',
      department: 'Finance',
      netAmount: 10_000_000,
      gstAmount: 1_000_001,
      totalAmount: 11_000_000,
      balanceAmount: -5,
    })
    const booking =
      '"costCentre":"CC","purchaseOrder":"PO","bookedBy":"Bo","authorisedBy":"Al","customData1":"one","customData2":"two"'
    const travel = '"travelDate":"1970-01-01","returnDate":"1970-01-02"'
    assert.equal(
      lists.lineItems,
      `[{"travellerName":"Ann","employeeId":"E7","product":"AIR","vendorName":"QF","ticketOrConfirmationNumber":"T1","originalTicketNumber":"T0",${travel},"netAmount":100,"gstAmount":10.00001,"totalAmount":110.00001,${booking}},` +
        `{"travellerName":null,"employeeId":"E7","product":null,"vendorName":null,"ticketOrConfirmationNumber":null,"originalTicketNumber":null,${travel},"netAmount":null,"gstAmount":null,"totalAmount":-0.00001,${booking}}]`,
    )
    assert.equal(
      lists.payments,
      '[{"merchant":"Shop","receivedDate":"1970-01-02","formOfPayment":"CARD","cardNumber":"****1111","cardHolder":"A N","amount":1.5},' +
        '{"merchant":null,"receivedDate":null,"formOfPayment":null,"cardNumber":null,"cardHolder":null,"amount":0}]',
    )
  })

  it('has empty lists and sums of 0 without lines, payments and booking', () => {
    const { values, lists } = invoiceRow(partsOf('invoices', { record: { invoice_number: 'I-2' } }), 'Acme')
    assert.deepEqual(named('invoices-v1', values), {
      invoiceNumber: 'I-2',
      clientName: 'Acme',
      netAmount: 0,
      gstAmount: 0,
      totalAmount: 0,
    })
    assert.deepEqual(lists, { lineItems: '[]', payments: '[]' })
  })
})

describe('the parts of a record', () => {
  const columns: RecordColumns = streamColumns('invoices')
  const part = columns.parties.columns
  const record = columns.records.columns

  it('cannot be written when a source has no column, or a column of another type', () => {
    const without = part.filter(({ name }) => name !== 'card_holder')
    assert.throws(
      () => partWriter(PaymentV1, paymentSources, { record, part: without }),
      /The stream has no column 'card_holder'/,
    )
    const mistyped = part.map(
      ({ name, type }) => ({ name, type: name === 'amount' ? 'text' : type }) as const,
    )
    assert.throws(
      () => partWriter(PaymentV1, paymentSources, { record, part: mistyped }),
      /Expected a decimal for amount, found text/,
    )
  })

  it('cannot be written when a member of the shape has no source', () => {
    assert.throws(
      () => partWriter(LineItemV1, paymentSources, { record, part }),
      /Expected a text for travellerName, found no source/,
    )
  })
})
