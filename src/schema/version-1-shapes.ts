/**
 * Every record and envelope of version 1 (specification 2.9, design 7.2). Names and order are those that older integrations
 * read. All members are always present; those that the extract does not have are null.
 */
import type { Static } from 'typebox'
import Type from '../kernel/type.ts'
import { BookingSegment, date, decimal, minute, nullable, text } from './shapes.ts'

const freeText = (description: string) => nullable(Type.String({ description }))

export const TravellerV1 = Type.Object(
  {
    name: freeText('Name of the traveller'),
    department: freeText('Department of the traveller'),
  },
  { description: 'One person who travels on a booking' },
)

const bookingFields = {
  recordLocator: text(6, 'GDS/PNR record locator, unique per booking'),
  originatingAgency: text(50, 'Name of the agency that created the booking'),
  clientNumber: text(20, 'Client the booking belongs to'),
  bookingDate: date('Date the booking was created'),
  modifiedDateTime: minute('Most recent modification, truncated to the minute'),
  isTicketed: Type.Boolean({ description: 'True when at least one segment has been ticketed' }),
  isInternational: Type.Boolean({ description: 'True when the trip crosses an international border' }),
  traveller: freeText('Name of the main traveller'),
  travellers: Type.Array(TravellerV1, { description: 'All travellers; empty when unknown' }),
  department: freeText('Department that the trip is charged to'),
  employeeId: freeText('Employee id of the main traveller'),
  costCentre: freeText('Cost centre that the trip is charged to'),
  purchaseOrder: freeText('Purchase order number'),
  bookedBy: freeText('Who made the booking'),
  authorisedBy: freeText('Who authorised the booking'),
  customData1: freeText('First free field of the client'),
  customData2: freeText('Second free field of the client'),
  tripStartLocal: minute('Local start of the trip at the origin'),
  tripEndLocal: minute('Local end of the trip at the final destination'),
}

export const BookingV1 = Type.Object(bookingFields, { description: 'A booking without its segments' })

export const ItineraryV1 = Type.Object(
  {
    ...bookingFields,
    segmentCount: Type.Integer({ description: 'How many segments the booking has' }),
    tripStartUtc: nullable(minute('Start of the trip in UTC')),
    tripEndUtc: nullable(minute('End of the trip in UTC')),
    totalAirDistance: nullable(decimal('Distance of all flights')),
    totalAirDuration: freeText('Time in the air, as the source writes it'),
    totalAirDurationSeconds: nullable(Type.Integer({ description: 'Time in the air, in seconds' })),
    segments: Type.Array(BookingSegment, { description: 'Sorted by segmentNumber ascending' }),
  },
  { description: 'A booking together with its travel segments' },
)

export const LineItemV1 = Type.Object(
  {
    travellerName: freeText('Name of the traveller whom the line was charged for'),
    employeeId: freeText("Employee id on the invoice's booking"),
    product: freeText('Product code of the line'),
    vendorName: freeText('Name of the airline, hotel or other supplier'),
    ticketOrConfirmationNumber: freeText('Ticket or confirmation number'),
    originalTicketNumber: freeText('Number of the ticket that this one was exchanged for'),
    travelDate: nullable(date("Day on which the invoice's booking starts")),
    returnDate: nullable(date("Day on which the invoice's booking ends")),
    netAmount: nullable(decimal('Line amount excluding GST')),
    gstAmount: nullable(decimal('GST of the line')),
    totalAmount: nullable(decimal('Line amount including GST')),
    costCentre: freeText("Cost centre on the invoice's booking"),
    purchaseOrder: freeText("Purchase order number on the invoice's booking"),
    bookedBy: freeText("Who made the invoice's booking"),
    authorisedBy: freeText("Who authorised the invoice's booking"),
    customData1: freeText("First free field of the invoice's booking"),
    customData2: freeText("Second free field of the invoice's booking"),
  },
  { description: 'One line of an invoice' },
)

export const PaymentV1 = Type.Object(
  {
    merchant: freeText('Merchant who took the payment'),
    receivedDate: nullable(date('Day on which the payment was received')),
    formOfPayment: freeText('How it was paid'),
    cardNumber: freeText('Number of the card, masked except for its last four digits'),
    cardHolder: freeText('Name on the card'),
    amount: decimal('Amount paid, in invoice currency'),
  },
  { description: 'One payment of an invoice' },
)

export const InvoiceV1 = Type.Object(
  {
    invoiceNumber: text(20, 'Number of the invoice'),
    clientNumber: text(20, 'Client the invoice belongs to'),
    clientName: text(200, 'Name of the client'),
    department: freeText('Department that the invoice is addressed to'),
    invoiceDate: date('Date the invoice was raised'),
    netAmount: decimal('Exact sum of the lines excluding GST'),
    gstAmount: decimal('Exact sum of the GST of the lines'),
    totalAmount: decimal('Exact sum of the lines including GST'),
    balanceAmount: nullable(decimal('Amount still to be paid')),
    recordLocator: nullable(text(6, 'Linked booking; null when the invoice has no tracked booking')),
    lineItems: Type.Array(LineItemV1, { description: 'In the order of their line numbers' }),
    payments: Type.Array(PaymentV1, { description: 'In the order of the extract; empty when unknown' }),
  },
  { description: 'An invoice with its lines and payments' },
)

const result = <T extends typeof BookingV1 | typeof ItineraryV1 | typeof InvoiceV1>(record: T) =>
  Type.Object({ result: Type.Array(record, { description: 'The records; empty when none matches' }) })

export const BookingsV1Response = result(BookingV1)
export const ItinerariesV1Response = result(ItineraryV1)
export const InvoicesV1Response = result(InvoiceV1)

export type TravellerV1 = Static<typeof TravellerV1>
export type LineItemV1 = Static<typeof LineItemV1>
export type PaymentV1 = Static<typeof PaymentV1>
export type BookingV1 = Static<typeof BookingV1>
export type ItineraryV1 = Static<typeof ItineraryV1>
export type InvoiceV1 = Static<typeof InvoiceV1>
