/**
 * Masks the numbers of payment cards in texts of any kind: 13 to 19 digits, written together or in groups, that begin like the
 * numbers of an issuer and have the check digit of Luhn. All but the last four digits are replaced. Other numbers stay: times,
 * locators, and tickets, whose numbers begin with those of airlines.
 */

/** A text without this holds no card number. */
const ENOUGH_DIGITS = /\d(?:[ .\-\u00a0]?\d){12}/

export const maskCardNumbers = (text: string): string =>
  text.length >= LEAST_DIGITS && ENOUGH_DIGITS.test(text) ? text.replace(DIGIT_GROUPS, maskIn) : text

/** Groups of digits with one separator between them, from the first group to the last. */
const DIGIT_GROUPS = /\d+(?:[ .\-\u00a0]\d+)*/g

type Group = { readonly start: number; readonly end: number }

function maskIn(found: string, ...rest: readonly unknown[]): string {
  const [at, text] = rest.slice(-2) as [number, string]
  if (found.length < LEAST_DIGITS || isPartOfHexadecimal(text, at, at + found.length)) return found
  const groups = [...found.matchAll(/\d+/g)].map(({ 0: digits, index }) => ({
    start: index,
    end: index + digits.length,
  }))
  let masked = ''
  let copied = 0
  for (let first = 0; first < groups.length; first++) {
    const last = lastGroupOfCard(found, groups, first)
    if (last === undefined) continue
    const [from, to] = [groups[first] as Group, groups[last] as Group]
    masked += found.slice(copied, from.start) + markOf(found.slice(from.start, to.end))
    copied = to.end
    first = last
  }
  return masked + found.slice(copied)
}

const markOf = (number: string): string => `[card ending ${number.replace(/\D/g, '').slice(-4)}]`

const LEAST_DIGITS = 13
const MOST_DIGITS = 19

/** The most groups of a card number: 4-4-4-4-3. */
const MOST_GROUPS = 5

/** Of several groups the first one has four digits, and all separators are the same. */
function lastGroupOfCard(text: string, groups: readonly Group[], first: number): number | undefined {
  const separator = text[(groups[first] as Group).end]
  let digits = ''
  let best: number | undefined
  for (let nth = first; nth < Math.min(groups.length, first + MOST_GROUPS); nth++) {
    const { start, end } = groups[nth] as Group
    if (nth > first && (text[start - 1] !== separator || digits.length < 4)) break
    if (nth > first && groups[first]!.end - groups[first]!.start !== 4) break
    digits += text.slice(start, end)
    if (digits.length > MOST_DIGITS) break
    // The digits after a point are those of a fraction, unless they are groups of a number with points.
    if (nth === first && isFraction(text, start, end)) continue
    if (isCardNumber(digits)) best = nth
  }
  return best
}

const isFraction = (text: string, start: number, end: number): boolean =>
  (text[start - 1] === '.' && /\d/.test(text[start - 2] ?? '')) ||
  (text[end] === '.' && /\d/.test(text[end + 1] ?? ''))

/** Shorter than an id or a digest, digits with letters beside them are a form of payment, such as VI4111111111111111. */
const LEAST_HEXADECIMAL = 32

function isPartOfHexadecimal(text: string, start: number, end: number): boolean {
  let [from, to] = [start, end]
  while (from > 0 && start - from < LEAST_HEXADECIMAL && /[\da-f-]/i.test(text[from - 1] as string)) from--
  while (to < text.length && to - end < LEAST_HEXADECIMAL && /[\da-f-]/i.test(text[to] as string)) to++
  const run = text.slice(from, to)
  return run.length >= LEAST_HEXADECIMAL && /[a-f]/i.test(run)
}

/** The beginnings and lengths of numbers, by network (ISO/IEC 7812; UATP is the card of airlines). */
const NETWORKS = [
  /^4\d{12}(?:\d{3}|\d{5}|\d{6})?$/, // Visa
  /^(?:5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12})$/, // Mastercard
  /^3[47]\d{13}$/, // American Express
  /^3(?:0[0-5]|09|6|8|9)\d{10,17}$/, // Diners Club
  /^35(?:2[89]|[3-8]\d)\d{12,15}$/, // JCB
  /^(?:50|5[6-9]|6\d)\d{12,17}$/, // Discover, Maestro, UnionPay and others
  /^1\d{14}$/, // UATP
]

const isCardNumber = (digits: string): boolean =>
  digits.length >= LEAST_DIGITS && hasCheckDigit(digits) && NETWORKS.some((network) => network.test(digits))

/** Luhn: every second digit from the right is doubled, and the sum of all digits ends in 0. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let nth = 0; nth < digits.length; nth++) {
    const digit = Number(digits[digits.length - 1 - nth])
    const value = nth % 2 === 1 ? digit * 2 : digit
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}
