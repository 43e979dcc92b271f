/**
 * Lists the source of every member of a version 1 record (design 7.2): one row for each member of the shapes in
 * schema/version-1-shapes.ts, which define order and JSON type. A member without a row here does not compile.
 */
import { MINUTES_PER_DAY } from '../../kernel/calendar.ts'
import type { FieldMember } from '../../schema/datasets.ts'
import type { FieldType, FieldValue } from '../../schema/field.ts'
import type { LineItemV1, PaymentV1, TravellerV1 } from '../../schema/version-1-shapes.ts'
import { type NamedColumn, ofBooking, placeOf } from './record-streams.ts'

export type Row = readonly FieldValue[]

/** A column of the record's own row, or a value that is computed for the record. */
export type FieldSource<Computed> = string | { readonly computed: keyof Computed }

type FieldSources<Member extends string, Computed> = Readonly<Record<Member, FieldSource<Computed>>>

export type ComputedOfBooking = { readonly segmentCount: number }

export const bookingSources: FieldSources<FieldMember<'bookings-v1'>, ComputedOfBooking> = {
  recordLocator: 'record_locator',
  originatingAgency: 'originating_agency',
  clientNumber: 'client_number',
  bookingDate: 'booking_date',
  modifiedDateTime: 'modified_at',
  isTicketed: 'is_ticketed',
  isInternational: 'is_international',
  traveller: 'traveller',
  department: 'department',
  employeeId: 'employee_id',
  costCentre: 'cost_centre',
  purchaseOrder: 'purchase_order',
  bookedBy: 'booked_by',
  authorisedBy: 'authorised_by',
  customData1: 'custom_data1',
  customData2: 'custom_data2',
  tripStartLocal: 'trip_start_local',
  tripEndLocal: 'trip_end_local',
  segmentCount: { computed: 'segmentCount' },
  tripStartUtc: 'trip_start_utc',
  tripEndUtc: 'trip_end_utc',
  totalAirDistance: 'total_air_distance',
  totalAirDuration: 'total_air_duration',
  totalAirDurationSeconds: 'total_air_duration_seconds',
}

/** Sums are exact: a refresh sets aside every invoice whose sums would leave the range of exact integers. */
export type ComputedOfInvoice = {
  readonly clientName: string
  readonly netSum: number
  readonly gstSum: number
  readonly totalSum: number
}

export const invoiceSources: FieldSources<FieldMember<'invoices-v1'>, ComputedOfInvoice> = {
  invoiceNumber: 'invoice_number',
  clientNumber: 'client_number',
  clientName: { computed: 'clientName' },
  department: 'department',
  invoiceDate: 'invoice_date',
  netAmount: { computed: 'netSum' },
  gstAmount: { computed: 'gstSum' },
  totalAmount: { computed: 'totalSum' },
  balanceAmount: 'balance_amount',
  recordLocator: 'record_locator',
}

/** The columns of a record and of one kind of its parts: segments, lines, travellers or payments. */
export type PartColumns = {
  readonly record: readonly NamedColumn[]
  readonly part: readonly NamedColumn[]
}

/** Reads a value from a row of the record or of the part. */
export type Reader = {
  readonly from: keyof PartColumns
  readonly type: FieldType
  readonly read: (row: Row) => FieldValue
}

/** @throws RangeError when no stream has its column */
export type PartSource = (columns: PartColumns) => Reader

type PartSources<Shape> = Readonly<Record<keyof Shape, PartSource>>

function readerOf(columns: PartColumns, from: keyof PartColumns, name: string): Reader {
  const place = placeOf(columns[from], name)
  const { type } = columns[from][place] as NamedColumn
  return { from, type, read: (row) => row[place] as FieldValue }
}

const ofPart =
  (column: string): PartSource =>
  (columns) =>
    readerOf(columns, 'part', column)

/** A column of the booking that an invoice is linked to. */
const ofLinkedBooking =
  (column: string): PartSource =>
  (columns) =>
    readerOf(columns, 'record', ofBooking(column))

const dayOf =
  (minuteSource: PartSource): PartSource =>
  (columns) => {
    const { from, read } = minuteSource(columns)
    return {
      from,
      type: 'date',
      read: (row) => {
        const minute = read(row) as number | null
        return minute === null ? null : Math.floor(minute / MINUTES_PER_DAY)
      },
    }
  }

export const lineNet = ofPart('line_amount_ex_gst')
export const lineTotal = ofPart('line_amount_inc_gst')

/** The difference of the two amounts of a line; null when one of them is null. */
export const lineGst: PartSource = (columns) => {
  const { from, type, read: net } = lineNet(columns)
  const { read: total } = lineTotal(columns)
  return {
    from,
    type,
    read: (line) => {
      const [exGst, incGst] = [net(line) as number | null, total(line) as number | null]
      return exGst === null || incGst === null ? null : incGst - exGst
    },
  }
}

export const travellerSources: PartSources<TravellerV1> = {
  name: ofPart('name'),
  department: ofPart('department'),
}

/** Members that an invoice line does not have itself come from the linked booking. */
export const lineSources: PartSources<LineItemV1> = {
  travellerName: ofPart('traveller_name'),
  employeeId: ofLinkedBooking('employee_id'),
  product: ofPart('product_code'),
  vendorName: ofPart('vendor_name'),
  ticketOrConfirmationNumber: ofPart('ticket_number'),
  originalTicketNumber: ofPart('original_ticket_number'),
  travelDate: dayOf(ofLinkedBooking('trip_start_local')),
  returnDate: dayOf(ofLinkedBooking('trip_end_local')),
  netAmount: lineNet,
  gstAmount: lineGst,
  totalAmount: lineTotal,
  costCentre: ofLinkedBooking('cost_centre'),
  purchaseOrder: ofLinkedBooking('purchase_order'),
  bookedBy: ofLinkedBooking('booked_by'),
  authorisedBy: ofLinkedBooking('authorised_by'),
  customData1: ofLinkedBooking('custom_data1'),
  customData2: ofLinkedBooking('custom_data2'),
}

export const paymentSources: PartSources<PaymentV1> = {
  merchant: ofPart('merchant'),
  receivedDate: ofPart('received_date'),
  formOfPayment: ofPart('form_of_payment'),
  cardNumber: ofPart('card_number'),
  cardHolder: ofPart('card_holder'),
  amount: ofPart('amount'),
}
