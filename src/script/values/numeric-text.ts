/**
 * Texts that the service dialect compares with numbers as numbers (decision 39). They are narrower than the texts that `ToNumber`
 * reads: `1,5` would be 15 there, so a text from another country would be compared wrongly without anybody noticing.
 *
 *     numeric text = blanks [ "+" | "-" ] ( digits [ "." [ digits ] ] | "." digits ) [ ( "e" | "E" ) [ "+" | "-" ] digits ] blanks
 *
 * `10`, ` 10 `, `+5`, `-0.5`, `.5`, `5.` and `1e3` are numeric; the empty text, `1,000`, `(5)`, `5-`, `0x1F`, `1 000`, `10%` and
 * `NaN` are not.
 */

import type { Value } from './value.ts'

/** The number that the text stands for; null if it is not numeric. Texts beyond the range of doubles are infinite. */
export function numericText(text: string): number | null {
  const unit = text.charCodeAt(0)
  // Most texts that are not numeric begin with a letter.
  if (unit > NINE) return null
  return pattern.test(text) ? Number(text.trim()) : null
}

type Counting = { readonly work: (units: number) => void }

/** A value as a number, to compare it with another one: a number itself, or a numeric text beside a number. Otherwise null. */
export function numberBeside(other: Value, value: Value, { work }: Counting): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || typeof other !== 'number') return null
  if (value.length >= LONG_TEXT) work(Math.ceil(value.length / 100))
  return numericText(value)
}

/** Reading shorter texts costs no more than counting the work. */
const LONG_TEXT = 1000

const pattern = /^[ \t-\r]*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[ \t-\r]*$/

const NINE = 0x39
