/**
 * Every record and envelope of version 2 (specification section 2). Validation, TypeScript types, the columns of a snapshot,
 * the extract tables and OpenAPI all derive from these definitions; lengths and patterns are defined only here.
 */
import type { Static, TObject, TSchema } from 'typebox'
import Type from '../kernel/type.ts'

export const text = (maxLength: number, description: string) => Type.String({ maxLength, description })
export const date = (description: string) => Type.String({ format: 'date', description })
export const minute = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}$', description })
export const decimal = (description: string) => Type.Number({ description })
/** RFC 3339 in UTC with milliseconds. */
export const moment = (description: string) => Type.String({ format: 'date-time', description })
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Specification 2.5. */
export const CustomDataFields = Type.Record(Type.String(), Type.String(), {
  description:
    "The client's own labels and the values captured for them. Blank values are omitted; empty when nothing was captured.",
})

/** Specification 2.3. All members are present; unknown ones are null. */
export const BookingSegment = Type.Object(
  {
    segmentNumber: Type.Integer({ description: 'Position within the booking; the sort key' }),
    segmentType: text(8, 'Kind of segment, e.g. AIR, HOTEL, CAR, RAIL'),
    startLocal: nullable(minute('Local start at the origin; null if unknown')),
    endLocal: nullable(minute('Local end at the destination; null if unknown')),
    origin: nullable(text(3, 'IATA city or airport code; null for non-spatial segments')),
    destination: nullable(text(3, 'IATA city or airport code; null for non-spatial segments')),
    vendor: nullable(text(2, 'IATA carrier code or supplier identifier')),
    code: nullable(text(50, 'Flight number, hotel property code, fare class')),
    status: nullable(text(2, 'GDS status code, e.g. HK (confirmed), XX (cancelled)')),
  },
  { description: 'A single leg of a booking' },
)

const bookingFields = {
  clientNumber: text(20, 'Client the booking belongs to'),
  recordLocator: text(6, 'GDS/PNR record locator, unique per booking'),
  originatingAgency: text(50, 'Name of the agency that created the booking'),
  bookingDate: date('Date the booking was created'),
  modifiedAt: minute('Most recent modification, truncated to the minute'),
  isTicketed: Type.Boolean({ description: 'True when at least one segment has been ticketed' }),
  isInternational: Type.Boolean({ description: 'True when the trip crosses an international border' }),
  tripStartLocal: minute('Local start of the trip at the origin'),
  tripEndLocal: minute('Local end of the trip at the final destination'),
  customDataFields: CustomDataFields,
}

/** Specification 2.1. */
export const Booking = Type.Object(bookingFields, { description: 'A booking without its segments' })

/** Specification 2.2: all booking fields, unchanged, plus the segments. */
export const Itinerary = Type.Object(
  {
    ...bookingFields,
    segments: Type.Array(BookingSegment, { description: 'Sorted by segmentNumber ascending' }),
  },
  { description: 'A booking together with its travel segments' },
)

/** Specification 2.4. All members are present; unknown ones are null. */
export const InvoiceLineItem = Type.Object(
  {
    lineNumber: Type.Integer({ description: 'Position within the invoice; unique per invoice' }),
    lineType: text(20, 'Category, e.g. FARE, FEE, TAX'),
    productCode: nullable(text(20, 'Product code')),
    description: nullable(text(100, 'What was charged')),
    quantity: nullable(decimal('Quantity, up to 5 decimal places')),
    unitPrice: nullable(decimal('Price of one unit, up to 5 decimal places')),
    lineDiscountAmount: nullable(decimal('Discount on the line, in invoice currency')),
    lineAmountExGst: nullable(decimal('Line amount excluding GST')),
    lineAmountIncGst: nullable(decimal('Line amount including GST')),
    gstPercent: nullable(decimal('GST rate as a percentage (10 means 10%)')),
  },
  { description: 'One line of an invoice' },
)

