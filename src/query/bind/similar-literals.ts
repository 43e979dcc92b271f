/**
 * Proposes what to write instead of a literal that does not fit its column. A text with one meaning gives one proposal; where
 * it has two, as `01/02/2025`, the author chooses. Proposals are written as in a filter.
 */
import { parseDate, parseInstant, withoutOffset } from '../../kernel/calendar.ts'
import { hasModestExponent, parseDecimal } from '../../kernel/decimal.ts'
import { fold } from '../../kernel/text.ts'
import type { FieldType } from '../../schema/field.ts'

/** Longer texts are no date, number or boolean with a slip. A request must not make the patterns below read thousands of letters. */
const LONGEST = 60

/** @param written the literal without quotes */
export const similarLiterals = (type: FieldType, written: string, takesOffset: boolean): readonly string[] =>
  written.length > LONGEST ? [] : proposals[type](written, takesOffset)

type Proposals = (written: string, takesOffset: boolean) => readonly string[]

const proposals: { readonly [Type in FieldType]: Proposals } = {
  date: similarTimes,
  minute: similarTimes,
  integer: similarNumbers,
  decimal: similarNumbers,
  boolean: similarBooleans,
  text: (written) => [inQuotes(written)],
}

/** Why nothing can be proposed for a date, and what to do instead; undefined when the form says nothing. */
export function remarkOn(written: string, field: string, type: FieldType): string | undefined {
  if (type !== 'date' && type !== 'minute') return undefined
  if (/^\d{4}(?:-(?:0[1-9]|1[0-2]))?$/.test(written)) {
    return `for a whole year or month write startswith(${field}, '${written}'), for its first day '${firstDay(written)}'`
  }
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(written) ?? []
  return day === undefined || parseDate(day) !== undefined ? undefined : `the calendar has no ${day}`
}

/** Of a year or a month. */
const firstDay = (written: string): string => `${written}-01-01`.slice(0, 'YYYY-MM-DD'.length)

const inQuotes = (text: string): string => `'${text}'`

/** The time is what follows the first blank, comma or T and begins with hours and a colon. */
const DATE_AND_TIME = /^(.*?)(?:[\sT,]+(\d{1,2}:.*))?$/is

function similarTimes(written: string, takesOffset: boolean): readonly string[] {
  const times = similarDates(written)
  return (takesOffset ? times : times.map((time) => withoutOffset(time) ?? time)).map(inQuotes)
}

function similarDates(written: string): readonly string[] {
  const [, date = '', time] = DATE_AND_TIME.exec(written.trim()) ?? []
  return readingsOf(date)
    .map((day) => (time === undefined ? day : `${day}T${completeTime(time)}`))
    .filter((text) => parseInstant(text) !== undefined)
}

/** The days that a text may mean, as `YYYY-MM-DD`. */
function readingsOf(date: string): readonly string[] {
  for (const [pattern, orders] of dayPatterns) {
    const parts = pattern.exec(date)
    if (parts === null) continue
    const days = orders.map(([year, month, day]) => dayOf(parts[year], parts[month], parts[day]))
    return [...new Set(days)].filter((text) => parseDate(text) !== undefined).sort()
  }
  return []
}

/** The places of year, month and day among the groups of a pattern; two orders where the text alone does not tell. */
type Order = readonly [year: number, month: number, day: number]

const dayPatterns: readonly (readonly [pattern: RegExp, orders: readonly Order[]])[] = [
  [/^(\d{4})(\d{2})(\d{2})$/, [[1, 2, 3]]],
  [/^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/, [[1, 2, 3]]],
  [/^(\d{1,2})\.(\d{1,2})\.(\d{4})$/, [[3, 2, 1]]],
  [
    /^(\d{1,2})[-/](\d{1,2})[-/](\d{4})$/,
    [
      [3, 2, 1],
      [3, 1, 2],
    ],
  ],
  [/^(\d{1,2})(?:st|nd|rd|th)?[\s-]+([a-z]{3,9})\.?[\s,-]+(\d{4})$/i, [[3, 2, 1]]],
  [/^([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$/i, [[3, 1, 2]]],
]

const dayOf = (year = '', month = '', day = ''): string =>
  `${year}-${monthNumber(month).padStart(2, '0')}-${day.padStart(2, '0')}`

const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

/** The number of a month that is written by name, in full or shortened; digits stay as they are. */
function monthNumber(written: string): string {
  if (/^\d/.test(written)) return written
  return String(months.findIndex((month) => month.startsWith(written.toLowerCase())) + 1)
}

/** The plus sign of an offset becomes a blank in an address where it is not written as %2B. */
const TIME =
  /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s*([ap])?(?:\.?m\.?)?\s*(?:(z)|([+-]?)(\d{2}):?(\d{2}))?$/i

/** `9:30 pm` is `21:30`; a text that is no time stays as it is. */
function completeTime(time: string): string {
  const parts = TIME.exec(time)
  if (parts === null) return time
  const [, hour, minute, second, fraction, half, utc, sign, zoneHour, zoneMinute] = parts
  const seconds = second === undefined ? '' : `:${second}`
  const milliseconds = fraction === undefined ? '' : `.${fraction.slice(0, 3)}`
  const offset = zoneHour === undefined ? '' : `${sign || '+'}${zoneHour}:${zoneMinute}`
  const zone = utc === undefined ? offset : 'Z'
  return `${inTwentyFour(Number(hour), half)}:${minute}${seconds}${milliseconds}${zone}`
}

function inTwentyFour(hour: number, half: string | undefined): string {
  const noon = half === undefined ? 0 : half.toLowerCase() === 'p' ? 12 : 0
  return String((half === undefined ? hour : hour % 12) + noon).padStart(2, '0')
}

/** Signs of currencies, and a percent sign. */
const UNITS = /^[$€£¥]\s*|\s*[$€£¥%]$/g

/** What a number with separators may mean, by its form. Only `1,000` may mean two numbers. */
const numberPatterns: readonly (readonly [form: RegExp, readings: readonly ((text: string) => string)[]])[] =
  [
    [/^-?\d{1,3},\d{3}$/, [(text) => text.replace(',', ''), (text) => text.replace(',', '.')]],
    [/^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/, [(text) => text.replaceAll(',', '')]],
    [/^-?\d{1,3}(?:\.\d{3})+,\d+$/, [(text) => text.replaceAll('.', '').replace(',', '.')]],
    [/^-?\d{1,3}(?:[\s'’]\d{3})+(?:[.,]\d+)?$/, [(text) => text.replace(/[\s'’]/g, '').replace(',', '.')]],
    [/^-?\d+,\d+$/, [(text) => text.replace(',', '.')]],
    [/^-?\.\d+$/, [(text) => text.replace('.', '0.')]],
    [/^-?\d+\.$/, [(text) => text.replace('.', '')]],
  ]

function similarNumbers(written: string): readonly string[] {
  const text = written.trim().replace(UNITS, '').replace(/^\+/, '')
  const readings = numberPatterns.find(([form]) => form.test(text))?.[1].map((read) => read(text)) ?? [text]
  return readings.filter((number) => parseDecimal(number) !== undefined && hasModestExponent(number))
}

const truths: ReadonlyMap<string, string> = new Map([
  ...['true', 'yes', 'y', 't', 'on'].map((word) => [word, 'true'] as const),
  ...['false', 'no', 'n', 'f', 'off'].map((word) => [word, 'false'] as const),
])

function similarBooleans(written: string): readonly string[] {
  const truth = truths.get(fold(written.trim()))
  return truth === undefined ? [] : [truth]
}
