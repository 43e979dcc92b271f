/**
 * Masks all but the last four digits of card numbers before anything is stored, so that no full number is in a snapshot, a
 * log, or a working file of a refresh. In a column of card numbers all digits are masked, whatever the value looks like; in
 * other text only what looks like a card number is masked.
 */
import type { ExtractColumn } from '../schema/extract-tables.ts'

/**
 * How a column is masked: `number` when its values are card numbers, `text` when its text may contain some, and `value` when it
 * holds numbers or dates, where only what can be a card number is in the wrong column.
 */
export type Masking = NonNullable<ExtractColumn['masked']> | 'value'

const masks: { readonly [M in Masking]: (text: string) => string } = {
  number: maskCardNumber,
  text: maskDigitsIn,
  value: (text) => (isNoCard(text) ? text : maskDigitsIn(text)),
}

/** The same masks as calls in the database's SQL. */
export const maskingCalls: { readonly [M in Masking]: (sql: string) => string } = {
  number: (sql) => `masked_card(${sql})`,
  text: (sql) => `masked_text(${sql})`,
  value: (sql) => `masked_value(${sql})`,
}

/**
 * `4111 1111 1111 1111` becomes `**** **** **** 1111`. A text of fewer than five digits stays as it is. A number that went
 * through a spreadsheet may end in `.0`, which is removed; in exponent form its last digits are lost, so all are masked.
 */
export function maskCardNumber(text: string): string {
  const number = text.replace(WHOLE_NUMBER_END, '$1')
  if (EXPONENT_FORM.test(number)) return number.replace(DIGITS, '*')
  let digits = number.match(DIGITS)?.length ?? 0
  return number.replace(DIGITS, (digit) => (digits-- > 4 ? '*' : digit))
}

const DIGITS = /\p{Nd}/gu
const WHOLE_NUMBER_END = /^(\d{5,})\.0+$/
const EXPONENT_FORM = /^\d\.\d{4,}[eE]\+?\d+$/

/**
 * What is stored of a text that may contain card numbers: 13 to 19 digits, with at most one space or hyphen between two of them,
 * become twelve stars and the last four digits.
 */
export function maskDigitsIn(text: string): string {
  return text.replace(/(?:[0-9][ -]?){9,15}([0-9][ -]?[0-9][ -]?[0-9][ -]?[0-9])/g, '************$1')
}

const DECIMAL_NUMBER = /^-?[0-9]{1,12}\.[0-9]+(?:[eE][+-]?[0-9]+)?$/
const isNoCard = (text: string): boolean =>
  DECIMAL_NUMBER.test(text) || (/^[0-9]{13,19}$/.test(text) && !passesLuhn(text))

/** The check digit of card numbers (ISO/IEC 7812-1): every second digit from the right is doubled. */
function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    sum += at % 2 === 0 ? digit : 2 * digit - (digit > 4 ? 9 : 0)
  }
  return sum % 10 === 0
}

/**
 * The same for a message, which should show what a file has: only what can be a card number is masked. These are 13 to 19
 * digits that pass the check of card numbers and are not behind a decimal point.
 */
export const maskCardNumbersIn = (text: string): string =>
  maskedRuns(
    text,
    /[0-9]+(?:[ -][0-9]+)*/g,
    (number) => `************${number.replace(/[^0-9]/g, '').slice(-4)}`,
  )

/**
 * The same for text that quotes rows of a table with card numbers. Such rows may use other separators and digits, so this
 * masks more: it may hide a date, but it shows no card number.
 */
export const maskWidely = (text: string): string =>
  maskedRuns(
    maskCardNumbersIn(text).replace(/\p{Nd}{20,}/gu, maskCardNumber),
    /\p{Nd}+(?:[^\p{L}\p{Nd}]{1,3}\p{Nd}+)*/gu,
    maskCardNumber,
  )

/** Masks the groups of digits in runs that make up a card number. */
function maskedRuns(text: string, runs: RegExp, mask: (number: string) => string): string {
  if (!/\p{Nd}.{0,45}\p{Nd}/su.test(text)) return text
  const fractions = [...text.matchAll(FRACTION)].map(({ index, 0: found }) => index + found.indexOf('.') + 1)
  return text.replace(runs, (run, at: number) => {
    const groups = [...run.matchAll(/\p{Nd}+/gu)].map(({ index, 0: digits }) => ({ index, digits }))
    let masked = ''
    let done = 0
    for (let from = 0; from < groups.length; from++) {
      const to = lastOfCard(groups, from, (index) => fractions.includes(at + index))
      if (to === undefined) continue
      const [first, last] = [groups[from], groups[to]] as [Group, Group]
      const end = last.index + last.digits.length
      masked += run.slice(done, first.index) + mask(run.slice(first.index, end))
      done = end
      from = to
    }
    return masked + run.slice(done)
  })
}

type Group = { readonly index: number; readonly digits: string }

/** The digits behind the point of a number, such as 0.30000000000000004; several points separate the groups of a card number. */
const FRACTION = /(?<![\p{Nd}.])\p{Nd}{1,12}\.\p{Nd}+(?![\p{Nd}.])/gu

