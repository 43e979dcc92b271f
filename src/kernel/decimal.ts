/**
 * Exact decimal numbers. A literal such as `0.00001` or `1e-5` is kept digit by digit, so that no comparison depends on
 * binary rounding. Stored amounts are integers scaled by 10^5 (specification 2.4: up to 5 decimal places).
 */

/** The value is `0.digits x 10^exponent`. Digits carry neither leading nor trailing zeros; zero has no digits. */
export type Decimal = { readonly negative: boolean; readonly digits: string; readonly exponent: number }

export const DECIMAL_PLACES = 5
export const DECIMAL_SCALE = 10 ** DECIMAL_PLACES

/** The largest scaled amount: a double holds every integer up to it. The amount is 90,071,992,547.40991. */
export const MAX_SCALED = Number.MAX_SAFE_INTEGER

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Reads `-12`, `0.5`, `1e-5`. Anything else, also with spaces around it or a leading `+`, is `undefined`. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = NUMBER.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', power = '0'] = match
  const all = whole + fraction
  const leading = countLeadingZeros(all)
  const digits = stripTrailingZeros(all.slice(leading))
  if (digits === '') return { negative: false, digits: '', exponent: 0 }
  return { negative: sign === '-', digits, exponent: whole.length - leading + Number(power) }
}

/**
 * Whether the written exponent of a number lies between -9999 and 9999. Amounts have at most 16 digits, and an exponent
 * that overflows would make different numbers equal.
 */
export function hasModestExponent(number: string): boolean {
  const [, exponent = '0'] = number.split(/e/i)
  return Math.abs(Number(exponent)) <= 9999
}

/** Negative, zero or positive; exact for numbers of any length. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.negative !== b.negative) return a.negative ? -1 : 1
  const magnitude = compareMagnitudes(a, b)
  return a.negative ? 0 - magnitude : magnitude
}

function compareMagnitudes(a: Decimal, b: Decimal): number {
  if (a.digits === '' || b.digits === '') return a.digits.length - b.digits.length
  if (a.exponent !== b.exponent) return a.exponent < b.exponent ? -1 : 1
  return a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0
}

/**
 * The greatest scaled integer that is at most the number, and whether it equals the number. Numbers beyond
 * {@link MAX_SCALED} give plus or minus infinity, which still compares correctly with every stored value.
 */
export function scaledFloor(decimal: Decimal): { readonly scaled: number; readonly exact: boolean } {
  if (decimal.digits === '') return { scaled: 0, exact: true }
  const places = decimal.exponent + DECIMAL_PLACES // digits before the point, once scaled
  if (places > 16) return { scaled: decimal.negative ? -Infinity : Infinity, exact: false }
  const whole = places <= 0 ? 0 : Number(decimal.digits.slice(0, places).padEnd(places, '0'))
  const exact = decimal.digits.length <= Math.max(places, 0)
  if (whole > MAX_SCALED) return { scaled: decimal.negative ? -Infinity : Infinity, exact: false }
  if (!decimal.negative) return { scaled: whole, exact }
  return { scaled: exact ? -whole : -whole - 1, exact }
}

/** The scaled integer of a number with at most five decimal places, or `undefined` when it has more or is too large. */
export function scaledExactly(decimal: Decimal): number | undefined {
  const { scaled, exact } = scaledFloor(decimal)
  return exact && Math.abs(scaled) <= MAX_SCALED ? scaled : undefined
}

/** Writes a scaled amount as a JSON number in plain notation without trailing zeros: 1 becomes `0.00001`. */
export function formatScaled(scaled: number): string {
  const negative = scaled < 0
  const magnitude = Math.abs(scaled)
  const whole = Math.floor(magnitude / DECIMAL_SCALE)
  const fraction = magnitude - whole * DECIMAL_SCALE
  const sign = negative ? '-' : ''
  if (fraction === 0) return `${sign}${whole}`
  return `${sign}${whole}.${stripTrailingZeros(String(fraction).padStart(DECIMAL_PLACES, '0'))}`
}

/** The canonical text of a decimal, as number literals are printed. Huge exponents stay in exponent form. */
export function formatDecimal({ negative, digits, exponent }: Decimal): string {
  if (digits === '') return '0'
  const sign = negative ? '-' : ''
  if (exponent > 40 || exponent < -40) return `${sign}0.${digits}e${exponent}`
  if (exponent <= 0) return `${sign}0.${'0'.repeat(-exponent)}${digits}`
  if (digits.length <= exponent) return `${sign}${digits.padEnd(exponent, '0')}`
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`
}

function countLeadingZeros(digits: string): number {
  let count = 0
  while (count < digits.length && digits.charCodeAt(count) === 48) count++
  return count
}

function stripTrailingZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end--
  return digits.slice(0, end)
}
