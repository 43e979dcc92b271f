/** Every form of a date that is read, and texts that only look like a date. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fails, given, plainOf, run, testContext } from '../../testing/context.ts'
import { dateFunctions } from './dates.ts'

const now = Date.UTC(2026, 6, 4, 9, 8, 7, 65)

const call = (name: string, ...args: readonly unknown[]): unknown => {
  const found = dateFunctions.find((native) => native.name === name)
  assert.ok(found !== undefined, name)
  return plainOf(run(found, args.map(given), testContext({ now: () => now })))
}

describe('ParseDate', () => {
  const forms: readonly (readonly [string, string])[] = [
    // Exact forms.
    ['2024-01-15', '2024-01-15T00:00:00.000Z'],
    ['2024-01-15T10:30:45', '2024-01-15T10:30:45.000Z'],
    ['2024-01-15T10:30:45Z', '2024-01-15T10:30:45.000Z'],
    ['2024-01-15T10:30:45.678Z', '2024-01-15T10:30:45.678Z'],
    ['03/04/2024', '2024-03-04T00:00:00.000Z'],
    ['25/12/2024', '2024-12-25T00:00:00.000Z'],
    ['2024/01/15', '2024-01-15T00:00:00.000Z'],
    // ISO with fewer digits, other separators and zones.
    ['2024-1-5', '2024-01-05T00:00:00.000Z'],
    ['2024/1/5 7:08', '2024-01-05T07:08:00.000Z'],
    ['2024-01-15 10:30:45.6789', '2024-01-15T10:30:45.678Z'],
    ['2024-01-15T10:30:45.99999999', '2024-01-15T10:30:46.000Z'],
    ['2024-12-31T23:59:59.99999999', '2025-01-01T00:00:00.000Z'],
    ['2024-01-15T10:30+02:00', '2024-01-15T08:30:00.000Z'],
    ['2024-01-15T01:30:00.5 +0530', '2024-01-14T20:00:00.500Z'],
    ['2024-01-15T23:30-05', '2024-01-16T04:30:00.000Z'],
    ['2024-01-15t10:30z', '2024-01-15T10:30:00.000Z'],
    ['2024-01', '2024-01-01T00:00:00.000Z'],
    ['2024/3', '2024-03-01T00:00:00.000Z'],
    // Month first, with halves of the day.
    ['1/5/2024 5:30 PM', '2024-01-05T17:30:00.000Z'],
    ['1/5/2024 12:30am', '2024-01-05T00:30:00.000Z'],
    ['1/5/2024 12:30 pm', '2024-01-05T12:30:00.000Z'],
    ['1-5-2024', '2024-01-05T00:00:00.000Z'],
    // Names.
    ['15 January 2024', '2024-01-15T00:00:00.000Z'],
    ['5 jan 2024 10:30', '2024-01-05T10:30:00.000Z'],
    ['15-Jan-2024', '2024-01-15T00:00:00.000Z'],
    ['January 15, 2024', '2024-01-15T00:00:00.000Z'],
    ['JANUARY 15 2024', '2024-01-15T00:00:00.000Z'],
    ['Monday, January 15, 2024 5:00 PM', '2024-01-15T17:00:00.000Z'],
    ['Mon 15 January 2024', '2024-01-15T00:00:00.000Z'],
    ['Mon, 15 Jan 2024 10:30:00 GMT', '2024-01-15T10:30:00.000Z'],
    // A time without a date is of today; blanks around do not matter.
    ['10:30', '2026-07-04T10:30:00.000Z'],
    ['5:04:03 PM', '2026-07-04T17:04:03.000Z'],
    [' \u00a02024-01-15\n', '2024-01-15T00:00:00.000Z'],
    // Ends of the calendar.
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.9999999', '9999-12-31T23:59:59.999Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29', '2000-02-29T00:00:00.000Z'],
  ]
  for (const [text, date] of forms) {
    it(`reads ${JSON.stringify(text)}`, () => assert.equal(call('ParseDate', text), date))
  }

  const none = [
    ['', ' ', 'null', 'tomorrow', '20240115', '1705312800', '1705312800000', '2024', '24-01-15', '1/5/24'],
    [
      '2024-13-01',
      '2024-00-10',
      '2024-02-30',
      '2023-02-29',
      '1900-02-29',
      '2024-01-32',
      '2024-01-00',
      '0000-01-01',
    ],
    [
      '2024-01/15',
      '2024-001-15',
      '13/13/2024',
      '32/12/2024',
      '25/12/2024 10:00',
      '2024-01-15X',
      '2024-01-15T',
    ],
    ['2024-01-15T24:00', '2024-01-15T10:60', '2024-01-15T10:30:60', '2024-01-15T10', '2024-01-15T10:30:'],
    ['2024-01-15T10:30:45.', '2024-01-15T10:30.5', '2024-01-15T10:30+15:00', '2024-01-15T10:30+01:60'],
    ['2024-01-15T10:30+', '2024-01-15T10:30 UTC', '2024-01-15T13:00 AM', '0001-01-01T00:00+01:00'],
    ['9999-12-31T23:59-01:00', '9999-12-31T23:59:59.99999999', 'Tuesday, January 15, 2024', '15 Foo 2024'],
    [
      'January 2024',
      'January 32, 2024',
      '25:00',
      '10',
      '١٥ January 2024',
      '2024-01-15Z',
      `2024-01-15${'\0'}`,
    ],
    [`2024-01-${'0'.repeat(1000)}15`],
  ].flat()
  for (const text of none) {
    it(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => fails('JM5800', () => call('ParseDate', text)))
  }

  it('reads its own output', () => {
    const first = -62_135_596_800_000
    fc.assert(
      fc.property(fc.integer({ min: first, max: Date.UTC(9999, 11, 31) }), (instant) => {
        const text = new Date(instant).toISOString()
        assert.equal(call('ParseDate', text), text)
      }),
    )
  })

  it('reads every standard format with a year, to its precision', () => {
    const formats = ['d', 'D', 'f', 'F', 'g', 'G', 's', 'u', 'o', 'O', 'r', 'R', 'U']
    const instants = fc.integer({ min: Date.UTC(1600, 0, 1), max: Date.UTC(9999, 11, 31) })
    fc.assert(
      fc.property(instants, fc.constantFrom(...formats), (instant, format) => {
        const date = new Date(instant).toISOString()
        const written = call('FormatDate', date, format)
        assert.equal(call('FormatDate', call('ParseDate', written), format), written)
      }),
    )
  })
})