/** The group with which a card number ends that begins with the group `from`. */
function lastOfCard(
  groups: readonly Group[],
  from: number,
  isFraction: (index: number) => boolean,
): number | undefined {
  let digits = ''
  for (let at = from; at < groups.length && digits.length < LONGEST_CARD; at++) {
    const group = groups[at] as Group
    if (isFraction(group.index)) return undefined
    digits += group.digits.replace(/\p{Nd}/gu, asciiDigit)
    if (digits.length >= SHORTEST_CARD && digits.length <= LONGEST_CARD && passesLuhn(digits)) return at
  }
  return undefined
}

const [SHORTEST_CARD, LONGEST_CARD] = [13, 19]

/** The digits of each script are ten code points that begin with its zero, and a run of them is never longer. */
function asciiDigit(digit: string): string {
  if (digit >= '0' && digit <= '9') return digit
  let value = 0
  for (
    let code = (digit.codePointAt(0) as number) - 1;
    value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code));
    code--
  )
    value++
  return String(value)
}

/** These are created from last to first, because a macro must exist before another one calls it. */
export const maskingMacros: readonly string[] = [
  `masked_value(t) AS CASE WHEN regexp_full_match(t, '-?[0-9]{1,12}\\.[0-9]+(?:[eE][+-]?[0-9]+)?') THEN t
     WHEN regexp_full_match(t, '[0-9]{13,19}') THEN CASE WHEN passes_luhn(t) THEN masked_text(t) ELSE t END
     ELSE masked_text(t) END`,
  `passes_luhn(t) AS list_sum(list_transform(range(1, length(t) + 1), lambda i: CASE WHEN (length(t) - i) % 2 = 0
     THEN try_cast(t[i] AS INTEGER) ELSE 2 * try_cast(t[i] AS INTEGER) - CASE WHEN t[i] > '4' THEN 9 ELSE 0 END END)) % 10 = 0`,
  `masked_text(t) AS regexp_replace(t, '(?:[0-9][ -]?){9,15}([0-9][ -]?[0-9][ -]?[0-9][ -]?[0-9])', '************\\1', 'g')`,
  `masked_card(t) AS masked_number(regexp_replace(t, '^([0-9]{5,})\\.0+$', '\\1'))`,
  `masked_number(t) AS CASE WHEN regexp_full_match(t, '[0-9]\\.[0-9]{4,}[eE]\\+?[0-9]+')
     THEN regexp_replace(t, '[0-9]', '*', 'g')
     ELSE masked_before(t, length(regexp_extract(t, '(?s)^(.*?)(?:\\p{Nd}\\P{Nd}*){4}$', 1))) END`,
  `masked_before(t, place) AS regexp_replace(t[:place], '\\p{Nd}', '*', 'g') || t[place + 1:]`,
]

/** How a column of a table is masked; `column` is its name in lower case. */
export type MaskingOf = (column: string) => Masking | undefined

/** Masks the members of a line of NDJSON, or all but the last four digits of a line that is not a JSON object. */
export function maskMembers(line: string, maskingOf: MaskingOf): string {
  try {
    const row: unknown = JSON.parse(line)
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return maskCardNumber(line)
    const masked = Object.entries(row).map(([name, value]) => {
      const masking = maskingOf(name.trim().toLowerCase())
      return [name, masking === undefined ? value : deeply(masks[masking], value)] as const
    })
    return JSON.stringify(Object.fromEntries(masked))
  } catch {
    return maskCardNumber(line)
  }
}

function deeply(mask: (text: string) => string, value: unknown): unknown {
  if (typeof value === 'string') return mask(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => deeply(mask, item))
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, deeply(mask, inner)]))
}

/** Masks the fields of a CSV record; `maskingAt` takes the place of a field, from 0. */
export function maskFields(
  record: string,
  delimiter: string,
  maskingAt: (place: number) => Masking | undefined,
): string {
  let masked = ''
  for (let at = 0, place = 0; at <= record.length; place++) {
    const end = endOfField(record, at, delimiter)
    const masking = maskingAt(place)
    const field = record.slice(at, end)
    masked +=
      (place === 0 ? '' : delimiter) + (masking === undefined ? field : withinQuotes(masks[masking], field))
    at = end + delimiter.length
  }
  return masked
}

/** Where a field ends. One that begins with a quote, after any spaces, extends to the next quote that is not doubled. */
function endOfField(record: string, from: number, delimiter: string): number {
  let at = from
  while (record[at] === ' ') at++
  if (record[at] === '"') {
    at++
    while (at < record.length && (record[at] !== '"' || record[at + 1] === '"')) {
      at += record[at] === '"' ? 2 : 1
    }
  }
  const end = record.indexOf(delimiter, at)
  return end === -1 ? record.length : end
}

function withinQuotes(mask: (text: string) => string, field: string): string {
  const [, before = '', inner = field, after = ''] = /^( *")(.*)(" *)$/s.exec(field) ?? []
  return before + mask(inner) + after
}
