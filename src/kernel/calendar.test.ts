/**
 * The calendar against JavaScript's own `Date`: every day of 400 years and the ends of all months, every form a filter may write, and
 * the near misses that must stay text.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { repeated } from '../../test/campaign.ts'
import {
  formatDate,
  formatMinute,
  instantOfDay,
  instantOfMinute,
  MINUTES_PER_DAY,
  parseDate,
  parseInstant,
  parseMinute,
} from './calendar.ts'

const MS_PER_DAY = 86_400_000
const firstDay = dayByDate(0, 0, 1)
const lastDay = dayByDate(9999, 11, 31)
const anyDay = fc.integer({ min: firstDay, max: lastDay })
const anyMinute = fc.integer({ min: firstDay * MINUTES_PER_DAY, max: (lastDay + 1) * MINUTES_PER_DAY - 1 })

describe('parseDate and formatDate', () => {
  const agreesWithDate = (day: number): void => {
    const text = new Date(day * MS_PER_DAY).toISOString().slice(0, 10)
    if (formatDate(day) !== text) assert.fail(`day ${day} is ${text}, written ${formatDate(day)}`)
    if (parseDate(text) !== day) assert.fail(`${text} is day ${day}, read ${parseDate(text)}`)
  }

  // The calendar repeats after 400 years.
  const [from, to] = repeated(
    [dayByDate(1799, 11, 31), dayByDate(2200, 0, 1)] as const,
    [firstDay, lastDay] as const,
  )
  it('agree with Date on every day of 400 years', () => {
    for (let day = from; day <= to; day++) agreesWithDate(day)
  })

  it('agree with Date on the first and last day of every month of the years 0000 to 9999', () => {
    for (let month = 0; month < 10_000 * 12; month++) {
      agreesWithDate(dayByDate(0, month, 1))
      agreesWithDate(dayByDate(0, month + 1, 0))
    }
  })

  it('know which years have a 29th of February', () => {
    for (let year = 0; year <= 9999; year++) {
      const leap = new Date(dayByDate(year, 1, 29) * MS_PER_DAY).getUTCMonth() === 1
      const text = `${String(year).padStart(4, '0')}-02-29`
      assert.equal(parseDate(text) !== undefined, leap, text)
    }
  })

  const days: readonly (readonly [text: string, day: number])[] = [
    ['1970-01-01', 0],
    ['1969-12-31', -1],
    ['2000-02-29', 11_016],
    ['2026-01-01', 20_454],
    ['0000-01-01', -719_528],
    ['9999-12-31', 2_932_896],
  ]
  for (const [text, day] of days) {
    it(`reads ${text} as day ${day}`, () => {
      assert.equal(parseDate(text), day)
      assert.equal(formatDate(day), text)
    })
  }

  const refused = [
    '',
    '2026-1-01',
    '2026-01-1',
    '2026-01-011',
    '2026-01-00',
    '2026-01-32',
    '2026-00-01',
    '2026-13-01',
    '2026-02-29',
    '2026-04-31',
    '2026-06-31',
    '2026-09-31',
    '2026-11-31',
    '1900-02-29',
    '2100-02-29',
    '2026/01/01',
    '2026-01/01',
    '20260101',
    '-026-01-01',
    '+026-01-01',
    ' 2026-01-01',
    '2026-01-01 ',
    '２０２６-01-01',
    '2026-0a-01',
    '2026-01-01T00:00',
    'not-a-date',
  ]
  for (const text of refused) {
    it(`refuse ${JSON.stringify(text)}`, () => assert.equal(parseDate(text), undefined))
  }
})

describe('parseMinute and formatMinute', () => {
  it('agree with Date on any minute', () => {
    fc.assert(
      fc.property(anyMinute, (minute) => {
        const text = new Date(minute * 60_000).toISOString().slice(0, 16)
        assert.equal(formatMinute(minute), text)
        assert.equal(parseMinute(text), minute)
      }),
      { numRuns: 2000 },
    )
  })

  it('read every minute of two days around the epoch', () => {
    for (let minute = -MINUTES_PER_DAY; minute < MINUTES_PER_DAY; minute++) {
      assert.equal(parseMinute(formatMinute(minute)), minute)
    }
  })

  const refused = [
    '2026-01-01',
    '2026-01-01 10:00',
    '2026-01-01t10:00',
    '2026-01-01T24:00',
    '2026-01-01T23:60',
    '2026-01-01T1:000',
    '2026-01-01T10-00',
    '2026-01-01T10:0',
    '2026-01-01T10:00:00',
    '2026-01-01T10:00Z',
    '2026-02-30T10:00',
    '2026-01-01T-1:00',
    ' 026-01-01T10:00',
  ]
  for (const text of refused) {
    it(`refuse ${JSON.stringify(text)}`, () => assert.equal(parseMinute(text), undefined))
  }
})

describe('parseInstant', () => {
  const accepted: readonly (readonly [text: string, iso: string])[] = [
    ['2026-01-15', '2026-01-15T00:00:00.000Z'],
    ['2026-01-15T09:30', '2026-01-15T09:30:00.000Z'],
    ['2026-01-15 09:30', '2026-01-15T09:30:00.000Z'],
    ['2026-01-15T09:30Z', '2026-01-15T09:30:00.000Z'],
    ['2026-01-15T09:30:15', '2026-01-15T09:30:15.000Z'],
    ['2026-01-15 09:30:15Z', '2026-01-15T09:30:15.000Z'],
    ['2026-01-15T09:30:15.1', '2026-01-15T09:30:15.100Z'],
    ['2026-01-15T09:30:15.12', '2026-01-15T09:30:15.120Z'],
    ['2026-01-15T09:30:15.123', '2026-01-15T09:30:15.123Z'],
    ['2026-01-15T09:30:15.007Z', '2026-01-15T09:30:15.007Z'],
    ['2026-01-15T09:30+10:00', '2026-01-14T23:30:00.000Z'],
    ['2026-01-15T09:30-05:30', '2026-01-15T15:00:00.000Z'],
    ['2026-01-15T09:30+00:00', '2026-01-15T09:30:00.000Z'],
    ['2026-01-15T09:30-00:00', '2026-01-15T09:30:00.000Z'],
    ['2026-01-15T00:15:00.500+00:30', '2026-01-14T23:45:00.500Z'],
    ['2026-01-15T09:30:15+23:59', '2026-01-14T09:31:15.000Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
    ['0000-01-01', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999', '9999-12-31T23:59:59.999Z'],
  ]
  for (const [text, iso] of accepted) {
    it(`reads '${text}' as ${iso}`, () => assert.equal(parseInstant(text), Date.parse(iso)))
  }

  const refused = [
    '',
    '2026',
    '2026-01',
    '2026-1-15',
    '2026-01-15T',
    '2026-01-15 ',
    '2026-01-15Z',
    '2026-01-15+10:00',
    '2026-01-15T9:30',
    '2026-01-15t09:30',
    '2026-01-15T09:30z',
    '2026-01-15T0930',
    '2026-01-15  09:30',
    '2026-01-15T09:30:',
    '2026-01-15T09:30:60',
    '2026-01-15T24:00',
    '2026-01-15T09:60',
    '2026-01-15T09:30:15.',
    '2026-01-15T09:30:15.1234',
    '2026-01-15T09:30.5',
    '2026-01-15T09:30+10',
    '2026-01-15T09:30+1000',
    '2026-01-15T09:30+24:00',
    '2026-01-15T09:30+10:60',
    '2026-01-15T09:30 +10:00',
    '2026-02-29',
    '2026-02-29T09:30',
    '2026-01-15T09:30\n',
    'x2026-01-15',
    '15/01/2026',
    '+002026-01-15',
  ]
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal(parseInstant(text), undefined))
  }

  it('reads a written instant at any zone as the same instant', () => {
    const zoned = fc.record({
      milliseconds: fc.integer({ min: -2e12, max: 4e12 }),
      offset: fc.integer({ min: -1439, max: 1439 }),
      separator: fc.constantFrom('T', ' '),
    })
    fc.assert(
      fc.property(zoned, ({ milliseconds, offset, separator }) => {
        const local = new Date(milliseconds + offset * 60_000)
          .toISOString()
          .slice(0, -1)
          .replace('T', separator)
        assert.equal(parseInstant(`${local}${zoneText(offset)}`), milliseconds)
      }),
    )
  })

  it('reads a date and a minute as the instants of their stored forms', () => {
    fc.assert(
      fc.property(anyDay, anyMinute, (day, minute) => {
        assert.equal(parseInstant(formatDate(day)), instantOfDay(day))
        assert.equal(parseInstant(formatMinute(minute)), instantOfMinute(minute))
      }),
    )
  })
})

/** `Date.UTC` reads the years 0 to 99 as 1900 to 1999, so the year is set on its own. */
function dayByDate(year: number, monthIndex: number, dayOfMonth: number): number {
  return new Date(0).setUTCFullYear(year, monthIndex, dayOfMonth) / MS_PER_DAY
}

function zoneText(offset: number): string {
  const minutes = Math.abs(offset)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
