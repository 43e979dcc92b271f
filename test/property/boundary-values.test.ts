/**
 * The smallest and the greatest values that the specification allows, from the file to the answer: they are found, compared
 * and sorted like any others.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { type ServedExtract, serveExtract } from './serve-extract.ts'

const dates = ['0000-01-01', '1969-12-31', '1970-01-01', '9999-12-31']
const minutes = ['0000-01-01T00:00', '1969-12-31T23:59', '6053-01-23T02:08', '9999-12-31T23:59']
const integers = ['-2147483647', '0', '1', '2147483647']
const decimals = ['-90071992547.40991', '-0.00001', '0.00001', '90071992547.40991']
/** In the order of code points. The second is a byte order mark. */
const texts = ['\u0001', '\ufeff', '\uffff', '\u{10ffff}']

/** Four bookings and invoices, one of them with all smallest and one with all greatest values. */
const extract: ExtractTables = {
  clients: rowsOf('clients', [{ client_number: 'C1', name: 'Client' }]),
  custom_field_labels: rowsOf('custom_field_labels', [
    { client_number: 'C1', field: 'department', label: 'Team' },
  ]),
  bookings: rowsOf(
    'bookings',
    dates.map((date, i) => ({
      client_number: 'C1',
      record_locator: `LOC${i}`,
      originating_agency: texts[i] ?? null,
      booking_date: date,
      modified_at: '2026-01-01T00:00',
      is_ticketed: 'true',
      is_international: 'false',
      trip_start_local: '2026-01-01T00:00',
      trip_end_local: minutes[i] ?? null,
      department: texts[i] ?? null,
    })),
  ),
  booking_custom_data: [],
  travellers: [],
  segments: rowsOf(
    'segments',
    minutes.map((minute, i) => ({
      client_number: 'C1',
      record_locator: `LOC${i}`,
      segment_number: integers[i] ?? null,
      segment_type: 'AIR',
      start_local: minute,
    })),
  ),
  invoices: rowsOf(
    'invoices',
    dates.map((date, i) => ({
      company: 'Company',
      client_number: 'C1',
      record_locator: `LOC${i}`,
      invoice_number: String(i),
      invoice_date: date,
      due_date: date,
    })),
  ),
  invoice_lines: rowsOf(
    'invoice_lines',
    decimals.map((decimal, i) => ({
      company: 'Company',
      invoice_number: String(i),
      line_number: integers[i] ?? null,
      line_type: 'FARE',
      quantity: decimal,
    })),
  ),
  payments: [],
}

let served: ServedExtract
before(async () => {
  served = await serveExtract(extract, 'csv')
})
after(() => served.close())

const fields = [
  ['bookings', 'bookingDate', dates.map(quoted)],
  ['bookings', 'tripEndLocal', minutes.map(quoted)],
  ['bookings', 'originatingAgency', texts.map(quoted)],
  ['bookings', 'customDataFields.Team', texts.map(quoted)],
  ['itineraries', 'segments.segmentNumber', integers],
  ['itineraries', 'segments.startLocal', minutes.map(quoted)],
  ['invoices', 'dueDate', dates.map(quoted)],
  ['invoices', 'lineItems.quantity', decimals],
] as const

for (const [dataset, field, literals] of fields) {
  describe(field, () => {
    for (const [i, literal] of literals.entries()) {
      it(`is compared with ${JSON.stringify(literal)} exactly`, async () => {
        const places = [0, 1, 2, 3]
        assert.deepEqual(await placesWhere(`${field} eq ${literal}`), [i])
        assert.deepEqual(await placesWhere(`${field} lt ${literal}`), places.slice(0, i))
        assert.deepEqual(await placesWhere(`${field} ge ${literal}`), places.slice(i))
        assert.deepEqual(await placesWhere(`${field} in (${literal}, null)`), [i])
      })
    }

    if (!/segments|lineItems/.test(field)) {
      it('is sorted in both directions', async () => {
        assert.deepEqual(await placesBy([['$orderby', field]]), [0, 1, 2, 3])
        assert.deepEqual(await placesBy([['$orderby', `${field} desc`]]), [3, 2, 1, 0])
        assert.deepEqual(
          await placesBy([['$orderby', `clientNumber, ${field} desc, recordLocator`]]),
          [3, 2, 1, 0],
        )
      })
    }

    const placesWhere = (filter: string) => placesBy([['$filter', filter]])

    async function placesBy(parameters: readonly (readonly [string, string])[]): Promise<readonly number[]> {
      const { records } = await served.ask('C1', dataset, parameters)
      return records.map(({ recordLocator }) => Number(String(recordLocator).slice(3)))
    }
  })
}

describe('a record', () => {
  it('shows its texts, dates and times as the extract has them', async () => {
    const { records } = await served.ask('C1', 'itineraries', [])
    assert.deepEqual(
      records.map(({ bookingDate, tripEndLocal, originatingAgency, customDataFields }) => [
        bookingDate,
        tripEndLocal,
        originatingAgency,
        customDataFields,
      ]),
      dates.map((date, i) => [date, minutes[i], texts[i], { Team: texts[i] }]),
    )
  })
})

function quoted(text: string): string {
  return `'${text}'`
}
