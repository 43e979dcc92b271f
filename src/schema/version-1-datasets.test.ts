/** Compares the records of version 1 with the list of their fields (specification 2.9, design 7.2), repeated here as data. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { datasetsByName, storedCollections, version1Datasets } from './datasets.ts'

const bookingTypes = {
  recordLocator: 'text',
  originatingAgency: 'text',
  clientNumber: 'text',
  bookingDate: 'date',
  modifiedDateTime: 'minute',
  isTicketed: 'boolean',
  isInternational: 'boolean',
  traveller: 'text?',
  department: 'text?',
  employeeId: 'text?',
  costCentre: 'text?',
  purchaseOrder: 'text?',
  bookedBy: 'text?',
  authorisedBy: 'text?',
  customData1: 'text?',
  customData2: 'text?',
  tripStartLocal: 'minute',
  tripEndLocal: 'minute',
}

const types = {
  bookings: bookingTypes,
  itineraries: {
    ...bookingTypes,
    segmentCount: 'integer',
    tripStartUtc: 'minute?',
    tripEndUtc: 'minute?',
    totalAirDistance: 'decimal?',
    totalAirDuration: 'text?',
    totalAirDurationSeconds: 'integer?',
  },
  invoices: {
    invoiceNumber: 'text',
    clientNumber: 'text',
    clientName: 'text',
    department: 'text?',
    invoiceDate: 'date',
    netAmount: 'decimal',
    gstAmount: 'decimal',
    totalAmount: 'decimal',
    balanceAmount: 'decimal?',
    recordLocator: 'text?',
  },
} as const

const arrays = {
  bookings: ['travellers'],
  itineraries: ['travellers', 'segments'],
  invoices: ['lineItems', 'payments'],
} as const

const typeNames = {
  bookings: 'BookingGetDtoV1',
  itineraries: 'ItineraryGetDtoV1',
  invoices: 'InvoiceGetDtoV1',
} as const

describe('the datasets of version 1', () => {
  for (const list of ['bookings', 'itineraries', 'invoices'] as const) {
    const dataset = version1Datasets[list]

    it(`give ${list} their fields, types and type name`, () => {
      const found = dataset.fields.map(({ name, type, nullable }) => [name, nullable ? `${type}?` : type])
      assert.deepEqual(Object.fromEntries(found), types[list])
      assert.equal(dataset.typeName, typeNames[list])
      assert.equal(dataset.nested, null)
    })

    it(`require every member of ${list}, arrays included, and have the records in \`result\``, () => {
      const names = Object.keys(dataset.record.properties)
      assert.deepEqual([...names].sort(), [...Object.keys(types[list]), ...arrays[list]].sort())
      assert.deepEqual([...(dataset.record.required ?? [])].sort(), [...names].sort())
      assert.deepEqual(Object.keys(dataset.response.properties), ['result'])
    })

    it(`order ${list} by fields that are never null`, () => {
      for (const key of dataset.defaultOrder) {
        assert.equal(dataset.fields.find(({ name }) => name === key)?.nullable, false)
      }
    })
  }
})

describe('the stored collections', () => {
  for (const [name, { record, front, fields }] of Object.entries(storedCollections)) {
    it(`${name} begin with their front part, and have a member for every field`, () => {
      const members = Object.keys(record.properties)
      if (front !== null) {
        const first = Object.keys(front.properties)
        assert.deepEqual(members.slice(0, first.length), first)
      }
      for (const field of fields) assert.ok(members.includes(field.name), field.name)
    })
  }

  it('hold the fields of every dataset that is read from them', () => {
    for (const { name, stored, fields } of Object.values(datasetsByName)) {
      const held = new Map(storedCollections[stored].fields.map((field) => [field.name, field.type]))
      for (const field of fields) assert.equal(held.get(field.name), field.type, `${name}.${field.name}`)
    }
  })
})
