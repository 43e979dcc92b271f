/**
 * Reads dates as people and programs write them, in English (language reference, 10.4, "General parser").
 *
 * date   = [ day-name [ "," ] ] ( ymd | mdy | dmy | named ) [ ( "T" | blanks ) time ] | time
 * ymd    = yyyy sep m [ sep d ] ;   mdy = m sep d sep yyyy ;   sep = "-" | "/", the same one twice
 * named  = d month yyyy | month d [ "," ] yyyy ;   between them blanks or "-"
 * time   = h ":" mm [ ":" ss [ "." fraction ] ] [ "AM" | "PM" ] [ zone ] ;   zone = "Z" | "GMT" | sign hh [ ":" ] mm
 */

import { trim } from '../text/blanks.ts'
import { dayOf, type Moment, momentAt, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND } from './moment.ts'
import { dayNames, monthNames, placeOfName } from './names.ts'

/** Longest date, in UTF-16 units. */
const MOST_UNITS = 100

/**
 * Null if the text is not a date. A text without a zone is in UTC.
 * @param today the day of a time without a date
 */
export function parseMoment(text: string, today: number): Moment | null {
  const trimmed = trim(text)
  if (trimmed === '' || trimmed.length > MOST_UNITS) return null
  const reader = new DateReader(trimmed)
  const alone = readTime(reader)
  if (alone !== null) return reader.atEnd ? momentAt(today, alone) : null
  reader.at = 0
  const day = readDate(reader)
  if (day === null) return null
  if (reader.atEnd) return momentAt(day, 0)
  if (!reader.take('T') && !reader.skipBlanks()) return null
  const time = readTime(reader)
  return time === null || !reader.atEnd ? null : momentAt(day, time)
}

/** `ParseDate` also accepts the exact form `dd/MM/yyyy`, for days above 12. */
export function parseDayFirst(text: string): Moment | null {
  const match = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(text)
  if (match === null) return null
  const day = dayOf(Number(match[3]), Number(match[2]), Number(match[1]))
  return day === null ? null : momentAt(day, 0)
}

class DateReader {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  get atEnd(): boolean {
    return this.at === this.text.length
  }

  /** Consumes a text, in any letter case, if it comes next. */
  take(text: string): boolean {
    const end = this.at + text.length
    if (this.text.slice(this.at, end).toUpperCase() !== text) return false
    this.at = end
    return true
  }

  /** Returns whether there were any. */
  skipBlanks(): boolean {
    const start = this.at
    while (this.text[this.at] === ' ' || this.text[this.at] === '\t') this.at++
    return this.at > start
  }

  /** Reads a run of digits; empty if there is none. */
  digits(): string {
    return this.run((unit) => unit >= 0x30 && unit <= 0x39)
  }

