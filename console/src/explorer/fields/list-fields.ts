/**
 * The lists, and the fields that a query can name in each. A test holds this table to the service's own schema, which is not
 * loaded into the page.
 */

export const listNames = ['bookings', 'itineraries', 'invoices'] as const
export type ListName = (typeof listNames)[number]

/** `date` is `YYYY-MM-DD`; `minute` is `YYYY-MM-DDTHH:mm`, the local time of a place. */
export type ValueKind = 'text' | 'date' | 'minute' | 'boolean' | 'integer' | 'decimal'

export type ListField = { readonly name: string; readonly kind: ValueKind }

/** Elements of a record, such as the segments of an itinerary. */
export type Collection = { readonly name: string; readonly fields: readonly ListField[] }

export type ListFields = {
  /** Those of whole records first, then those that only queries can name. */
  readonly fields: readonly ListField[]
  readonly collections: readonly Collection[]
}

const kind =
  (of: ValueKind) =>
  (names: string): readonly ListField[] =>
    names.split(' ').map((name) => ({ name, kind: of }))

const text = kind('text')
const date = kind('date')
const minute = kind('minute')
const boolean = kind('boolean')
const integer = kind('integer')
const decimal = kind('decimal')

const bookingFields = [
  ...text('clientNumber recordLocator originatingAgency'),
  ...date('bookingDate'),
  ...minute('modifiedAt'),
  ...boolean('isTicketed isInternational'),
  ...minute('tripStartLocal tripEndLocal'),
  ...text('traveller department employeeId costCentre purchaseOrder bookedBy authorisedBy'),
  ...text('customData1 customData2'),
  ...integer('segmentCount'),
  ...minute('tripStartUtc tripEndUtc'),
  ...decimal('totalAirDistance'),
  ...text('totalAirDuration'),
  ...integer('totalAirDurationSeconds'),
  ...text('currencyCode'),
]

const travellers: Collection = { name: 'travellers', fields: text('name department') }

const segments: Collection = {
  name: 'segments',
  fields: [
    ...integer('segmentNumber'),
    ...text('segmentType'),
    ...minute('startLocal endLocal'),
    ...text('origin destination vendor code status'),
  ],
}

const lineItems: Collection = {
  name: 'lineItems',
  fields: [
    ...integer('lineNumber'),
    ...text('lineType productCode description'),
    ...decimal('quantity unitPrice lineDiscountAmount lineAmountExGst lineAmountIncGst gstPercent'),
    ...text('travellerName vendorName ticketNumber originalTicketNumber'),
  ],
}

const payments: Collection = {
  name: 'payments',
  fields: [
    ...text('merchant'),
    ...date('receivedDate'),
    ...text('formOfPayment cardNumber cardHolder'),
    ...decimal('amount'),
  ],
}

export const listFields: { readonly [Name in ListName]: ListFields } = {
  bookings: { fields: bookingFields, collections: [travellers] },
  itineraries: { fields: bookingFields, collections: [segments, travellers] },
  invoices: {
    fields: [
      ...text('company clientNumber recordLocator invoiceNumber'),
      ...date('invoiceDate'),
      ...text('paymentTermsCode'),
      ...date('dueDate'),
      ...text('obtSource sourceTravelHeader collectiveStatementNo custLedgerEntryNo'),
      ...text('clientName department'),
      ...decimal('netAmount gstAmount totalAmount balanceAmount'),
      ...text('currencyCode'),
    ],
    collections: [lineItems, payments],
  },
}

export const fieldNamed = (fields: readonly ListField[], name: string): ListField | undefined =>
  fields.find((field) => field.name === name)

export const collectionNamed = (list: ListName, name: string): Collection | undefined =>
  listFields[list].collections.find((collection) => collection.name === name)
