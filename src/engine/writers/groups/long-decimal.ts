import { DECIMAL_PLACES, formatScaled } from '../../../kernel/decimal.ts'

/** Writes a scaled amount of any size as a number in plain notation without trailing zeros. */
export function formatLongDecimal(scaled: number | bigint): string {
  if (typeof scaled === 'number') return formatScaled(scaled)
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(DECIMAL_PLACES + 1, '0')
  const whole = digits.slice(0, -DECIMAL_PLACES)
  const fraction = digits.slice(-DECIMAL_PLACES).replace(/0+$/, '')
  return `${scaled < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}
