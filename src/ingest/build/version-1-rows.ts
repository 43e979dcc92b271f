/**
 * The rows of version 1 from the very rows that version 2 is built of (design 7.2): names are those of the older records,
 * amounts are exact sums of the lines, and what an invoice line does not carry itself it takes from the invoice's booking.
 */
import { formatDate, formatMinute, MINUTES_PER_DAY } from '../../kernel/calendar.ts'
import { formatScaled } from '../../kernel/decimal.ts'
import { storedCollections } from '../../schema/datasets.ts'
import { type FieldType, type FieldValue, toSnakeCase } from '../../schema/field.ts'
import type { StoredRow } from '../../snapshot/format/collection-builder.ts'
import { type NamedColumn, ofBooking, placesOf, type RecordStreams } from './record-streams.ts'

type Row = readonly FieldValue[]

/** What belongs to one record: the rows of its elements and of its travellers or payments. */
type RecordParts = {
  readonly record: Row
  readonly elements: readonly Row[]
  readonly parties: readonly Row[]
  /** The nested collection as version 2 writes it. */
  readonly nestedJson: string
}

type Version1Row = (parts: RecordParts, clientName: string) => StoredRow

export function bookingRows({ records, parties }: RecordStreams): Version1Row {
  const { fields } = storedCollections['bookings-v1']
  const sourceOf = (name: string) => (name === 'modifiedDateTime' ? 'modified_at' : toSnakeCase(name))
  const copied = copierOf(records.columns, fields, new Set(['segmentCount']), sourceOf)
  const travellerJson = objectWriter(parties.columns, { name: 'name', department: 'department' })
  return ({ record, elements, parties: travellers, nestedJson }) => ({
    values: copied(record, { segmentCount: elements.length }),
    custom: [],
    elements: [],
    lists: [`[${travellers.map(travellerJson).join(',')}]`, nestedJson],
  })
}

export function invoiceRows(streams: RecordStreams): Version1Row {
  const { fields } = storedCollections['invoices-v1']
  const { columns } = streams.records
  const computed = new Set(['clientName', 'netAmount', 'gstAmount', 'totalAmount'])
  const copied = copierOf(columns, fields, computed, toSnakeCase)
  const linesOf = lineWriter(streams)
  const paymentJson = objectWriter(streams.parties.columns, {
    merchant: 'merchant',
    receivedDate: 'received_date',
    formOfPayment: 'form_of_payment',
    cardNumber: 'card_number',
    cardHolder: 'card_holder',
    amount: 'amount',
  })
  return ({ record, elements, parties: payments }, clientName) => {
    const { json, net, gst, total } = linesOf(record, elements)
    return {
      values: copied(record, { clientName, netAmount: net, gstAmount: gst, totalAmount: total }),
      custom: [],
      elements: [],
      lists: [json, `[${payments.map(paymentJson).join(',')}]`],
    }
  }
}

/** Puts a record's values into the order of the fields; the computed ones are handed in. */
function copierOf(
  columns: readonly NamedColumn[],
  fields: readonly { readonly name: string }[],
  computed: ReadonlySet<string>,
  sourceOf: (name: string) => string,
): (record: Row, values: Readonly<Record<string, FieldValue>>) => FieldValue[] {
  const places = fields.map(({ name }) =>
    computed.has(name) ? -1 : (placesOf(columns, [sourceOf(name)])[0] as number),
  )
  return (record, values) =>
    places.map((place, i) =>
      place < 0 ? (values[fields[i]?.name as string] as FieldValue) : (record[place] as FieldValue),
    )
}

type LineSums = { readonly json: string; readonly net: number; readonly gst: number; readonly total: number }

