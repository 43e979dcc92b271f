/**
 * Compares one value with one literal, by the rules alone and without care for speed: exact numbers by BigInt, instants by
 * Date, text by its UTF-8 bytes. Shares only the shape of a literal with the product.
 */
import type { Literal } from '../../src/query/ast.ts'
import type { JsonScalar } from '../fixtures/json-record.ts'
import type { FieldKind } from './record-members.ts'

type Value = Exclude<JsonScalar, null>
type ValueLiteral = Exclude<Literal, { kind: 'null' }>

/** What is compared: a field of a type, or the free text of a custom label. */
export type Kind = FieldKind | 'label'

/**
 * Whether a literal may stand next to a field or label. Dates and minutes take dates and date-times as texts, numbers take
 * numbers and texts with the form of one, booleans take `true false 1 0` with or without quotes, texts take texts and numbers,
 * labels take everything. Null fits everywhere. A time with an offset fits times in UTC only, and a label is not above or below it.
 */
export function fits(literal: Literal, kind: Kind, operator: string): boolean {
  if (literal.kind === 'null') return true
  switch (kind) {
    case 'label':
      return operator === 'eq' || operator === 'ne' || !isTimeWithOffset(literal)
    case 'text':
      return literal.kind !== 'boolean'
    case 'date':
    case 'minute':
      return isInstant(literal) && !isTimeWithOffset(literal)
    case 'utc-minute':
      return isInstant(literal)
    case 'number':
      return numberOfLiteral(literal) !== undefined
    case 'boolean':
      return truthOfLiteral(literal) !== undefined
  }
}

/**
 * Negative, zero or positive for a value below, equal to or above a literal that fits; `undefined` if the two cannot be
 * compared. A field determines how it is compared: texts as texts, or as numbers with a number literal. For a label the
 * literal does: a number as numbers where the value reads as one, else as text, with the digits as written; a boolean as booleans where the value reads as
 * one, else not at all; two dates as instants; everything else as text.
 */
export function orderOf(value: Value, literal: ValueLiteral, kind: Kind): number | undefined {
  switch (kind) {
    case 'label':
      return orderInLabel(value, literal)
    case 'text':
      return literal.kind === 'number'
        ? orderOfNumbers(numberOf(value), readNumber(literal.text))
        : orderOfText(value, String(valueOfLiteral(literal)))
    case 'date':
    case 'minute':
    case 'utc-minute':
      return orderOfInstants(instantOf(value), readInstant(String(valueOfLiteral(literal))))
    case 'number':
      return orderOfNumbers(numberOf(value), numberOfLiteral(literal))
    case 'boolean':
      return orderOfBooleans(booleanOf(value), truthOfLiteral(literal))
  }
}

function orderInLabel(value: Value, literal: ValueLiteral): number | undefined {
  switch (literal.kind) {
    case 'number':
      return orderOfNumbers(numberOf(value), readNumber(literal.text)) ?? orderOfText(value, literal.text)
    case 'boolean':
      return orderOfBooleans(booleanOf(value), literal.value)
    case 'text':
      return isTimeWithOffset(literal)
        ? orderOfText(value, literal.value)
        : (orderOfInstants(instantOf(value), readInstant(literal.value)) ?? orderOfText(value, literal.value))
  }
}

const isInstant = (literal: Literal): boolean =>
  literal.kind === 'text' && readInstant(literal.value) !== undefined

/** An offset of no minutes is none. */
function isTimeWithOffset(literal: ValueLiteral): boolean {
  if (literal.kind !== 'text' || !isInstant(literal)) return false
  const offset = /[+-]\d\d:\d\d$/.exec(literal.value)?.[0]
  return offset !== undefined && offset !== '+00:00' && offset !== '-00:00'
}

const valueOfLiteral = (literal: ValueLiteral): string | boolean =>
  literal.kind === 'number' ? literal.text : literal.value

/** A number literal has an exponent between -9999 and 9999, and so has a text with the form of one. */
function numberOfLiteral(literal: ValueLiteral): ExactNumber | undefined {
  const text = literal.kind === 'boolean' ? '' : String(valueOfLiteral(literal))
  const exponent = Number(/e([+-]?[0-9]+)$/i.exec(text)?.[1] ?? 0)
  return Math.abs(exponent) > 9999 ? undefined : readNumber(text)
}

/** A number is 1 or 0 by its value, a text by its letters. */
function truthOfLiteral(literal: ValueLiteral): boolean | undefined {
  const text = literal.kind === 'number' ? plainNumber(literal.text) : folded(String(valueOfLiteral(literal)))
  return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : undefined
}

