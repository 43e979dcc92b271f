import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { labelPath, placeOf } from '../fields/paths.ts'
import { readQuery } from '../query/list-query.ts'
import { routeOf, selectOf, valueIn } from './columns.ts'
import { recordFilter, recordKey } from './record-key.ts'

const leg = (origin: string | null, destination: string | null) => ({ origin, destination })

describe('routeOf', () => {
  const rows = [
    [[], ''],
    [[leg('MEL', 'SYD')], 'MEL → SYD'],
    [[leg('MEL', 'SYD'), leg('SYD', null), leg('SYD', 'SYD'), leg('SYD', 'MEL')], 'MEL → SYD → MEL'],
    [[leg('MEL', 'SYD'), leg('CBR', 'MEL')], 'MEL → SYD · CBR → MEL'],
  ] as const
  for (const [segments, route] of rows) {
    it(`is '${route}'`, () => assert.equal(routeOf(segments), route))
  }
})

describe('selectOf', () => {
  it('asks for the identity, and of collections only for what the table shows', () => {
    const query = readQuery('itineraries', { columns: 'traveller,segments,recordLocator' })
    assert.equal(
      selectOf(query),
      'recordLocator,traveller,segments.segmentType,segments.origin,segments.destination',
    )
  })
})

describe('valueIn', () => {
  const value = (path: string, record: object) => {
    const place = placeOf('invoices', path)
    assert.ok(place !== undefined)
    return valueIn(record as Readonly<Record<string, unknown>>, place)
  }

  it('finds labels by their own names only', () => {
    assert.equal(value(labelPath("O'Hare"), { customDataFields: { "O'Hare": 'x' } }), 'x')
    assert.equal(value(labelPath('constructor'), { customDataFields: {} }), undefined)
    assert.equal(value(labelPath('x'), {}), undefined)
  })

  it('has each value of elements once', () => {
    const lineItems = [{ lineType: 'FARE' }, { lineType: null }, { lineType: 'TAX' }, { lineType: 'FARE' }]
    assert.deepEqual(value('lineItems.lineType', { lineItems }), ['FARE', 'TAX'])
    assert.equal(value('lineItems', { lineItems }), 'FARE, TAX')
  })
})

describe('recordFilter', () => {
  it('finds the record of a key, whatever its names contain', () => {
    const key = recordKey('invoices', { company: "O'Hare / Söhne", invoiceNumber: 'A%1/2' })
    assert.equal(recordFilter('invoices', key), "company eq 'O''Hare / Söhne' and invoiceNumber eq 'A%1/2'")
    assert.equal(recordFilter('bookings', '%'), "recordLocator eq '%'")
  })
})
