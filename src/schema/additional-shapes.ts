/**
 * Additional fields: what version 1 or the extract has more than the records of version 2. Queries of version 2 can name them;
 * the record as specified does not show them. Types and descriptions are those of version 1, which shows most of them.
 */
import type { TObject } from 'typebox'
import Type from '../kernel/type.ts'
import { nullable, text } from './shapes.ts'
import { InvoiceV1, ItineraryV1, LineItemV1, PaymentV1, TravellerV1 } from './version-1-shapes.ts'

const currencyCode = nullable(text(3, 'ISO 4217 code of the currency of the amounts, e.g. AUD'))

const booking = ItineraryV1.properties

export const AdditionalOfBooking = Type.Object({
  traveller: booking.traveller,
  department: booking.department,
  employeeId: booking.employeeId,
  costCentre: booking.costCentre,
  purchaseOrder: booking.purchaseOrder,
  bookedBy: booking.bookedBy,
  authorisedBy: booking.authorisedBy,
  customData1: booking.customData1,
  customData2: booking.customData2,
  segmentCount: booking.segmentCount,
  tripStartUtc: booking.tripStartUtc,
  tripEndUtc: booking.tripEndUtc,
  totalAirDistance: booking.totalAirDistance,
  totalAirDuration: booking.totalAirDuration,
  totalAirDurationSeconds: booking.totalAirDurationSeconds,
  currencyCode,
})

const invoice = InvoiceV1.properties

export const AdditionalOfInvoice = Type.Object({
  clientName: invoice.clientName,
  department: invoice.department,
  netAmount: invoice.netAmount,
  gstAmount: invoice.gstAmount,
  totalAmount: invoice.totalAmount,
  balanceAmount: invoice.balanceAmount,
  currencyCode,
})

const line = LineItemV1.properties

export const AdditionalOfLineItem = Type.Object({
  travellerName: line.travellerName,
  vendorName: line.vendorName,
  ticketNumber: line.ticketOrConfirmationNumber,
  originalTicketNumber: line.originalTicketNumber,
})

/** The elements of `travellers`, a collection of bookings and itineraries. */
export const Traveller = TravellerV1

/** The elements of `payments`, a collection of invoices. */
export const Payment = PaymentV1

/** What a list has besides its record: shapes of the fields, of the elements of its nested collection, and of more collections. */
export type AdditionalShapes = {
  readonly fields: TObject
  readonly nested: TObject | null
  readonly collections: { readonly [name: string]: TObject }
}

const ofBookings: AdditionalShapes = {
  fields: AdditionalOfBooking,
  nested: null,
  collections: { travellers: Traveller },
}

/** By list; the descriptions of OpenAPI come from here. */
export const additionalShapes: {
  readonly [List in 'bookings' | 'invoices' | 'itineraries']: AdditionalShapes
} = {
  bookings: ofBookings,
  itineraries: ofBookings,
  invoices: {
    fields: AdditionalOfInvoice,
    nested: AdditionalOfLineItem,
    collections: { payments: Payment },
  },
}
