/**
 * Sums of amounts, exactly: amounts have at most five decimals, and the text of each number is the text that the service
 * wrote, so they are added as whole numbers of the last decimal.
 */

const DECIMALS = 5

/** Nulls are left out. @returns a decimal text */
export function sumOf(amounts: readonly (number | null | undefined)[]): `${number}` {
  const sum = amounts.reduce(
    (total, amount) => total + (amount === null || amount === undefined ? 0n : scaled(String(amount))),
    0n,
  )
  const digits = String(sum < 0n ? -sum : sum).padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  const whole = digits.slice(0, -DECIMALS)
  return `${sum < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}` as `${number}`
}

function scaled(text: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?/.exec(plain(text)) ?? []
  const digits = BigInt(whole + fraction.padEnd(DECIMALS, '0').slice(0, DECIMALS))
  return sign === '' ? digits : -digits
}

/** The smallest amounts have a text with an exponent. */
const plain = (text: string): string => (text.includes('e') ? Number(text).toFixed(DECIMALS) : text)

const format = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: DECIMALS })

/** In the viewer's format, with all its decimals and at least two. */
export const formatAmount = (amount: number | `${number}`): string => format.format(amount)
