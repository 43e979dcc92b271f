/** What changed in a list of version 2: whole records that were added or changed, and the identities of removed ones. */
import type { TObject } from 'typebox'
import Type from '../kernel/type.ts'
import { Booking, Invoice, Itinerary } from './shapes.ts'

const CHANGED = Type.Enum(['added', 'changed'], {
  description: 'Whether the caller has an older version of the record',
})

const changed = (record: TObject, description: string) =>
  Type.Object({ ...record.properties, _change: CHANGED }, { description })

const removed = (identity: TObject['properties'], description: string) =>
  Type.Object({ ...identity, _change: Type.Literal('removed') }, { description })

export const ChangedBooking = changed(Booking, 'A booking that was added or changed')
export const ChangedItinerary = changed(Itinerary, 'An itinerary that was added or changed')
export const ChangedInvoice = changed(Invoice, 'An invoice that was added or changed')
export const RemovedBooking = removed(
  { recordLocator: Booking.properties.recordLocator },
  'A booking or itinerary that is not there any more',
)
export const RemovedInvoice = removed(
  { company: Invoice.properties.company, invoiceNumber: Invoice.properties.invoiceNumber },
  'An invoice that is not there any more',
)

export const ChangesMeta = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'Page returned; only when paging applied' })),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, description: 'Page size used; only when paging applied' }),
  ),
  total: Type.Integer({ minimum: 0, description: 'All changes, before paging' }),
  totalPages: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Total pages at this page size; only when paging applied' }),
  ),
  token: Type.String({
    pattern: '^[A-Za-z0-9_-]{40}$',
    description: 'Give it as `since` to get what changes from here on',
  }),
})

const envelope = (name: string, changedRecord: TObject, removedRecord: TObject) =>
  Type.Object({
    clientNumber: Type.String({ maxLength: 20, description: 'Resolved from the authenticated account' }),
    count: Type.Integer({ minimum: 0, description: 'Number of changes returned in this response' }),
    [name]: Type.Array(Type.Union([changedRecord, removedRecord]), {
      description: 'In the order of the identities by code point',
    }),
    _meta: ChangesMeta,
  })

export const BookingChangesResponse = envelope('bookings', ChangedBooking, RemovedBooking)
export const InvoiceChangesResponse = envelope('invoices', ChangedInvoice, RemovedInvoice)
export const ItineraryChangesResponse = envelope('itineraries', ChangedItinerary, RemovedBooking)
