/** Comparisons and text functions on text forms, for storage types that must test the text of each value. */
import { compareCodePoints } from '../../../kernel/text.ts'
import type { TextFunction } from '../../../query/ast.ts'
import type { Comparison } from '../../../query/plan/plan-nodes.ts'

/** Whether the outcome of comparing (negative, zero or positive) satisfies the comparison. */
export const satisfies: { readonly [C in Comparison]: (order: number) => boolean } = {
  eq: (order) => order === 0,
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
}

/** A test of folded texts: `text comparison folded`. */
export function comparesAs(comparison: Comparison, folded: string): (text: string) => boolean {
  const holds = satisfies[comparison]
  return (text) => holds(compareCodePoints(text, folded))
}

/** A test of folded texts. */
export function matchesAs(textFunction: TextFunction, folded: string): (text: string) => boolean {
  return textTests[textFunction](folded)
}

const textTests: { readonly [F in TextFunction]: (part: string) => (text: string) => boolean } = {
  contains: (part) => (text) => text.includes(part),
  startswith: (part) => (text) => text.startsWith(part),
  endswith: (part) => (text) => text.endsWith(part),
}

/**
 * The same test of integers, with remembered results. Neighbouring values, such as days and line numbers, never displace each
 * other.
 */
export function rememberingIntegers(test: (value: number) => boolean): (value: number) => boolean {
  const asked = new Float64Array(REMEMBERED).fill(Number.NaN)
  const answers = new Uint8Array(REMEMBERED)
  return (value) => {
    const place = value & (REMEMBERED - 1)
    if (asked[place] !== value) {
      asked[place] = value
      answers[place] = test(value) ? 1 : 0
    }
    return answers[place] === 1
  }
}

const REMEMBERED = 1 << 12
