import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { formatDate, parseDate } from '../kernel/calendar.ts'
import { formatPeriod, periodOf } from './periods.ts'

const dayOf = (text: string): number => parseDate(text) as number

describe('the periods of a day', () => {
  const rows: readonly (readonly [day: string, quarter: string, month: string, week: string])[] = [
    ['2026-01-01', '2026-Q1', '2026-01', '2026-W01'],
    ['2026-03-31', '2026-Q1', '2026-03', '2026-W14'],
    ['2026-04-01', '2026-Q2', '2026-04', '2026-W14'],
    ['2026-12-31', '2026-Q4', '2026-12', '2026-W53'],
    ['2027-01-03', '2027-Q1', '2027-01', '2026-W53'],
    ['2027-01-04', '2027-Q1', '2027-01', '2027-W01'],
    ['2024-12-30', '2024-Q4', '2024-12', '2025-W01'],
    ['2021-01-01', '2021-Q1', '2021-01', '2020-W53'],
    ['1970-01-01', '1970-Q1', '1970-01', '1970-W01'],
    ['1969-12-28', '1969-Q4', '1969-12', '1969-W52'],
    ['0000-01-01', '0000-Q1', '0000-01', '-0001-W52'],
    ['0000-01-03', '0000-Q1', '0000-01', '0000-W01'],
    ['9999-12-31', '9999-Q4', '9999-12', '9999-W52'],
  ]
  for (const [date, quarter, month, week] of rows) {
    it(`${date} is in ${quarter}, ${month} and ${week}`, () => {
      const written = (period: 'quarter' | 'month' | 'week') =>
        formatPeriod(period, periodOf(period, dayOf(date)))
      assert.deepEqual([written('quarter'), written('month'), written('week')], [quarter, month, week])
      assert.equal(periodOf('year', dayOf(date)), Number(date.slice(0, 4)))
    })
  }

  it('ascend with the days, and agree with the text of the date', () => {
    const day = fc.integer({ min: dayOf('0000-01-01'), max: dayOf('9999-12-31') })
    fc.assert(
      fc.property(day, day, (a, b) => {
        for (const period of ['year', 'quarter', 'month', 'week'] as const) {
          if (a <= b) assert.ok(periodOf(period, a) <= periodOf(period, b))
        }
        assert.equal(formatPeriod('month', periodOf('month', a)), formatDate(a).slice(0, 7))
        // The first day of the next week is at most seven days later.
        assert.equal(periodOf('week', a + 7), periodOf('week', a) + 1)
      }),
    )
  })
})
