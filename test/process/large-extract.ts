/** An extract of which an answer is larger than what the sockets of a machine take by themselves. */

import { type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'

/** Bookings of one client, in addition to those of the fixture: few, because rows cost more than bytes. */
export const LARGE_BOOKINGS = 1500

/** So long that the bookings are about 13 MB. */
const DEPARTMENT = `A department with a long name${', for longer answers'.repeat(324)}`

/** @param agency what tells one such extract from another */
export function largeExtract(agency = 'An agency with a long name'): ExtractTables {
  const bookings = Array.from({ length: LARGE_BOOKINGS }, (_, i) => ({
    client_number: harbour,
    record_locator: `Z${String(i).padStart(5, '0')}`,
    originating_agency: agency,
    booking_date: '2026-01-15',
    modified_at: '2026-01-16T09:30',
    is_ticketed: 'true',
    is_international: 'true',
    trip_start_local: '2026-02-01T06:00',
    trip_end_local: '2026-02-09T21:15',
    department: DEPARTMENT,
  }))
  return { ...fixtureExtract, bookings: [...fixtureExtract.bookings, ...rowsOf('bookings', bookings)] }
}
