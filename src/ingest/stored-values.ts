/**
 * Turns the text of a column into the stored value, in SQL; null when the text breaks a rule of the column. The rules with
 * their names and messages are in rules/field-rules.ts; a property test checks that the two agree.
 */

import { clientNumberPatterns, LONGEST_CLIENT_NUMBER } from '../kernel/client-number.ts'
import { MAX_SCALED } from '../kernel/decimal.ts'
import type { ExtractColumn } from '../schema/extract-tables.ts'
import type { FieldType } from '../schema/field.ts'

/** The database's type for a stored value: days and minutes since 1970-01-01, amounts scaled by 10^5. */
export const storedType: { readonly [Type in FieldType]: string } = {
  text: 'VARCHAR',
  date: 'INTEGER',
  minute: 'BIGINT',
  boolean: 'BOOLEAN',
  integer: 'INTEGER',
  decimal: 'BIGINT',
}

/** @param text SQL of type VARCHAR */
export function storedValue({ type, maxLength, namesClient }: ExtractColumn, text: string): string {
  if (type !== 'text') return `stored_${type}(${text})`
  if (namesClient) return `stored_client_number(${text})`
  return maxLength === undefined ? `stored_text(${text})` : `stored_short_text(${text}, ${maxLength})`
}

/** What happens to a time with an offset from UTC: its local time is kept without the offset, or the row is set aside. */
export type OffsetTimes = 'keepLocal' | 'refuse'

const DATE = String.raw`\d{4}-\d{2}-\d{2}`
const SECONDS = String.raw`(?::[0-5]\d(?:\.\d+)?)?`
const OFFSET = String.raw`(?: ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?`

/**
 * The texts of the types with a time, as patterns that mean the same to the database and here. A minute may have seconds,
 * which are cut off, and a date may have a midnight; a date in a column of minutes is its midnight.
 */
export const timePatterns = (offsetTimes: OffsetTimes) => {
  const offset = offsetTimes === 'keepLocal' ? OFFSET : ''
  return {
    date: `${DATE}(?:[T ]00:00(?::00(?:\\.0+)?)?${offset})?`,
    minute: `${DATE}(?:[T ](?:[01]\\d|2[0-3]):[0-5]\\d${SECONDS}${offset})?`,
  }
}

/** The largest integer that snapshots store; its negative is the smallest. */
export const MAX_INTEGER = 0x7fffffff

/** Macros that `storedValue` calls. Each CASE comes before a cast, because the cast alone would accept more texts. */
export const storedValueMacros = (offsetTimes: OffsetTimes = 'keepLocal'): readonly string[] => [
  ...storedTimeMacros(timePatterns(offsetTimes)),
  `stored_text(t) AS CASE WHEN NOT contains(t, chr(0)) THEN t END`,
  `stored_short_text(t, most) AS CASE WHEN length(t) <= most AND NOT contains(t, chr(0)) THEN t END`,
  `stored_client_number(t) AS CASE WHEN length(t) <= ${LONGEST_CLIENT_NUMBER}
     AND NOT regexp_matches(t, '${clientNumberPatterns.control}')
     AND NOT regexp_full_match(t, '${clientNumberPatterns.blank}') THEN t END`,
  `stored_boolean(t) AS CASE WHEN lower(t) IN ('true', 't', 'y', '1') THEN true
     WHEN lower(t) IN ('false', 'f', 'n', '0') THEN false END`,
  `stored_integer(t) AS CASE WHEN regexp_full_match(t, '-?0*\\d{1,10}(\\.0+)?') AND abs(t::DOUBLE) <= ${MAX_INTEGER}
     THEN t::DOUBLE::INTEGER END`,
  // The text with 5 decimal places and without the point is the scaled integer; multiplying wide decimals is far slower.
  `stored_decimal(t) AS within_limits(CASE
     WHEN regexp_full_match(t, '-?0*\\d{1,12}(\\.\\d{1,5}0*)?') THEN replace(t::DECIMAL(18, 5)::VARCHAR, '.', '')::BIGINT
     WHEN regexp_full_match(t, '-?\\d+(\\.\\d+)?[eE][+-]?\\d+') THEN from_exponent_form(t) END)`,
  // 12.50e-1: significant digits 125, and 2 of them after the point. Digits are moved as text, so nothing is rounded.
  // A macro repeats an argument wherever it uses it; a lambda computes it once, and the statement stays short.
  `from_exponent_form(t) AS list_transform(list_transform([
       regexp_extract(t, '^(-?)0*(\\d+)(?:\\.(\\d+))?[eE]\\+?(-?\\d+)$', ['sign', 'whole', 'fraction', 'power'])],
     lambda p: {sign: p.sign, digits: ltrim(p.whole || p.fraction, '0'),
       places: length(p.fraction)::HUGEINT - try_cast(p.power AS BIGINT)}),
     lambda d: from_digits(d.sign, d.digits, d.places))[1]`,
  `from_digits(sign, digits, places) AS from_significant(sign, rtrim(digits, '0'),
     places - length(digits) + length(rtrim(digits, '0')))`,
  `from_significant(sign, digits, places) AS CASE WHEN digits = '' THEN 0
     WHEN places <= 5 AND length(digits) + 5 - places <= 16
     THEN (sign || digits || repeat('0', (5 - places)::BIGINT))::BIGINT END`,
  `within_limits(scaled) AS CASE WHEN abs(scaled) <= ${MAX_SCALED} THEN scaled END`,
]

const storedTimeMacros = ({ date, minute }: ReturnType<typeof timePatterns>): readonly string[] => [
  `stored_date(t) AS CASE WHEN regexp_full_match(t, '${date}')
     THEN date_diff('day', DATE '1970-01-01', try_cast(t[:10] AS DATE))::INTEGER END`,
  `stored_minute(t) AS CASE WHEN regexp_full_match(t, '${minute}')
     THEN epoch_us(try_cast(t[:16] || CASE length(t) WHEN 10 THEN ' 00:00:00' ELSE ':00' END AS TIMESTAMP)) // 60000000 END`,
]
