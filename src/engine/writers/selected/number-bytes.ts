/** Writes whole numbers and amounts as digits, without a text in between. */
import { DECIMAL_SCALE } from '../../../kernel/decimal.ts'
import type { ByteWriter } from '../byte-writer.ts'

const ZERO = 0x30
const MINUS = 0x2d
const POINT = 0x2e

/** Larger numbers, which are rare, take the way over a text. */
const MOST_INT = 0x7fffffff

/** Digits of the largest number, a sign, a point and the decimal places. */
const LONGEST = 32

export function integerBytes(value: number, to: ByteWriter): void {
  if (value < 0) {
    to.byte(MINUS)
    digits(-value, to)
  } else digits(value, to)
}

/** @param scaled an amount times 10^5, as {@link formatScaled} takes it */
export function amountBytes(scaled: number, to: ByteWriter): void {
  if (scaled < 0) to.byte(MINUS)
  const magnitude = Math.abs(scaled)
  const whole = Math.floor(magnitude / DECIMAL_SCALE)
  digits(whole, to)
  let fraction = magnitude - whole * DECIMAL_SCALE
  if (fraction === 0) return
  to.reserve(LONGEST)
  const { bytes } = to
  bytes[to.length++] = POINT
  // Ends at the last digit that is not zero.
  for (let place = DECIMAL_SCALE / 10; fraction > 0 && place >= 1; place /= 10) {
    const digit = Math.floor(fraction / place)
    bytes[to.length++] = ZERO + digit
    fraction -= digit * place
  }
}

function digits(value: number, to: ByteWriter): void {
  if (value > MOST_INT) {
    to.text(String(value))
    return
  }
  to.reserve(LONGEST)
  const { bytes } = to
  let rest = value | 0
  let length = 1
  for (let bound = 10; bound <= rest; bound *= 10) length++
  const end = to.length + length
  for (let at = end - 1; at >= to.length; at--) {
    const tens = (rest / 10) | 0
    bytes[at] = ZERO + rest - 10 * tens
    rest = tens
  }
  to.length = end
}
