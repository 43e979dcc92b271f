/**
 * A text for a decimal number, such that texts ordered by code point are in the order of the numbers. A database can then
 * compare numbers of any length exactly, also `1e400` and numbers with more digits than its own types hold.
 *
 *     -0.12 x 10^e   0 + inverted exponent + inverted digits + ~
 *      0             1
 *      0.12 x 10^e   2 + exponent + digits
 *
 * The exponent is the bits of a double as 16 hexadecimal digits, so that those of greater numbers are greater texts. Digits are
 * a fraction without trailing zeros, so that a prefix is less; inverted, it must be greater, and `~` is greater than all digits.
 */
import type { Decimal } from '../../kernel/decimal.ts'

export function numberKey({ negative, digits, exponent }: Decimal): string {
  if (digits === '') return '1'
  const key = `${exponentKey(exponent)}${digits}`
  return negative ? `0${inverted(key)}~` : `2${key}`
}

const memory = new DataView(new ArrayBuffer(8))

function exponentKey(exponent: number): string {
  memory.setFloat64(0, exponent)
  const bits = memory.getBigUint64(0)
  const ordered = bits >> 63n === 1n ? ~bits & ALL_BITS : bits | SIGN_BIT
  return ordered.toString(16).padStart(16, '0')
}

const SIGN_BIT = 1n << 63n
const ALL_BITS = (1n << 64n) - 1n

/** The first 16 characters are hexadecimal digits, those behind them decimal. */
function inverted(key: string): string {
  let text = ''
  for (let i = 0; i < key.length; i++) {
    const greatest = i < 16 ? 15 : 9
    text += (greatest - Number.parseInt(key[i] as string, 16)).toString(16)
  }
  return text
}
