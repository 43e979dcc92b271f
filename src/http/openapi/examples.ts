/** The examples of version 2 in the OpenAPI document: records of one small client, and queries. */
import type { ListName } from '../../schema/datasets.ts'
import type { Booking, Invoice, Itinerary, RotateApiKeyResponse } from '../../schema/shapes.ts'

export type Examples = Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>

const booking: Booking = {
  clientNumber: 'C01234',
  recordLocator: 'ABC123',
  originatingAgency: 'Harbour Travel',
  bookingDate: '2026-01-15',
  modifiedAt: '2026-01-16T08:30',
  isTicketed: true,
  isInternational: false,
  tripStartLocal: '2026-02-02T07:00',
  tripEndLocal: '2026-02-02T08:35',
  customDataFields: { 'Cost centre': 'X1' },
}

export const segments: Itinerary['segments'] = [
  {
    segmentNumber: 1,
    segmentType: 'AIR',
    startLocal: '2026-02-02T07:00',
    endLocal: '2026-02-02T08:35',
    origin: 'SYD',
    destination: 'MEL',
    vendor: 'QF',
    code: '409',
    status: 'HK',
  },
]

const itinerary: Itinerary = { ...booking, segments }

const invoice: Invoice = {
  company: 'Harbour Travel',
  clientNumber: 'C01234',
  recordLocator: 'ABC123',
  invoiceNumber: 'INV0001',
  invoiceDate: '2026-01-16',
  paymentTermsCode: '30D',
  dueDate: '2026-02-15',
  obtSource: null,
  sourceTravelHeader: null,
  collectiveStatementNo: null,
  custLedgerEntryNo: '884213',
  lineItems: [
    {
      lineNumber: 1,
      lineType: 'FARE',
      productCode: 'AIRDOM',
      description: 'SYD-MEL',
      quantity: 1,
      unitPrice: 240,
      lineDiscountAmount: 0,
      lineAmountExGst: 240,
      lineAmountIncGst: 264,
      gstPercent: 10,
    },
  ],
  customDataFields: { 'Cost centre': 'X1' },
}

const records = { bookings: booking, invoices: invoice, itineraries: itinerary }

export function envelopeExamples(dataset: ListName): Examples {
  const envelope = { clientNumber: 'C01234', count: 1, [dataset]: [records[dataset]] }
  const meta = { page: 1, pageSize: 50, total: 1, totalPages: 1, filteredCount: 1 }
  return {
    all: { summary: 'Every record', value: envelope },
    page: { summary: 'A page', value: { ...envelope, _meta: meta } },
  }
}

export function changesExamples(list: ListName): Examples {
  const [removed, name] =
    list === 'invoices'
      ? [{ company: 'Harbour Travel', invoiceNumber: 'INV0002' }, 'invoices']
      : [{ recordLocator: 'DEF456' }, list]
  const found = [
    { ...records[list], _change: 'changed' },
    { ...removed, _change: 'removed' },
  ]
  const token = 'AZ0QkFv1x3nWm6CqkSxH0b3E2Vt9c0uR7pYd4aLm'
  return {
    changes: {
      summary: 'One changed, one removed',
      value: { clientNumber: 'C01234', count: 2, [name]: found, _meta: { total: 2, token } },
    },
  }
}

/** The first example of a parameter is what the reference fills in: it finds records in the data of almost any client. */
const bookingFilters: Examples = {
  ticketed: { summary: 'Ticketed', value: 'isTicketed eq true' },
  dates: {
    summary: 'Created in January',
    value: "bookingDate ge '2026-01-01' and bookingDate lt '2026-02-01'",
  },
  label: { summary: 'By a custom label', value: "customDataFields['Cost centre'] in ('X1', 'X2')" },
}

const filters: { readonly [Name in ListName]: Examples } = {
  bookings: bookingFilters,
  invoices: {
    amounts: { summary: 'With a line over 100', value: 'lineItems.lineAmountIncGst gt 100' },
    fares: {
      summary: 'With a fare over 500',
      value: "any(lineItems, lineType eq 'FARE' and lineAmountIncGst gt 500)",
    },
    unlinked: { summary: 'Without a booking', value: 'recordLocator eq null' },
  },
  itineraries: {
    ...bookingFilters,
    confirmed: { summary: 'Every segment confirmed', value: "all(segments, status eq 'HK')" },
  },
}

export function filterExamples(dataset: ListName): Examples {
  return filters[dataset]
}

export function orderExamples(dataset: ListName): Examples {
  const date = dataset === 'invoices' ? 'invoiceDate' : 'bookingDate'
  return {
    newest: { summary: 'Newest first', value: `${date} desc` },
  }
}

/** In words, not as examples of the parameter: the reference would fill one in beside an order of records. */
const applies: { readonly [Name in ListName]: Examples } = {
  bookings: {
    months: {
      summary: 'Bookings per month',
      value: 'groupby((month(bookingDate)),aggregate($count as n))',
    },
    costCentres: {
      summary: 'Ticketed bookings per cost centre and quarter',
      value:
        "filter(isTicketed eq true)/groupby((customDataFields['Cost centre'],quarter(bookingDate)),aggregate($count as n))",
    },
  },
  invoices: {
    spend: {
      summary: 'Spend by type of line and month',
      value:
        'groupby((lineItems.lineType,month(invoiceDate) as month),aggregate(lineItems.lineAmountIncGst with sum as spend))',
    },
    whole: {
      summary: 'All invoices together',
      value: 'aggregate($count as invoices,lineItems.lineAmountIncGst with sum as spend)',
    },
  },
  itineraries: {
    vendors: {
      summary: 'Segments and bookings by vendor',
      value:
        'groupby((segments.vendor),aggregate($count as segments,recordLocator with countdistinct as bookings))',
    },
  },
}

export const applyExamples = (dataset: ListName): string =>
  Object.values(applies[dataset])
    .map(({ summary, value }) => `- ${summary}: \`${value}\``)
    .join('\n')

export const rotationExample: RotateApiKeyResponse = {
  id: '0b7f4a52-8f0e-4c61-9d0c-3a5d0f6d9a11',
  name: 'ERP export',
  apiKey: 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWeJ',
  rotatedAt: '2026-01-20T03:04:05.678Z',
}
