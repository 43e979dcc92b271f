/** The examples of version 1 in the OpenAPI document: the records of the examples of version 2, in the shapes of version 1. */
import { type ListName, version1Datasets } from '../../schema/datasets.ts'
import type { BookingV1, InvoiceV1, ItineraryV1 } from '../../schema/version-1-shapes.ts'
import { type Examples, segments } from './examples.ts'

/** Members of a booking and of every line of an invoice. */
const charged = {
  employeeId: 'E4711',
  costCentre: 'X1',
  purchaseOrder: null,
  bookedBy: 'Mary Jones',
  authorisedBy: null,
  customData1: null,
  customData2: null,
}

const booking: BookingV1 = {
  recordLocator: 'ABC123',
  originatingAgency: 'Harbour Travel',
  clientNumber: 'C01234',
  bookingDate: '2026-01-15',
  modifiedDateTime: '2026-01-16T08:30',
  isTicketed: true,
  isInternational: false,
  traveller: 'Anna Smith',
  travellers: [{ name: 'Anna Smith', department: 'Sales' }],
  department: 'Sales',
  ...charged,
  tripStartLocal: '2026-02-02T07:00',
  tripEndLocal: '2026-02-02T08:35',
}

const itinerary: ItineraryV1 = {
  ...booking,
  segmentCount: 1,
  tripStartUtc: '2026-02-01T20:00',
  tripEndUtc: '2026-02-01T21:35',
  totalAirDistance: 706,
  totalAirDuration: '1:35',
  totalAirDurationSeconds: 5700,
  segments,
}

const amounts = { netAmount: 240, gstAmount: 24, totalAmount: 264 }

const invoice: InvoiceV1 = {
  invoiceNumber: 'INV0001',
  clientNumber: 'C01234',
  clientName: 'Example Industries',
  department: null,
  invoiceDate: '2026-01-16',
  ...amounts,
  balanceAmount: 0,
  recordLocator: 'ABC123',
  lineItems: [
    {
      travellerName: 'Anna Smith',
      product: 'AIRDOM',
      vendorName: 'Qantas',
      ticketOrConfirmationNumber: '0812345678901',
      originalTicketNumber: null,
      travelDate: '2026-02-02',
      returnDate: '2026-02-02',
      ...amounts,
      ...charged,
    },
  ],
  payments: [
    {
      merchant: 'Harbour Travel',
      receivedDate: '2026-01-20',
      formOfPayment: 'Credit card',
      cardNumber: '**** **** **** 1111',
      cardHolder: 'Anna Smith',
      amount: 264,
    },
  ],
}

const records = { bookings: booking, invoices: invoice, itineraries: itinerary }

export function resultExamples(list: ListName): Examples {
  return {
    page: { summary: 'Some records', value: { result: [records[list]] } },
    end: { summary: 'No records, or no further ones', value: { result: [] } },
  }
}

const ofBookings: Examples = {
  ticketed: { summary: 'Ticketed', value: 'IsTicketed^EQtrue' },
  dates: { summary: 'Created in January', value: 'BookingDate^GE2026-01-01;BookingDate^LE2026-01-31' },
  list: { summary: 'For one of two cost centres', value: 'CostCentre^INX1,X2' },
  unknown: { summary: 'Without an authoriser', value: 'AuthorisedBy^EQnull' },
}

const queries: { readonly [List in ListName]: Examples } = {
  bookings: ofBookings,
  invoices: {
    amounts: { summary: 'Over 100 in all', value: 'TotalAmount^GT100' },
    dates: { summary: 'Invoiced in January', value: 'InvoiceDate^GE2026-01-01;InvoiceDate^LE2026-01-31' },
    open: { summary: 'With an open balance', value: 'BalanceAmount^GT0' },
  },
  itineraries: {
    ...ofBookings,
    long: { summary: 'With more than four segments', value: 'SegmentCount^GT4' },
  },
}

export const queryExamples = (list: ListName): Examples => queries[list]

/** Each way in which a query is refused (specification 7.2). The summary is the query. */
export function refusalExamples(list: ListName): Examples {
  const date = list === 'invoices' ? 'InvoiceDate' : 'BookingDate'
  const { typeName } = version1Datasets[list]
  const refused = (query: string, error: string) => ({ summary: `query=${query}`, value: { error } })
  return {
    missingOperator: refused(date, 'Invalid query format: Missing operator.'),
    unknownOperator: refused(`${date}^AFTER2026-01-01`, "Invalid query format: Unknown operator 'AFTER'."),
    missingValue: refused(
      `${date}^EQ`,
      `Invalid query format: Argument for property '${date}' is null or empty.`,
    ),
    notNumericOrDate: refused(
      `${date}^GTyesterday`,
      `Invalid query format: Expected numeric or date value for operator '^GT' on property '${date}', but got 'yesterday'.`,
    ),
    unknownProperty: refused(
      'Colour^EQred',
      `Unknown search property: 'Colour' not found on type ${typeName}.`,
    ),
  }
}
