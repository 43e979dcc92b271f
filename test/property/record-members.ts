/** The names that a path may use in each dataset, and their types: the tables of specification section 2, repeated for the tests. */
import type { JsonDataset } from '../fixtures/json-record.ts'

export type RecordMembers = {
  /** Members that hold one value. */
  readonly fields: readonly string[]
  /** The member that holds elements, and the fields of an element. */
  readonly nested: { readonly name: string; readonly fields: readonly string[] } | null
}

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
]

export const recordMembers: { readonly [Name in JsonDataset]: RecordMembers } = {
  bookings: { fields: bookingFields, nested: null },
  itineraries: {
    fields: bookingFields,
    nested: {
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
    ],
    nested: {
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
      ],
    },
  },
}

export type FieldKind = 'text' | 'date' | 'minute' | 'number' | 'boolean'

/** A name has the same type in all datasets. Names that are not listed hold texts. */
const kindsByName: ReadonlyMap<string, FieldKind> = new Map([
  ...(['bookingDate', 'invoiceDate', 'dueDate'] as const).map((name) => [name, 'date'] as const),
  ...(['modifiedAt', 'tripStartLocal', 'tripEndLocal', 'startLocal', 'endLocal'] as const).map(
    (name) => [name, 'minute'] as const,
  ),
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
    ] as const
  ).map((name) => [name, 'number'] as const),
])

export const kindOfField = (name: string): FieldKind => kindsByName.get(name) ?? 'text'