/** Specification 2.4. The identity is `(company, invoiceNumber)`. */
export const Invoice = Type.Object(
  {
    company: text(30, 'Issuing company entity'),
    clientNumber: text(20, 'Client the invoice belongs to'),
    recordLocator: nullable(text(6, 'Linked booking; null when the invoice has no tracked booking')),
    invoiceNumber: text(20, 'Number of the invoice, unique within its company'),
    invoiceDate: date('Date the invoice was raised'),
    paymentTermsCode: nullable(text(6, 'Payment terms')),
    dueDate: date('Date the invoice is due'),
    obtSource: nullable(text(50, 'Online booking tool source identifier')),
    sourceTravelHeader: nullable(text(50, 'Travel header of the source system')),
    collectiveStatementNo: nullable(text(50, 'Collective statement number')),
    custLedgerEntryNo: nullable(text(50, 'Customer ledger entry number')),
    lineItems: Type.Array(InvoiceLineItem, { description: 'Sorted by lineNumber ascending' }),
    customDataFields: CustomDataFields,
  },
  { description: 'An invoice with its lines' },
)

/** Specification 2.6. Present only when at least one query parameter was supplied. */
export const QueryMeta = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'Page returned; only when paging applied' })),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, description: 'Page size used; only when paging applied' }),
  ),
  total: Type.Integer({ minimum: 0, description: 'Total rows after filtering, before paging' }),
  totalPages: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Total pages at this page size; only when paging applied' }),
  ),
  filteredCount: Type.Integer({ minimum: 0, description: 'Same as total; retained for compatibility' }),
})

const envelope = <Name extends string, T extends TObject>(name: Name, record: T) =>
  Type.Object({
    clientNumber: Type.String({ maxLength: 20, description: 'Resolved from the authenticated account' }),
    count: Type.Integer({ minimum: 0, description: 'Number of records returned in this response' }),
    ...({ [name]: Type.Array(record) } as { [K in Name]: ReturnType<typeof Type.Array<T>> }),
    _meta: Type.Optional(QueryMeta),
  })

export const BookingsResponse = envelope('bookings', Booking)
export const InvoicesResponse = envelope('invoices', Invoice)
export const ItinerariesResponse = envelope('itineraries', Itinerary)

/** The answer to `$apply`: groups instead of records. */
export const GroupsResponse = Type.Object(
  {
    clientNumber: Type.String({ maxLength: 20, description: 'Resolved from the authenticated account' }),
    count: Type.Integer({ minimum: 0, description: 'Number of groups returned in this response' }),
    groups: Type.Array(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
      {
        description:
          'One object per group. Its members are the dimensions, then the aggregates, in the order of the request',
      },
    ),
    _meta: QueryMeta,
  },
  { description: 'The answer of a list to `$apply`; `_meta` counts groups' },
)

/** Specification 2.7. */
export const ErrorBody = Type.Object({ error: Type.String({ description: 'What went wrong' }) })

/** Specification 2.7: a query parameter that cannot be understood. */
export const QueryErrorBody = Type.Object({
  error: Type.String({ description: 'Names the offending parameter' }),
  message: Type.String({ description: 'What was expected and what was found' }),
  parameter: Type.Optional(Type.String({ description: 'The parameter name' })),
  column: Type.Optional(Type.Integer({ minimum: 0, description: 'Zero-based column where reading failed' })),
  input: Type.Optional(Type.String({ description: 'The raw input supplied' })),
})

/** Specification 2.8. */
export const RotateApiKeyResponse = Type.Object({
  id: Type.String({ format: 'uuid', description: 'Stable identifier of the rotated service account' }),
  name: Type.String({ description: 'Display name of the service account' }),
  apiKey: Type.String({
    minLength: 64,
    maxLength: 64,
    description: 'The new key: base64 of 48 random bytes. Shown once and not retrievable later',
  }),
  rotatedAt: Type.String({ format: 'date-time', description: 'When the rotation was persisted (RFC 3339)' }),
})

export type Booking = Static<typeof Booking>
export type Itinerary = Static<typeof Itinerary>
export type BookingSegment = Static<typeof BookingSegment>
export type Invoice = Static<typeof Invoice>
export type InvoiceLineItem = Static<typeof InvoiceLineItem>
export type QueryMeta = Static<typeof QueryMeta>
export type ErrorBody = Static<typeof ErrorBody>
export type QueryErrorBody = Static<typeof QueryErrorBody>
export type RotateApiKeyResponse = Static<typeof RotateApiKeyResponse>
