/** Rounding to decimals, done on the double multiplied by a power of ten: 1.005 has no tie at two decimals. */

/** @param isTie whether a fraction of one half is one, and not only what the multiplication left of less */
type Rounding = (value: number, isTie: boolean) => number

/** By the name scripts give them. `halfDown` looks at no half (language reference, 10.3). */
export const roundings: ReadonlyMap<string, Rounding> = new Map<string, Rounding>([
  ['halfUp', (value, isTie) => toNearest(value, isTie)],
  ['halfEven', (value) => toNearest(value, Math.trunc(value) % 2 !== 0)],
  ['halfDown', Math.trunc],
])

function toNearest(value: number, awayOnHalf: boolean): number {
  const whole = Math.trunc(value)
  const rest = Math.abs(value - whole)
  return rest > 0.5 || (rest === 0.5 && awayOnHalf) ? whole + Math.sign(value) : whole
}

/** Doubles from here on are integers, whatever decimals are asked for. */
const ALWAYS_WHOLE = 1e16

/** @param decimals an integer up to 15; negative ones round to powers of ten */
export function roundNumber(value: number, decimals: number, rounding: Rounding): number {
  if (decimals < 0) {
    const scale = powerOfTen(-decimals)
    return rounding(value / scale, true) * scale
  }
  if (Math.abs(value) >= ALWAYS_WHOLE) return value
  const scale = powerOfTen(decimals)
  const product = value * scale
  // 2.675 is a little less than it reads, which its product, 267.5, does not show (language reference, 12, row 63).
  const isTie = productError(value, scale, product) * Math.sign(value) >= 0
  return rounding(product, isTie) / scale
}

/** As the literal reads, which is exact where `10 ** exponent` may not be. */
const powerOfTen = (exponent: number): number => Number(`1e${Math.min(exponent, 400)}`)

/** What was lost when the product of two numbers was rounded to a double, exactly (Dekker). */
function productError(left: number, right: number, product: number): number {
  const [leftHigh, leftLow] = split(left)
  const [rightHigh, rightLow] = split(right)
  return leftHigh * rightHigh - product + leftHigh * rightLow + leftLow * rightHigh + leftLow * rightLow
}

/** Halves of a double that add up to it and whose products are exact. */
function split(value: number): readonly [high: number, low: number] {
  const shifted = value * (2 ** 27 + 1)
  const high = shifted - (shifted - value)
  return [high, value - high]
}
