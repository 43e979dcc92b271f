/**
 * Moments for the date functions: the years 1 to 9999 of the proleptic Gregorian calendar, in UTC, in ticks of 100 nanoseconds.
 * A double cannot hold all these ticks exactly, so a moment is a day and the ticks of that day.
 */

export type Moment = {
  /** Days since 1970-01-01. */
  readonly day: number
  /** Ticks since the day began. */
  readonly ticks: number
}

export const TICKS_PER_SECOND = 10_000_000
export const TICKS_PER_MINUTE = 60 * TICKS_PER_SECOND
export const TICKS_PER_HOUR = 60 * TICKS_PER_MINUTE
export const TICKS_PER_DAY = 24 * TICKS_PER_HOUR
const TICKS_PER_MILLISECOND = 10_000
const MILLISECONDS_PER_DAY = 86_400_000

const FIRST_DAY = -719_162
const LAST_DAY = 2_932_896

/** The moment this many ticks after a day began; the ticks may be negative or more than a day. Null out of range. */
export function momentAt(day: number, ticks: number): Moment | null {
  const days = Math.floor(ticks / TICKS_PER_DAY)
  const whole = day + days
  if (!(whole >= FIRST_DAY && whole <= LAST_DAY)) return null
  return { day: whole, ticks: ticks - days * TICKS_PER_DAY }
}

/** @param milliseconds since 1970; a fraction is dropped */
export function momentOfInstant(milliseconds: number): Moment {
  const whole = Math.floor(milliseconds)
  const day = Math.floor(whole / MILLISECONDS_PER_DAY)
  return { day, ticks: (whole - day * MILLISECONDS_PER_DAY) * TICKS_PER_MILLISECOND }
}

/** The month is one-based. Null if there is no such day, and for NaN. */
export function dayOf(year: number, month: number, dayOfMonth: number): number | null {
  if (!(year >= 1 && year <= 9999 && month >= 1 && month <= 12)) return null
  if (!(dayOfMonth >= 1 && dayOfMonth <= daysInMonth(year, month))) return null
  return dayNumber(year, month, dayOfMonth)
}

export const daysInMonth = (year: number, month: number): number =>
  dayNumber(year, month + 1, 1) - dayNumber(year, month, 1)

/** `Date.UTC` would treat the years 0 to 99 as 1900 to 1999. */
const dayNumber = (year: number, month: number, dayOfMonth: number): number =>
  new Date(0).setUTCFullYear(year, month - 1, dayOfMonth) / MILLISECONDS_PER_DAY

/** The parts that a calendar and a clock show. */
export type Fields = {
  readonly year: number
  /** One-based, as are the days of months and years. */
  readonly month: number
  readonly dayOfMonth: number
  readonly dayOfYear: number
  /** Sunday is 0. */
  readonly dayOfWeek: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** Ticks of the second. */
  readonly ticks: number
}

export function fieldsOf({ day, ticks }: Moment): Fields {
  const date = new Date(day * MILLISECONDS_PER_DAY)
  const year = date.getUTCFullYear()
  return {
    year,
    month: date.getUTCMonth() + 1,
    dayOfMonth: date.getUTCDate(),
    dayOfYear: day - dayNumber(year, 1, 1) + 1,
    dayOfWeek: date.getUTCDay(),
    hour: Math.floor(ticks / TICKS_PER_HOUR),
    minute: Math.floor(ticks / TICKS_PER_MINUTE) % 60,
    second: Math.floor(ticks / TICKS_PER_SECOND) % 60,
    ticks: ticks % TICKS_PER_SECOND,
  }
}

/** Writes a moment as functions return it: `2024-02-29T12:30:00.000Z`; smaller parts are cut off. */
export const printMoment = ({ day, ticks }: Moment): string =>
  new Date(day * MILLISECONDS_PER_DAY + Math.floor(ticks / TICKS_PER_MILLISECOND)).toISOString()
