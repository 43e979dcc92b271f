/**
 * Compares the fields with the tables of the interface specification, section 2. The tables are repeated here as data, row
 * by row, so that a change of a shape shows as a change of the contract.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { datasets, namedFields, searchedCollections, storedCollections } from './datasets.ts'
import type { Field } from './field.ts'

/** Name, type in the words of the specification, nullable. */
type SpecRow = readonly [name: string, type: string, nullable: boolean]

const bookingTable: readonly SpecRow[] = [
  ['clientNumber', 'string, max 20', false],
  ['recordLocator', 'string, max 6', false],
  ['originatingAgency', 'string, max 50', false],
  ['bookingDate', 'string, format date', false],
  ['modifiedAt', 'string, minute pattern', false],
  ['isTicketed', 'boolean', false],
  ['isInternational', 'boolean', false],
  ['tripStartLocal', 'string, minute pattern', false],
  ['tripEndLocal', 'string, minute pattern', false],
]

const segmentTable: readonly SpecRow[] = [
  ['segmentNumber', 'integer', false],
  ['segmentType', 'string, max 8', false],
  ['startLocal', 'string, minute pattern', true],
  ['endLocal', 'string, minute pattern', true],
  ['origin', 'string, max 3', true],
  ['destination', 'string, max 3', true],
  ['vendor', 'string, max 2', true],
  ['code', 'string, max 50', true],
  ['status', 'string, max 2', true],
]

const invoiceTable: readonly SpecRow[] = [
  ['company', 'string, max 30', false],
  ['clientNumber', 'string, max 20', false],
  ['recordLocator', 'string, max 6', true],
  ['invoiceNumber', 'string, max 20', false],
  ['invoiceDate', 'string, format date', false],
  ['paymentTermsCode', 'string, max 6', true],
  ['dueDate', 'string, format date', false],
  ['obtSource', 'string, max 50', true],
  ['sourceTravelHeader', 'string, max 50', true],
  ['collectiveStatementNo', 'string, max 50', true],
  ['custLedgerEntryNo', 'string, max 50', true],
]

const lineItemTable: readonly SpecRow[] = [
  ['lineNumber', 'integer', false],
  ['lineType', 'string, max 20', false],
  ['productCode', 'string, max 20', true],
  ['description', 'string, max 100', true],
  ['quantity', 'number', true],
  ['unitPrice', 'number', true],
  ['lineDiscountAmount', 'number', true],
  ['lineAmountExGst', 'number', true],
  ['lineAmountIncGst', 'number', true],
  ['gstPercent', 'number', true],
]

const additionalOfBookings =
  'traveller? department? employeeId? costCentre? purchaseOrder? bookedBy? authorisedBy? customData1? customData2? ' +
  'segmentCount tripStartUtc? tripEndUtc? totalAirDistance? totalAirDuration? totalAirDurationSeconds? currencyCode?'

/** The additional fields of each list, of its nested collection, and its additional collections; `?` after nullable fields. */
const additional: { readonly [Name in keyof typeof datasets]: readonly string[] } = {
  bookings: [additionalOfBookings, '', 'travellers: name? department?'],
  itineraries: [additionalOfBookings, '', 'travellers: name? department?'],
  invoices: [
    'clientName department? netAmount gstAmount totalAmount balanceAmount? currencyCode?',
    'travellerName? vendorName? ticketNumber? originalTicketNumber?',
    'payments: merchant? receivedDate? formOfPayment? cardNumber? cardHolder? amount',
  ],
}

const listed = (fields: readonly Field[]): string =>
  fields.map(({ name, nullable }) => (nullable ? `${name}?` : name)).join(' ')

describe('the additional fields', () => {
  for (const dataset of Object.values(datasets)) {
    it(`of ${dataset.name} are those that version 1 or the extract has more`, () => {
      const { additionalFields, nested, additionalCollections } = dataset
      assert.deepEqual(
        [
          listed(additionalFields),
          listed(nested?.additionalFields ?? []),
          ...additionalCollections.map(({ name, fields }) => `${name}: ${listed(fields)}`),
        ],
        additional[dataset.name],
      )
    })

    it(`of ${dataset.name} share no name with a member of the record or of an element, in any letter case`, () => {
      const own = [...Object.keys(dataset.record.properties), ...namedFields(dataset).map(({ name }) => name)]
      const collections = searchedCollections(dataset)
      const topLevel = new Set(
        [...own, ...collections.map(({ name }) => name)].map((name) => name.toLowerCase()),
      )
      assert.equal(topLevel.size, new Set(own).size + dataset.additionalCollections.length)
      const elementFields = collections.flatMap((each) =>
        namedFields(each).map(({ name }) => name.toLowerCase()),
      )
      assert.equal(new Set(elementFields).size, elementFields.length)
    })
  }
})

