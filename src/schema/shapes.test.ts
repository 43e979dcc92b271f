/** What OpenAPI and the writers need of the shapes, beyond the fields derived from them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Value from 'typebox/value'
import * as shapes from './shapes.ts'

const booking: shapes.Booking = {
  clientNumber: 'C100',
  recordLocator: 'ABC123',
  originatingAgency: 'Sydney',
  bookingDate: '2026-01-15',
  modifiedAt: '2026-01-15T09:30',
  isTicketed: true,
  isInternational: false,
  tripStartLocal: '2026-02-01T06:00',
  tripEndLocal: '2026-02-03T21:15',
  customDataFields: { 'Cost centre': '4711' },
}

const segment: shapes.BookingSegment = {
  segmentNumber: 1,
  segmentType: 'AIR',
  startLocal: null,
  endLocal: null,
  origin: null,
  destination: null,
  vendor: null,
  code: null,
  status: null,
}

describe('the shapes', () => {
  const accepted: readonly (readonly [what: string, holds: boolean])[] = [
    ['a booking', Value.Check(shapes.Booking, booking)],
    ['a booking without custom data', Value.Check(shapes.Booking, { ...booking, customDataFields: {} })],
    ['an itinerary', Value.Check(shapes.Itinerary, { ...booking, segments: [segment] })],
    ['an itinerary without segments', Value.Check(shapes.Itinerary, { ...booking, segments: [] })],
    ['a segment of unknowns', Value.Check(shapes.BookingSegment, segment)],
    ['meta without paging', Value.Check(shapes.QueryMeta, { total: 0, filteredCount: 0 })],
  ]
  for (const [what, holds] of accepted) {
    it(`accept ${what}`, () => assert.ok(holds))
  }

  const refused: readonly (readonly [what: string, holds: boolean])[] = [
    [
      'a booking with seconds',
      Value.Check(shapes.Booking, { ...booking, modifiedAt: '2026-01-15T09:30:00' }),
    ],
    ['a locator of seven characters', Value.Check(shapes.Booking, { ...booking, recordLocator: 'ABC1234' })],
    [
      'a custom value that is not a text',
      Value.Check(shapes.Booking, { ...booking, customDataFields: { a: 1 } }),
    ],
    ['an itinerary whose segments are missing', Value.Check(shapes.Itinerary, booking)],
    ['a segment without its number', Value.Check(shapes.BookingSegment, { ...segment, segmentNumber: null })],
    ['a page zero', Value.Check(shapes.QueryMeta, { page: 0, total: 0, filteredCount: 0 })],
    ['a page of 501', Value.Check(shapes.QueryMeta, { pageSize: 501, total: 0, filteredCount: 0 })],
    ['an API key that is too short', Value.Check(shapes.RotateApiKeyResponse.properties.apiKey, 'short')],
  ]
  for (const [what, holds] of refused) {
    it(`refuse ${what}`, () => assert.ok(!holds))
  }

  it('describe every member of every record', () => {
    const records = [
      shapes.Booking,
      shapes.Itinerary,
      shapes.BookingSegment,
      shapes.Invoice,
      shapes.InvoiceLineItem,
    ]
    for (const { properties } of records) {
      for (const [name, member] of Object.entries(properties)) {
        assert.match(JSON.stringify(member), /"description":"[^"]+"/, name)
      }
    }
  })
})
