/**
 * Decides whether a number is a multiple of another by their decimal texts: as doubles 0.3 is not a multiple of 0.1.
 */
export function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  const dividend = decimalOf(value)
  const unit = decimalOf(divisor)
  const exponent = Math.min(dividend.exponent, unit.exponent)
  return scaled(dividend, exponent) % scaled(unit, exponent) === 0n
}

/** `digits x 10^exponent` */
type Decimal = { readonly digits: bigint; readonly exponent: number }

function decimalOf(value: number): Decimal {
  const [mantissa = '', power] = value.toExponential().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length }
}

/** Exponents of doubles are small enough for this. */
const scaled = ({ digits, exponent }: Decimal, to: number): bigint => digits * 10n ** BigInt(exponent - to)
