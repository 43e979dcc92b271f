/**
 * Writes numbers as the language does (language reference, 4.1) and reads them as `ToNumber` and number hints do (10.1). Both
 * follow .NET with the invariant culture.
 */

/** The shortest digits that read back as the same number. Between 0.0001 and 1e17 JavaScript writes the same text. */
export function numberToText(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e-4 && size < 1e17) return String(value)
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  if (!Number.isFinite(value)) return String(value)
  const scientific = value.toExponential()
  const e = scientific.indexOf('e')
  const exponent = scientific.slice(e + 2)
  return `${scientific.slice(0, e)}E${scientific[e + 1]}${exponent.padStart(2, '0')}`
}

/**
 * number = lead { digit | "," } [ "." { digit } ] [ ( "e" | "E" ) [ sign ] digit { digit } ] trail ;  at least one digit
 *
 * `lead` and `trail` are blanks, at most one sign, `(` with `)` for a sign, and a `¤`, each at most once in all:
 * `5-`, `(5)`, `-¤ 5` and `1,2,3` are numbers; `- 5`, `-5-`, `(5` and `,5` are not.
 */
export function parseNumber(text: string): number | null {
  const lead = readLead(text)
  const digits = readDigits(text, lead.end)
  if (digits === null) return parseWord(text)
  if (!readTrail(text, digits.end, lead)) return null
  const size = Number(text.slice(lead.end, digits.end).replaceAll(',', ''))
  return lead.negative ? -size : size
}

/** What was found before the digits and, once they are read, after them. */
type Surroundings = { end: number; signed: boolean; open: boolean; negative: boolean; currency: boolean }

function readLead(text: string): Surroundings {
  const seen: Surroundings = { end: 0, signed: false, open: false, negative: false, currency: false }
  for (; seen.end < text.length; seen.end++) {
    const unit = text.charCodeAt(seen.end)
    // After a sign a blank is allowed only after the currency sign.
    if (isBlank(unit) && (!seen.signed || seen.currency)) continue
    if (!seen.signed && isSign(unit)) readSign(unit, seen)
    else if (!seen.signed && unit === OPEN) {
      seen.signed = seen.open = seen.negative = true
    } else if (!seen.currency && unit === CURRENCY) seen.currency = true
    else break
  }
  return seen
}

function readDigits(text: string, start: number): { readonly end: number } | null {
  let end = start
  let digits = 0
  let point = false
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end)
    if (isDigit(unit)) digits++
    else if (unit === POINT && !point) point = true
    else if (!(unit === COMMA && digits > 0 && !point)) break
  }
  return digits === 0 ? null : { end: exponentEnd(text, end) }
}

/** The end of the exponent that begins at `start`; `start` if there is none. */
function exponentEnd(text: string, start: number): number {
  if ((text.charCodeAt(start) | 0x20) !== SMALL_E) return start
  const first = isSign(text.charCodeAt(start + 1)) ? start + 2 : start + 1
  let end = first
  while (isDigit(text.charCodeAt(end))) end++
  return end > first ? end : start
}

function readTrail(text: string, start: number, seen: Surroundings): boolean {
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (isBlank(unit)) continue
    if (!seen.signed && isSign(unit)) readSign(unit, seen)
    else if (seen.open && unit === CLOSE) seen.open = false
    else if (!seen.currency && unit === CURRENCY) seen.currency = true
    else return false
  }
  return !seen.open
}

function readSign(unit: number, seen: Surroundings): void {
  seen.signed = true
  seen.negative = unit === MINUS
}

const words = new Map([
  ['nan', Number.NaN],
  ['+nan', Number.NaN],
  ['infinity', Number.POSITIVE_INFINITY],
  ['+infinity', Number.POSITIVE_INFINITY],
  ['-infinity', Number.NEGATIVE_INFINITY],
])

function parseWord(text: string): number | null {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  if (end - start > '+infinity'.length) return null
  return words.get(text.slice(start, end).toLowerCase()) ?? null
}

const POINT = 0x2e
const COMMA = 0x2c
const MINUS = 0x2d
const PLUS = 0x2b
const OPEN = 0x28
const CLOSE = 0x29
const CURRENCY = 0xa4
const SMALL_E = 0x65

const isSign = (unit: number): boolean => unit === MINUS || unit === PLUS
const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39
const isBlank = (unit: number): boolean => unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
