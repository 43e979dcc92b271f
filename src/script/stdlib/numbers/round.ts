/** Rounds to decimals. It multiplies the double by a power of ten, so 1.005 is not a tie at two decimals. */

/** @param isTie whether a fraction of one half is exact, and not less than that before the multiplication rounded it */
type Rounding = (value: number, isTie: boolean) => number

/** Keyed by the name in scripts. `halfDown` always cuts off (language reference, 10.3). */
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

/** All doubles from here on are integers, so they have no decimals to round. */
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

/** Reads the literal, which is exact; `10 ** exponent` may not be. */
const powerOfTen = (exponent: number): number => Number(`1e${Math.min(exponent, 400)}`)

/** The exact error of rounding the product of two numbers to a double (Dekker). */
function productError(left: number, right: number, product: number): number {
  const [leftHigh, leftLow] = split(left)
  const [rightHigh, rightLow] = split(right)
  return leftHigh * rightHigh - product + leftHigh * rightLow + leftLow * rightHigh + leftLow * rightLow
}

/** Two parts of a double that add up to it and whose products are exact. */
function split(value: number): readonly [high: number, low: number] {
  const shifted = value * (2 ** 27 + 1)
  const high = shifted - (shifted - value)
  return [high, value - high]
}