describe('datasets', () => {
  it('give bookings the fields of specification 2.1', () => {
    assert.deepEqual(datasets.bookings.fields.map(specRow), bookingTable)
    assert.equal(datasets.bookings.nested, null)
  })

  it('give itineraries the fields of bookings and the segments of specification 2.3', () => {
    assert.deepEqual(datasets.itineraries.fields.map(specRow), bookingTable)
    assert.equal(datasets.itineraries.nested?.name, 'segments')
    assert.deepEqual(datasets.itineraries.nested?.fields.map(specRow), segmentTable)
  })

  it('give invoices the fields of specification 2.4 and its line items', () => {
    assert.deepEqual(datasets.invoices.fields.map(specRow), invoiceTable)
    assert.equal(datasets.invoices.nested?.name, 'lineItems')
    assert.deepEqual(datasets.invoices.nested?.fields.map(specRow), lineItemTable)
  })

  it('store itineraries once, as bookings with their segments', () => {
    assert.equal(datasets.itineraries.stored, 'bookings')
    assert.deepEqual(storedCollections.bookings.fields.map(specRow), bookingTable)
    assert.deepEqual(storedCollections.bookings.nested.fields.map(specRow), segmentTable)
    assert.deepEqual(storedCollections.invoices.fields.map(specRow), invoiceTable)
    assert.deepEqual(storedCollections.invoices.nested.fields.map(specRow), lineItemTable)
  })

  const members: readonly (readonly [dataset: keyof typeof datasets, members: readonly string[]])[] = [
    ['bookings', [...bookingTable.map(nameOf), 'customDataFields']],
    ['itineraries', [...bookingTable.map(nameOf), 'customDataFields', 'segments']],
    ['invoices', [...invoiceTable.map(nameOf), 'lineItems', 'customDataFields']],
  ]
  for (const [name, expected] of members) {
    it(`put the members of ${name} in the specification's order, all of them required`, () => {
      const { record } = datasets[name]
      assert.deepEqual(Object.keys(record.properties), expected)
      assert.deepEqual([...(record.required ?? [])].sort(), [...expected].sort())
    })
  }

  it('answer in the envelopes of specification 2.6', () => {
    for (const { name, response } of Object.values(datasets)) {
      assert.deepEqual(Object.keys(response.properties), ['clientNumber', 'count', name, '_meta'])
      assert.deepEqual([...(response.required ?? [])].sort(), ['clientNumber', 'count', name].sort())
    }
  })

  it('order by the date first, and last by the identity of a record', () => {
    assert.deepEqual(datasets.bookings.defaultOrder, ['bookingDate', 'recordLocator'])
    assert.deepEqual(datasets.itineraries.defaultOrder, ['bookingDate', 'recordLocator'])
    assert.deepEqual(datasets.invoices.defaultOrder, ['invoiceDate', 'company', 'invoiceNumber'])
  })

  it('never order by a field that may be null', () => {
    for (const { name, fields, defaultOrder } of Object.values(datasets)) {
      for (const key of defaultOrder) {
        const field = fields.find((candidate) => candidate.name === key)
        assert.ok(field && !field.nullable, `${name}.${key}`)
      }
    }
  })
})

function nameOf([name]: SpecRow): string {
  return name
}

function specRow({ name, type, nullable, maxLength }: Field): SpecRow {
  return [name, specType(type, maxLength), nullable]
}

function specType(type: Field['type'], maxLength: number | undefined): string {
  if (type === 'text') return `string, max ${maxLength}`
  const words = {
    date: 'string, format date',
    minute: 'string, minute pattern',
    boolean: 'boolean',
    integer: 'integer',
    decimal: 'number',
  }
  return maxLength === undefined ? words[type] : `${words[type]}, max ${maxLength}`
}
