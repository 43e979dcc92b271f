/** Writes whole numbers and amounts as digits, up to four at a time and without a text in between. */
import { DECIMAL_SCALE } from '../../../kernel/decimal.ts'

/** Only numbers up to this magnitude can be written here, and amounts whose whole part is not larger. */
export const MOST_WHOLE = 0x7fffffff

/** There must be room for so many bytes: a sign, ten digits, a point, five decimal places, and the rest of the last word. */
export const MOST_NUMBER_BYTES = 20

const ZERO = 0x30
const MINUS = 0x2d
const POINT = 0x2e

/** Returns where the number ends. */
export function integerBytes(value: number, to: DataView, at: number): number {
  if (value >= 0) return digits(value | 0, to, at)
  to.setUint8(at, MINUS)
  return digits(-value | 0, to, at + 1)
}

/** What an amount has behind its second decimal place is nearly always zero. */
const HUNDREDTH = DECIMAL_SCALE / 100

/**
 * Returns where the amount ends.
 *
 * @param scaled an amount times 10^5, as {@link formatScaled} takes it
 */
export function amountBytes(scaled: number, to: DataView, at: number): number {
  if (scaled < 0) {
    to.setUint8(at, MINUS)
    return amountBytes(-scaled, to, at + 1)
  }
  const whole = Math.floor(scaled / DECIMAL_SCALE)
  const fraction = (scaled - whole * DECIMAL_SCALE) | 0
  const point = digits(whole | 0, to, at)
  if (fraction === 0) return point
  const hundredths = (fraction / HUNDREDTH) | 0
  const rest = fraction - HUNDREDTH * hundredths
  // The last two of four digits, behind a point.
  to.setInt32(point, ((words[hundredths]! >>> 8) & ~0xff) | POINT, true)
  if (rest > 0) return lastDigits(rest, to, point + 3)
  return hundredths % 10 === 0 ? point + 2 : point + 3
}

/** The third decimal place and those behind it, up to the last digit that is not zero. */
function lastDigits(thousandths: number, to: DataView, from: number): number {
  let at = from
  for (let place = HUNDREDTH / 10, rest = thousandths; rest > 0; place /= 10) {
    const digit = (rest / place) | 0
    to.setUint8(at++, ZERO + digit)
    rest -= digit * place
  }
  return at
}

/** How many numbers have at most four digits. */
const GROUP = 10_000

/** Of each such number its four digits as a word, the first one in the lowest byte, and how many of them are leading zeros. */
const { words, leadingZeros } = fourDigits()

function digits(value: number, to: DataView, at: number): number {
  if (value < GROUP) {
    const zeros = leadingZeros[value]!
    to.setInt32(at, words[value]! >>> (8 * zeros), true)
    return at + 4 - zeros
  }
  const higher = (value / GROUP) | 0
  const begin = digits(higher, to, at)
  to.setInt32(begin, words[value - GROUP * higher]!, true)
  return begin + 4
}

function fourDigits(): { readonly words: Int32Array; readonly leadingZeros: Uint8Array } {
  const words = new Int32Array(GROUP)
  const texts = Buffer.from(words.buffer)
  const leadingZeros = new Uint8Array(GROUP)
  for (let number = 0; number < GROUP; number++) {
    const text = String(number)
    texts.write(text.padStart(4, '0'), 4 * number, 'latin1')
    leadingZeros[number] = 4 - text.length
  }
  return { words, leadingZeros }
}
