/**
 * Turns the itineraries of a client, as Tripfolio exports them, into the rows of the peers' tables. Texts that are compared
 * without regard to case are also stored folded.
 */
import type { BenchClient } from '../dataset.ts'
import { keyOf } from '../questions.ts'

/** Columns of the tables, in the order of the rows. */
export const tables = {
  bookings: {
    id: 'integer',
    client_number: 'text',
    record_locator: 'text',
    locator_folded: 'text',
    originating_agency: 'text',
    agency_folded: 'text',
    booking_date: 'date',
    modified_at: 'timestamp',
    trip_start: 'timestamp',
    is_ticketed: 'boolean',
    is_international: 'boolean',
    booking_json: 'text',
    itinerary_json: 'text',
  },
  custom_fields: { client_number: 'text', booking_id: 'integer', label_folded: 'text', value_folded: 'text' },
  segments: { client_number: 'text', booking_id: 'integer', vendor_folded: 'text', code_folded: 'text' },
} as const

export type TableName = keyof typeof tables

export type Cell = string | number | boolean | null

export type TableRows = Readonly<Record<TableName, readonly Cell[][]>>

/** The client comes first in every index, because each query is about one client. */
export const indexes: readonly string[] = [
  // The index has the other columns of the filters, too, so that counting need not visit the rows.
  'on bookings (client_number, booking_date, record_locator, is_ticketed, modified_at)',
  'on bookings (client_number, originating_agency desc, trip_start, booking_date, record_locator)',
  'on bookings (client_number, agency_folded, booking_date, record_locator)',
  'on custom_fields (client_number, label_folded, value_folded, booking_id)',
  'on segments (client_number, vendor_folded, code_folded, booking_id)',
]

type Itinerary = {
  readonly clientNumber: string
  readonly recordLocator: string
  readonly originatingAgency: string
  readonly bookingDate: string
  readonly modifiedAt: string
  readonly tripStartLocal: string
  readonly isTicketed: boolean
  readonly isInternational: boolean
  readonly customDataFields: Readonly<Record<string, string>>
  readonly segments: readonly { readonly vendor: string | null; readonly code: string | null }[]
}

/** `firstId` keeps the ids of several clients apart. */
export async function bookingRows(address: string, client: BenchClient, firstId: number): Promise<TableRows> {
  const response = await fetch(`${address}/api/v2/itineraries`, { headers: keyOf(client) })
  const { itineraries } = (await response.json()) as { itineraries: readonly Itinerary[] }
  const { clientNumber } = client
  const numbered = itineraries.map((itinerary, index) => ({ id: firstId + index, itinerary }))
  return {
    bookings: numbered.map(({ id, itinerary }) => bookingRow(id, itinerary)),
    custom_fields: numbered.flatMap(({ id, itinerary }) =>
      Object.entries(itinerary.customDataFields).map(([label, value]) => [
        clientNumber,
        id,
        label.toLowerCase(),
        value.toLowerCase(),
      ]),
    ),
    segments: numbered.flatMap(({ id, itinerary }) =>
      itinerary.segments.map(({ vendor, code }) => [clientNumber, id, folded(vendor), folded(code)]),
    ),
  }
}

function bookingRow(id: number, itinerary: Itinerary): Cell[] {
  const { segments: _segments, ...booking } = itinerary
  return [
    id,
    booking.clientNumber,
    booking.recordLocator,
    booking.recordLocator.toLowerCase(),
    booking.originatingAgency,
    booking.originatingAgency.toLowerCase(),
    booking.bookingDate,
    booking.modifiedAt,
    booking.tripStartLocal,
    booking.isTicketed,
    booking.isInternational,
    JSON.stringify(booking),
    JSON.stringify(itinerary),
  ]
}

const folded = (text: string | null): string | null => text?.toLowerCase() ?? null
