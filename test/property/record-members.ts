/**
 * The names that a path may use in each dataset, and their types: the tables of specification section 2 and the additional fields,
 * repeated for the tests.
 */
import type { JsonDataset } from '../fixtures/json-record.ts'

export type RecordMembers = {
  /** Members that hold one value. */
  readonly fields: readonly string[]
  /** The members that hold elements, and the fields of an element. */
  readonly collections: readonly Collection[]
}

export type Collection = { readonly name: string; readonly fields: readonly string[] }

const bookingFields = [
  'clientNumber',
  'recordLocator',
  'originatingAgency',
  'bookingDate',
  'modifiedAt',
  'isTicketed',
  'isInternational',
  'tripStartLocal',
  'tripEndLocal',
  'traveller',
  'department',
  'employeeId',
  'costCentre',
  'purchaseOrder',
  'bookedBy',
  'authorisedBy',
  'customData1',
  'customData2',
  'segmentCount',
  'tripStartUtc',
  'tripEndUtc',
  'totalAirDistance',
  'totalAirDuration',
  'totalAirDurationSeconds',
  'currencyCode',
]

const travellers: Collection = { name: 'travellers', fields: ['name', 'department'] }

export const recordMembers: { readonly [Name in JsonDataset]: RecordMembers } = {
  bookings: { fields: bookingFields, collections: [travellers] },
  itineraries: {
    fields: bookingFields,
    collections: [
      {
        name: 'segments',
        fields: [
          'segmentNumber',
          'segmentType',
          'startLocal',
          'endLocal',
          'origin',
          'destination',
          'vendor',
          'code',
          'status',
        ],
      },
      travellers,
    ],
  },
  invoices: {
    fields: [
      'company',
      'clientNumber',
      'recordLocator',
      'invoiceNumber',
      'invoiceDate',
      'paymentTermsCode',
      'dueDate',
      'obtSource',
      'sourceTravelHeader',
      'collectiveStatementNo',
      'custLedgerEntryNo',
      'clientName',
      'department',
      'netAmount',
      'gstAmount',
      'totalAmount',
      'balanceAmount',
      'currencyCode',
    ],
    collections: [
      {
        name: 'lineItems',
        fields: [
          'lineNumber',
          'lineType',
          'productCode',
          'description',
          'quantity',
          'unitPrice',
          'lineDiscountAmount',
          'lineAmountExGst',
          'lineAmountIncGst',
          'gstPercent',
          'travellerName',
          'vendorName',
          'ticketNumber',
          'originalTicketNumber',
        ],
      },
      {
        name: 'payments',
        fields: ['merchant', 'receivedDate', 'formOfPayment', 'cardNumber', 'cardHolder', 'amount'],
      },
    ],
  },
}

export type FieldKind = 'text' | 'date' | 'minute' | 'utc-minute' | 'number' | 'boolean'

/** A name has the same type in all datasets. Names that are not listed hold texts. */
const kindsByName: ReadonlyMap<string, FieldKind> = new Map([
  ...(['bookingDate', 'invoiceDate', 'dueDate', 'receivedDate'] as const).map(
    (name) => [name, 'date'] as const,
  ),
  ...(['modifiedAt', 'tripStartLocal', 'tripEndLocal', 'startLocal', 'endLocal'] as const).map(
    (name) => [name, 'minute'] as const,
  ),
  ...(['tripStartUtc', 'tripEndUtc'] as const).map((name) => [name, 'utc-minute'] as const),
  ...(['isTicketed', 'isInternational'] as const).map((name) => [name, 'boolean'] as const),
  ...(
    [
      'segmentNumber',
      'lineNumber',
      'quantity',
      'unitPrice',
      'lineDiscountAmount',
      'lineAmountExGst',
      'lineAmountIncGst',
      'gstPercent',
      'segmentCount',
      'totalAirDistance',
      'totalAirDurationSeconds',
      'netAmount',
      'gstAmount',
      'totalAmount',
      'balanceAmount',
      'amount',
    ] as const
  ).map((name) => [name, 'number'] as const),
])

export const kindOfField = (name: string): FieldKind => kindsByName.get(name) ?? 'text'
