/**
 * Finds the rule of the schema that a single value breaks. The database decides which of millions of rows are accepted
 * (stored-values.ts); this file explains what is wrong with the others.
 */
import { parseDate } from '../../kernel/calendar.ts'
import { controlCharacterIn, isBlank } from '../../kernel/client-number.ts'
import { parseDecimal, scaledExactly, scaledFloor } from '../../kernel/decimal.ts'
import { codePointLength } from '../../kernel/text.ts'
import type { ExtractColumn } from '../../schema/extract-tables.ts'
import type { FieldType } from '../../schema/field.ts'
import { maskCardNumbersIn } from '../card-numbers.ts'
import { MAX_INTEGER, type OffsetTimes, timePatterns } from '../stored-values.ts'

export type Fault = {
  /** The rule's name. It never changes, because operators count by it. */
  readonly rule: string
  readonly message: string
}

/**
 * @param text null where the extract has no value or empty text
 * @param mask hides what a message may not show of a text
 */
export function faultOf(
  column: ExtractColumn,
  text: string | null,
  mask: Mask = maskCardNumbersIn,
  offsetTimes: OffsetTimes = 'keepLocal',
): Fault | undefined {
  // Masking comes before shortening: a card number that is cut short might not be recognised.
  if (text !== null) return checks[column.type](text, column, () => shortened(mask(text)), offsetTimes)
  return column.nullable ? undefined : { rule: 'required', message: `expected a value, found nothing` }
}

type Mask = (text: string) => string

type Check = (
  text: string,
  column: ExtractColumn,
  shown: () => string,
  offsetTimes: OffsetTimes,
) => Fault | undefined

const timeForms = (offsetTimes: OffsetTimes) => {
  const { date, minute } = timePatterns(offsetTimes)
  return { date: new RegExp(`^${date}$`), minute: new RegExp(`^${minute}$`) }
}
const formsOf: { readonly [O in OffsetTimes]: ReturnType<typeof timeForms> } = {
  keepLocal: timeForms('keepLocal'),
  refuse: timeForms('refuse'),
}
/** What a message adds where times with an offset are refused. */
const withoutOffset: { readonly [O in OffsetTimes]: string } = {
  keepLocal: '',
  refuse: ', without an offset because the setting offsetTimes is refuse',
}

const checks: { readonly [Type in FieldType]: Check } = {
  text: (text, { maxLength = Number.POSITIVE_INFINITY, namesClient = false }) => {
    const length = codePointLength(text)
    if (length > maxLength) {
      return { rule: 'length', message: `expected at most ${maxLength} characters, found ${length}` }
    }
    if (text.includes('\0')) {
      return { rule: 'character.nul', message: 'expected text, found a NUL character in it' }
    }
    return namesClient ? faultOfClientNumber(text) : undefined
  },
  date: (text, _, shown, offsetTimes) =>
    unless(
      formsOf[offsetTimes].date.test(text) && parseDate(text.slice(0, 10)) !== undefined,
      'type.date',
      'an existing date, YYYY-MM-DD',
      shown,
    ),
  minute: (text, _, shown, offsetTimes) =>
    unless(
      formsOf[offsetTimes].minute.test(text) && parseDate(text.slice(0, 10)) !== undefined,
      'type.minute',
      `a local time, YYYY-MM-DDTHH:MM${withoutOffset[offsetTimes]}`,
      shown,
    ),
  boolean: (text, _, shown) =>
    unless(
      /^(true|false|t|f|y|n|1|0)$/i.test(text),
      'type.boolean',
      'true, false, t, f, y, n, 1 or 0',
      shown,
    ),
  integer: (text, _, shown) =>
    unless(
      /^-?0*\d{1,10}(\.0+)?$/.test(text) && Math.abs(Number(text)) <= MAX_INTEGER,
      'type.integer',
      `an integer from -${MAX_INTEGER} to ${MAX_INTEGER}`,
      shown,
    ),
  decimal: (text, _, shown) => {
    const decimal = parseDecimal(text)
    if (decimal === undefined) return unless(false, 'type.decimal', 'a number such as -12.5', shown)
    if (scaledExactly(decimal) !== undefined) return undefined
    return Number.isFinite(scaledFloor(decimal).scaled)
      ? unless(false, 'decimal.places', 'at most 5 decimal places', shown)
      : unless(false, 'decimal.range', 'a number from -90071992547.40991 to 90071992547.40991', shown)
  },
}

function faultOfClientNumber(text: string): Fault | undefined {
  const control = controlCharacterIn(text)
  if (control !== undefined) {
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    const message = `expected a client number without control characters, found U+${code} in it`
    return { rule: 'character.control', message }
  }
  return isBlank(text)
    ? { rule: 'client.blank', message: 'expected a client number, found nothing but blanks' }
    : undefined
}

function unless(fine: boolean, rule: string, expected: string, shown: () => string): Fault | undefined {
  return fine ? undefined : { rule, message: `expected ${expected}, found '${shown()}'` }
}

const SHOWN = 60

/** The text as a message shows it. */
export const shortened = (text: string, most = SHOWN): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`