/** Ingestion has set aside every invoice whose sums would leave the range of exact integers. */
function lineWriter({ records, elements }: RecordStreams): (record: Row, lines: readonly Row[]) => LineSums {
  const [ex, inc] = placesOf(elements.columns, ['line_amount_ex_gst', 'line_amount_inc_gst']) as [
    number,
    number,
  ]
  const [start, end] = placesOf(records.columns, [
    ofBooking('trip_start_local'),
    ofBooking('trip_end_local'),
  ]) as [number, number]
  const bookingColumns = (...names: string[]) => placesOf(records.columns, names.map(ofBooking))
  const [employeeId] = bookingColumns('employee_id') as [number]
  const costs = bookingColumns('cost_centre', 'purchase_order', 'booked_by', 'authorised_by')
  const custom = bookingColumns('custom_data1', 'custom_data2')
  const bookingMembers = memberWriter(
    ['costCentre', 'purchaseOrder', 'bookedBy', 'authorisedBy', 'customData1', 'customData2'],
    [...costs, ...custom],
  )
  const employee = memberWriter(['employeeId'], [employeeId])
  const traveller = memberWriter(['travellerName'], placesOf(elements.columns, ['traveller_name']))
  const supplied = memberWriter(
    ['product', 'vendorName', 'ticketOrConfirmationNumber', 'originalTicketNumber'],
    placesOf(elements.columns, ['product_code', 'vendor_name', 'ticket_number', 'original_ticket_number']),
  )
  return (record, lines) => {
    const employeeJson = employee(record)
    const travelJson = `"travelDate":${dayJson(record[start])},"returnDate":${dayJson(record[end])}`
    const bookingJson = bookingMembers(record)
    let net = 0
    let gst = 0
    let total = 0
    let json = ''
    for (const line of lines) {
      const lineNet = line[ex] as number | null
      const lineTotal = line[inc] as number | null
      const lineGst = lineNet === null || lineTotal === null ? null : lineTotal - lineNet
      net += lineNet ?? 0
      gst += lineGst ?? 0
      total += lineTotal ?? 0
      const amounts = `"netAmount":${decimalJson(lineNet)},"gstAmount":${decimalJson(lineGst)},"totalAmount":${decimalJson(lineTotal)}`
      json += `${json === '' ? '' : ','}{${traveller(line)},${employeeJson},${supplied(line)},${travelJson},${amounts},${bookingJson}}`
    }
    return { json: `[${json}]`, net, gst, total }
  }
}

/** Text members, as the inside of a JSON object. */
function memberWriter(names: readonly string[], places: readonly number[]): (row: Row) => string {
  const prefixes = names.map((name) => `${JSON.stringify(name)}:`)
  return (row) => {
    let json = ''
    for (let i = 0; i < prefixes.length; i++) {
      const value = row[places[i] as number]
      json += (i === 0 ? '' : ',') + prefixes[i] + textJson(value)
    }
    return json
  }
}

/** An object of members by name, each from the column it names. */
function objectWriter(
  columns: readonly NamedColumn[],
  members: Readonly<Record<string, string>>,
): (row: Row) => string {
  const places = placesOf(columns, Object.values(members))
  const written = Object.keys(members).map((name, i) => {
    const place = places[i] as number
    return { prefix: `${JSON.stringify(name)}:`, place, write: valueJson[columns[place]?.type as FieldType] }
  })
  return (row) => `{${written.map(({ prefix, place, write }) => prefix + write(row[place])).join(',')}}`
}

type Value = FieldValue | undefined

const dayJson = (minute: Value): string =>
  minute == null ? 'null' : `"${formatDate(Math.floor((minute as number) / MINUTES_PER_DAY))}"`

const decimalJson = (scaled: Value): string => (scaled == null ? 'null' : formatScaled(scaled as number))

const textJson = (value: Value): string => (value == null ? 'null' : JSON.stringify(value))

const valueJson: { readonly [Type in FieldType]: (value: Value) => string } = {
  text: textJson,
  date: (day) => (day == null ? 'null' : `"${formatDate(day as number)}"`),
  minute: (minute) => (minute == null ? 'null' : `"${formatMinute(minute as number)}"`),
  boolean: String,
  integer: String,
  decimal: decimalJson,
}
