import assert from 'node:assert/strict'
import { before, describe, it, test } from 'node:test'
import { parseDate, parseMinute } from '../../kernel/calendar.ts'
import { parseDecimal, scaledExactly } from '../../kernel/decimal.ts'
import { codePointLength } from '../../kernel/text.ts'
import { type ExtractColumn, extractTables } from '../../schema/extract-tables.ts'
import type { FieldType } from '../../schema/field.ts'
import {
  bookingKey,
  dayOf,
  type Extract,
  groupsOf,
  invoiceKey,
  keyOf,
  keysOf,
  makeExtract,
  type Row,
} from '../testing/extract-in-memory.ts'
import { countryOf } from './places.ts'

const tables = Object.values(extractTables)
const scaled = (value: unknown): number => scaledExactly(parseDecimal(String(value))!)!

/** Rounds half a cent away from zero. */
const toCents = (amount: number) => (Math.sign(amount) * Math.round(Math.abs(amount) / 1000) || 0) * 1000

/** The limit of a text column without its own limit. */
const LONGEST_TEXT = 200

const fits: { readonly [Type in FieldType]: (value: unknown, column: ExtractColumn) => boolean } = {
  text: (value, { nullable, maxLength = LONGEST_TEXT }) =>
    typeof value === 'string' && codePointLength(value) <= maxLength && (nullable || value !== ''),
  date: (value) => parseDate(String(value)) !== undefined,
  minute: (value) => parseMinute(String(value)) !== undefined,
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value),
  decimal: (value) => typeof value === 'number' && Number.isSafeInteger(scaled(value)),
}

for (const { clients, bookings } of [
  { clients: 5, bookings: 50 },
  { clients: 1, bookings: 50 },
  { clients: 100, bookings: 50 },
  { clients: 8, bookings: 3000 },
]) {
  describe(`an extract of ${clients} clients and ${bookings} bookings`, () => {
    let extract: Extract
    before(async () => {
      extract = await makeExtract(clients, bookings)
    })

    test('has the requested numbers of clients and bookings', () => {
      assert.equal(extract.clients.length, clients)
      assert.equal(extract.bookings.length, bookings)
      assert.equal(extract.clients[0]?.client_number, 'C00001')
    })

    test('has exactly the columns of each table, within their types and limits', () => {
      for (const { name, columns } of tables) {
        const names = columns.map(({ column }) => column)
        for (const row of extract[name]) {
          assert.deepEqual(Object.keys(row), names)
          for (const column of columns) {
            const value = row[column.column]
            const allowed = value === null ? column.nullable : fits[column.type](value, column)
            assert.ok(allowed, `${name}.${column.column}: ${JSON.stringify(value)}`)
          }
        }
      }
    })

    test('has no two rows with the same key', () => {
      for (const { name, identity } of tables.filter(({ identity }) => identity.length > 0)) {
        assert.equal(keysOf(extract[name], ...identity).size, extract[name].length, name)
      }
    })

    test('has no row without its client, booking or invoice', () => {
      const bookings = keysOf(extract.bookings, ...bookingKey)
      const invoices = keysOf(extract.invoices, ...invoiceKey)
      const clients = keysOf(extract.clients, 'client_number')
      for (const name of ['bookings', 'custom_field_labels', 'invoices'] as const)
        for (const row of extract[name]) assert.ok(clients.has(keyOf(row, ['client_number'])), name)
      for (const name of ['segments', 'travellers', 'booking_custom_data'] as const)
        for (const row of extract[name]) assert.ok(bookings.has(keyOf(row, bookingKey)), name)
      for (const name of ['invoice_lines', 'payments'] as const)
        for (const row of extract[name]) assert.ok(invoices.has(keyOf(row, invoiceKey)), name)
      for (const row of extract.invoices)
        assert.ok(row.record_locator === null || bookings.has(keyOf(row, bookingKey)))
    })

    test('has a null in every nullable column, except the client of lines and payments', () => {
      for (const { name, columns } of tables)
        for (const { column } of columns.filter((each) => each.nullable && each.column !== 'client_number'))
          assert.ok(
            extract[name].some((row) => row[column] === null),
            `${name}.${column}`,
          )
    })

    test('has trips that begin and end with their segments', () => {
      const segments = groupsOf(extract.segments, ...bookingKey)
      for (const booking of extract.bookings) {
        const its = segments.get(keyOf(booking, bookingKey)) ?? []
        const starts = its.flatMap(({ start_local }) => start_local ?? []).sort()
        const ends = its.flatMap(({ end_local }) => end_local ?? []).sort()
        if (starts.length > 0) assert.equal(booking.trip_start_local, starts[0])
        if (ends.length > 0) assert.equal(booking.trip_end_local, ends.at(-1))
        assert.ok(String(booking.trip_start_local) < String(booking.trip_end_local))
        assert.ok(String(booking.trip_start_local) > String(booking.booking_date))
        for (const { start_local, end_local } of its)
          assert.ok(start_local === null || String(start_local) < String(end_local))
      }
    })

    test('has flights and trains that begin where and after the previous one has ended', () => {
      for (const segments of groupsOf(extract.segments, ...bookingKey).values()) {
        const legs = segments.filter(({ segment_type }) => segment_type === 'AIR' || segment_type === 'RAIL')
        for (const [i, leg] of legs.slice(1).entries()) {
          assert.equal(leg.origin, legs[i]?.destination)
          assert.ok(String(leg.start_local) >= String(legs[i]?.end_local))
        }
      }
    })

    test('has hotel nights and car hire between the flights', () => {
      for (const segments of groupsOf(extract.segments, ...bookingKey).values()) {
        const legs = segments.filter(({ segment_type }) => segment_type === 'AIR' || segment_type === 'RAIL')
        const land = segments.filter(({ segment_type }) => segment_type === 'HOTEL' || segment_type === 'CAR')
        for (const { start_local, end_local } of land)
          for (const leg of legs)
            assert.ok(
              String(leg.end_local) <= String(start_local) || String(leg.start_local) >= String(end_local),
            )
      }
    })

    test('is international exactly when a flight or train crosses a border', () => {
      const segments = groupsOf(extract.segments, ...bookingKey)
      for (const booking of extract.bookings) {
        const crosses = (segments.get(keyOf(booking, bookingKey)) ?? []).some(
          ({ segment_type, origin, destination }) =>
            (segment_type === 'AIR' || segment_type === 'RAIL') &&
            countryOf(String(origin)) !== countryOf(String(destination)),
        )
        assert.equal(booking.is_international, crosses)
      }
    })

    test('has bookings of 2024 and 2025 that are never modified before they are made', () => {
      for (const { booking_date, modified_at } of extract.bookings) {
        assert.match(String(booking_date), /^202[45]-/)
        assert.ok(String(modified_at) > String(booking_date))
        assert.ok(String(modified_at) < '2026-01-01')
      }
    })

    test('has lines whose amounts add up', () => {
      for (const line of extract.invoice_lines) {
        if (line.line_amount_ex_gst === null) continue
        const exGst = scaled(line.line_amount_ex_gst)
        const gst = (exGst * Number(line.gst_percent ?? 0)) / 100
        assert.equal(scaled(line.line_amount_inc_gst), exGst + toCents(gst))
        const whole = (scaled(line.quantity) * scaled(line.unit_price)) / 100_000
        const charged = whole - scaled(line.line_discount_amount ?? 0)
        assert.equal(exGst, Math.abs(charged) < 500 ? charged : toCents(charged))
      }
    })

    test('has no credit or discount with a positive amount', () => {
      for (const { line_type, line_amount_inc_gst } of extract.invoice_lines)
        if (['CREDIT', 'DISCOUNT', 'REFUND'].includes(String(line_type)))
          assert.ok(line_amount_inc_gst === null || Number(line_amount_inc_gst) < 0)
    })

    test('has lines on every invoice', () => {
      const withLines = keysOf(extract.invoice_lines, ...invoiceKey)
      assert.equal(withLines.size, extract.invoices.length)
    })

    test('has balances of lines less payments', () => {
      const lines = groupsOf(extract.invoice_lines, ...invoiceKey)
      const payments = groupsOf(extract.payments, ...invoiceKey)
      for (const invoice of extract.invoices) {
        if (invoice.balance_amount === null) continue
        const key = keyOf(invoice, invoiceKey)
        const charged = (lines.get(key) ?? []).map(({ line_amount_inc_gst }) =>
          scaled(line_amount_inc_gst ?? 0),
        )
        const paid = (payments.get(key) ?? []).map(({ amount }) => -scaled(amount))
        assert.equal(
          scaled(invoice.balance_amount),
          [...charged, ...paid].reduce((sum, amount) => sum + amount, 0),
        )
      }
    })
  })
}

