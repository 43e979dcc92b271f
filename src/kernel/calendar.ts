/**
 * Dates and times as integers: days and minutes since 1970-01-01, proleptic Gregorian, years 0000 to 9999.
 * Text forms are those of the specification, section 2: `YYYY-MM-DD` and `YYYY-MM-DDTHH:MM`. No time zone database:
 * a minute-resolution timestamp is local to its source system, and is compared as if it were UTC.
 */

export const MINUTES_PER_DAY = 1440
const MS_PER_MINUTE = 60_000
const MS_PER_DAY = 86_400_000

/** Days since the epoch of a strict `YYYY-MM-DD`, or `undefined` when the text is not a date of the calendar. */
export function parseDate(text: string): number | undefined {
  return text.length === 10 ? dayAt(text) : undefined
}

/** Minutes since the epoch of a strict `YYYY-MM-DDTHH:MM`, or `undefined`. */
export function parseMinute(text: string): number | undefined {
  if (text.length !== 16 || text.charCodeAt(10) !== 84) return undefined
  return minuteAt(text)
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(Z|[+-]\d{2}:\d{2})?)?$/

/**
 * Milliseconds since the epoch of a date or date-time as filters accept them: `YYYY-MM-DD`, or with
 * `THH:MM[:SS[.fff]][Z|+HH:MM|-HH:MM]`, a space allowed for the T. Without a zone it is UTC; a date means its midnight.
 */
export function parseInstant(text: string): number | undefined {
  if (text.length < 10 || text.charCodeAt(4) !== 45) return undefined
  const match = INSTANT.exec(text)
  if (match === null) return undefined
  const [, time, seconds = '0', fraction = '', zone = 'Z'] = match
  if (time === undefined) {
    const day = dayAt(text)
    return day === undefined ? undefined : day * MS_PER_DAY
  }
  const minute = minuteAt(text)
  const offset = zoneOffsetMinutes(zone)
  if (minute === undefined || offset === undefined || Number(seconds) > 59) return undefined
  return (minute - offset) * MS_PER_MINUTE + Number(seconds) * 1000 + Number(fraction.padEnd(3, '0'))
}

const OFFSET = /^(.{10}[T ].+?)[+-](?!00:00)\d{2}:\d{2}$/

/** A date-time without its offset, as local clocks show it; undefined for a text that has no offset, or the offset zero. */
export const withoutOffset = (text: string): string | undefined => OFFSET.exec(text)?.[1]

function zoneOffsetMinutes(zone: string): number | undefined {
  if (zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4, 6))
  if (hours > 23 || minutes > 59) return undefined
  return (zone.charCodeAt(0) === 45 ? -1 : 1) * (hours * 60 + minutes)
}

export function formatDate(day: number): string {
  const { year, month, dayOfMonth } = civilFromDays(day)
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(dayOfMonth, 2)}`
}

export function formatMinute(minute: number): string {
  const day = Math.floor(minute / MINUTES_PER_DAY)
  const rest = minute - day * MINUTES_PER_DAY
  return `${formatDate(day)}T${pad(Math.floor(rest / 60), 2)}:${pad(rest % 60, 2)}`
}

/** Milliseconds since the epoch at which a day begins. */
export const instantOfDay = (day: number): number => day * MS_PER_DAY

/** Milliseconds since the epoch at which a minute begins. */
export const instantOfMinute = (minute: number): number => minute * MS_PER_MINUTE

function minuteAt(text: string): number | undefined {
  const day = dayAt(text)
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  if (day === undefined || hour < 0 || minute < 0 || text.charCodeAt(13) !== 58) return undefined
  return hour > 23 || minute > 59 ? undefined : day * MINUTES_PER_DAY + hour * 60 + minute
}

/** The day in the first ten characters. Reads character codes instead of matching a pattern: a refresh reads millions. */
function dayAt(text: string): number | undefined {
  const century = twoDigits(text, 0)
  const rest = twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  if (century < 0 || rest < 0 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return undefined
  const year = century * 100 + rest
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  return daysFromCivil(year, month, day)
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Counts in eras of 400 years (146,097 days) that begin on 1 March, so that the leap day is the last day of a year. */
export function daysFromCivil(year: number, month: number, dayOfMonth: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + dayOfMonth - 1
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  )
}

/** The calendar date of a day, of any year. */
export function civilFromDays(day: number): { year: number; month: number; dayOfMonth: number } {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const dayOfMonth = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfMonth }
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0')