/** The text that text functions and text comparisons use. Amounts with five decimals never need an exponent. */
export const textForm = (value: Value): string => String(value)

/** Removes letter case: every code point becomes its own lower case, and a final sigma an ordinary one. */
export const folded = (text: string): string =>
  [...text].map((letter) => (letter === 'ς' ? 'σ' : letter.toLowerCase())).join('')

/**
 * A label without letter case, and with the characters of a keyboard for typographic quotes, dashes and blanks. Letters that
 * are written in several parts become one.
 */
export const plainLabel = (label: string): string =>
  [...folded(label.normalize('NFC'))].map((letter) => keyboardFor.get(letter) ?? letter).join('')

const keyboardFor: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "'": '‘’‚‛′ʼ‹›＇`´',
    '"': '“”„‟″«»＂',
    '-': '‐‑‒–—―−﹘﹣－',
    ' ': '\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
  }).flatMap(([key, letters]) => [...letters].map((letter) => [letter, key] as const)),
)

/** The order of UTF-8 bytes is the order of code points. */
const orderOfCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** For `gt` and `lt` of texts that are equal without letter case: they are in the order by which records are sorted. */
export function orderOfLetterCase(value: Value, literal: ValueLiteral, kind: Kind): number {
  const isOfTexts = kind === 'text' || (kind === 'label' && !isInstant(literal))
  return isOfTexts && literal.kind === 'text' ? orderOfCodePoints(String(value), literal.value) : 0
}

/** The order of texts: without letter case, and where that decides nothing, with it. */
export const orderOfTexts = (a: string, b: string): number =>
  orderOfCodePoints(folded(a), folded(b)) || orderOfCodePoints(a, b)

const orderOfText = (value: Value, text: string): number =>
  orderOfCodePoints(folded(textForm(value)), folded(text))

function orderOfBooleans(a: boolean | undefined, b: boolean | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Number(a) - Number(b)
}

function orderOfInstants(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a - b
}

function booleanOf(value: Value): boolean | undefined {
  if (typeof value === 'boolean') return value
  const text = folded(textForm(value))
  return text === 'true' ? true : text === 'false' ? false : undefined
}

/** `units` times ten to the `power`. */
type ExactNumber = { readonly units: bigint; readonly power: number }

function numberOf(value: Value): ExactNumber | undefined {
  return typeof value === 'boolean' ? undefined : readNumber(String(value))
}

function readNumber(text: string): ExactNumber | undefined {
  if (!/^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text)) return undefined
  const [mantissa = '', power = '0'] = text.split(/e/i)
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { units: BigInt(whole + fraction), power: Number(power) - fraction.length } // BigInt('-05') is -5
}

function orderOfNumbers(a: ExactNumber | undefined, b: ExactNumber | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined
  const power = Math.min(a.power, b.power)
  const [left, right] = [a, b].map((n) => n.units * 10n ** BigInt(n.power - power)) as [bigint, bigint]
  return left < right ? -1 : left > right ? 1 : 0
}

/** The number without an exponent and without needless zeros. */
function plainNumber(text: string): string {
  const number = readNumber(text)
  if (number === undefined) throw new Error(`No number: ${text}`)
  const { units, power } = number
  if (power >= 0) return String(units * 10n ** BigInt(power))
  const digits = String(units < 0n ? -units : units).padStart(1 - power, '0')
  const whole = digits.slice(0, power)
  const fraction = digits.slice(power).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

const instantOf = (value: Value): number | undefined =>
  typeof value === 'string' ? readInstant(value) : undefined

const INSTANT =
  /^(\d\d\d\d)-(\d\d)-(\d\d)([T ](\d\d):(\d\d)(:(\d\d)(\.(\d{1,3}))?)?(Z|([+-])(\d\d):(\d\d))?)?$/

/** Milliseconds since 1970. A text without a zone is in UTC; a date is its midnight. */
function readInstant(text: string): number | undefined {
  const match = INSTANT.exec(text)
  if (match === null) return undefined
  const part = (index: number): number => Number(match[index] ?? 0)
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(5), part(6), part(8)]
  const [zoneHour, zoneMinute] = [part(13), part(14)]
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined // the 30th of February
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) return undefined
  const millisecond = Number((match[10] ?? '').padEnd(3, '0'))
  const offset = (match[12] === '-' ? -1 : 1) * (zoneHour * 60 + zoneMinute) * 60_000
  return date.setUTCHours(hour, minute, second, millisecond) - offset
}
