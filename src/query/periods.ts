/**
 * Periods of the calendar as integers that ascend with time, and their texts: `2026-Q1`, `2026-03`, `2026-W09`. Weeks are those
 * of ISO 8601: they begin on Monday, and the first week of a year is the one with its first Thursday.
 */
import { civilFromDays, daysFromCivil } from '../kernel/calendar.ts'

export type Period = 'year' | 'quarter' | 'month' | 'week'

/** Years, quarters and months since year 0; weeks since the one of 1970-01-01. */
export function periodOf(period: Period, day: number): number {
  // Day 0 is a Thursday.
  if (period === 'week') return Math.floor((day + 3) / 7)
  const { year, month } = civilFromDays(day)
  if (period === 'year') return year
  return period === 'quarter' ? 4 * year + Math.floor((month - 1) / 3) : 12 * year + month - 1
}

/** Not for years, which are numbers. */
export function formatPeriod(period: Exclude<Period, 'year'>, value: number): string {
  switch (period) {
    case 'quarter':
      return `${yearText(Math.floor(value / 4))}-Q${(value % 4) + 1}`
    case 'month':
      return `${yearText(Math.floor(value / 12))}-${String((value % 12) + 1).padStart(2, '0')}`
    case 'week': {
      const thursday = 7 * value
      const { year } = civilFromDays(thursday)
      const week = Math.floor((thursday - daysFromCivil(year, 1, 1)) / 7) + 1
      return `${yearText(year)}-W${String(week).padStart(2, '0')}`
    }
  }
}

/** The week of 0000-01-01 belongs to the year before, which ISO 8601 writes with a sign. */
const yearText = (year: number): string => (year < 0 ? '-' : '') + String(Math.abs(year)).padStart(4, '0')