  /** Reads a run of ASCII letters. */
  word(): string {
    return this.run((unit) => (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a)
  }

  run(holds: (unit: number) => boolean): string {
    const start = this.at
    while (!this.atEnd && holds(this.text.charCodeAt(this.at))) this.at++
    return this.text.slice(start, this.at)
  }
}

/** Returns a day number, or null. */
function readDate(reader: DateReader): number | null {
  const start = reader.at
  const weekday = placeOfName(reader.word(), dayNames)
  if (weekday < 0) reader.at = start
  else {
    reader.take(',')
    reader.skipBlanks()
  }
  const day = readDay(reader)
  // .NET refuses a date with the wrong day of the week; 1970 began on a Thursday.
  return day === null || (weekday >= 0 && mod(day + 4, 7) !== weekday) ? null : day
}

function readDay(reader: DateReader): number | null {
  const first = reader.digits()
  if (first === '') return readMonthFirst(reader)
  const separator = reader.text[reader.at]
  if (first.length === 4) {
    if (separator !== '-' && separator !== '/') return null
    reader.at++
    const month = shortNumber(reader.digits())
    const dayOfMonth = reader.take(separator) ? shortNumber(reader.digits()) : 1
    return dayOf(Number(first), month, dayOfMonth)
  }
  const small = shortNumber(first)
  if (separator === '-' || separator === '/') {
    reader.at++
    const second = reader.digits()
    if (second !== '') {
      return reader.take(separator) ? dayOf(yearOf(reader.digits()), small, shortNumber(second)) : null
    }
    if (separator === '/') return null
  }
  return readDayFirst(reader, small)
}

/** Reads the rest of `15 January 2024` or `15-Jan-2024`. */
function readDayFirst(reader: DateReader, dayOfMonth: number): number | null {
  reader.skipBlanks()
  const month = placeOfName(reader.word(), monthNames) + 1
  if (!reader.take('-')) {
    reader.take(',')
    if (!reader.skipBlanks()) return null
  }
  return dayOf(yearOf(reader.digits()), month, dayOfMonth)
}

/** Reads `January 15, 2024`. */
function readMonthFirst(reader: DateReader): number | null {
  const month = placeOfName(reader.word(), monthNames) + 1
  if (!reader.skipBlanks()) return null
  const dayOfMonth = shortNumber(reader.digits())
  const separated = reader.take(',')
  if (!reader.skipBlanks() && !separated) return null
  return dayOf(yearOf(reader.digits()), month, dayOfMonth)
}

/** Ticks since the day began in UTC; the zone may make them negative or more than a day. Null if there is no time. */
function readTime(reader: DateReader): number | null {
  const hourDigits = reader.digits()
  if (!reader.take(':')) return null
  const minute = shortNumber(reader.digits())
  const hasSeconds = reader.take(':')
  const second = hasSeconds ? shortNumber(reader.digits()) : 0
  const fraction = hasSeconds ? readFraction(reader) : 0
  const hour = readHalf(reader, shortNumber(hourDigits))
  const zone = readZone(reader)
  if (!(hour < 24 && minute < 60 && second < 60) || fraction === null || zone === null) return null
  return hour * TICKS_PER_HOUR + (minute - zone) * TICKS_PER_MINUTE + second * TICKS_PER_SECOND + fraction
}

/** Reads a fraction of a second in ticks, rounding further digits. Null for a point without digits. */
function readFraction(reader: DateReader): number | null {
  if (!reader.take('.')) return 0
  const digits = reader.digits()
  if (digits === '') return null
  return Math.round(Number(digits.slice(0, 8).padEnd(8, '0')) / 10)
}

/** The hour of the day, converted from AM or PM if given. */
function readHalf(reader: DateReader, hour: number): number {
  const start = reader.at
  reader.skipBlanks()
  if (reader.take('AM')) return hour <= 12 ? hour % 12 : Number.NaN
  if (reader.take('PM')) return hour < 12 ? hour + 12 : hour
  reader.at = start
  return hour
}

/** The greatest distance of a zone from UTC, in minutes. */
const FARTHEST_ZONE = 14 * 60

/** Minutes ahead of UTC; null for something that only begins like a zone. */
function readZone(reader: DateReader): number | null {
  const start = reader.at
  reader.skipBlanks()
  if (reader.take('Z') || reader.take('GMT')) return 0
  const sign = reader.take('+') ? 1 : reader.take('-') ? -1 : 0
  if (sign === 0) {
    reader.at = start
    return 0
  }
  const digits = reader.digits()
  const hours = digits.length === 4 ? digits.slice(0, 2) : digits
  const minutes = digits.length === 4 ? digits.slice(2) : reader.take(':') ? reader.digits() : '00'
  const offset = shortNumber(hours) * 60 + shortNumber(minutes)
  return shortNumber(minutes) < 60 && offset <= FARTHEST_ZONE ? sign * offset : null
}

/** A number of one or two digits; NaN for other lengths, which no date has. */
const shortNumber = (digits: string): number =>
  digits.length === 1 || digits.length === 2 ? Number(digits) : Number.NaN

const yearOf = (digits: string): number => (digits.length === 4 ? Number(digits) : Number.NaN)

const mod = (value: number, by: number): number => ((value % by) + by) % by