describe('an extract of 8 clients and 8000 bookings', () => {
  let extract: Extract
  before(async () => {
    extract = await makeExtract(8, 8000)
  })

  const share = (rows: readonly Row[], holds: (row: Row) => boolean) =>
    rows.filter(holds).length / Math.max(1, rows.length)

  test('is booked mostly on weekdays, and in March more than in December', () => {
    const weekend = share(extract.bookings, ({ booking_date }) =>
      [0, 6].includes(new Date(String(booking_date)).getUTCDay()),
    )
    assert.ok(weekend > 0.01 && weekend < 0.08, String(weekend))
    const inMonth = (month: string) =>
      extract.bookings.filter(({ booking_date }) => String(booking_date).slice(5, 7) === month).length
    assert.ok(inMonth('03') > inMonth('12') * 1.3)
  })

  test('has about one invoice per booking', () => {
    const linked = extract.invoices.filter(({ record_locator }) => record_locator !== null)
    const perBooking = linked.length / extract.bookings.length
    assert.ok(perBooking > 0.9 && perBooking < 1.1, String(perBooking))
  })

  test('is mostly confirmed, ticketed and domestic', () => {
    assert.ok(share(extract.segments, ({ status }) => status === 'HK') > 0.9)
    assert.ok(share(extract.bookings, ({ is_ticketed }) => is_ticketed === true) > 0.6)
    const international = share(extract.bookings, ({ is_international }) => is_international === true)
    assert.ok(international > 0.2 && international < 0.5, String(international))
  })

  test('uses the same invoice numbers in several companies', () => {
    const [, ...others] = groupsOf(extract.invoices, 'invoice_number').values()
    assert.ok(others.filter((invoices) => invoices.length > 1).length > 100)
  })
})

describe('an extract of any day', () => {
  for (const today of ['2024-02-29', '2026-06-10', '2026-11-22', '2027-01-01']) {
    it(`has bookings of the two years before, and travellers of the week after: ${today}`, async () => {
      const { bookings } = await makeExtract(1, 1000, dayOf(today))
      const dates = bookings.map(({ booking_date }) => dayOf(String(booking_date)))
      assert.ok(dates.every((date) => date >= dayOf(today) - 731 && date < dayOf(today)))
      assert.ok(Math.max(...dates) > dayOf(today) - 14)
      assert.ok(bookings.every(({ modified_at }) => String(modified_at) < today))
      const starts = bookings.map(({ trip_start_local }) => dayOf(String(trip_start_local).slice(0, 10)))
      assert.ok(starts.some((start) => start >= dayOf(today) && start < dayOf(today) + 7))
    })
  }
})
