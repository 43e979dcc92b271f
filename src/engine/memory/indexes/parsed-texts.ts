/**
 * Finds the texts of a dictionary that are numbers, or dates, and sorts them by value: a number or date literal is compared
 * with these values in a text column. Parsed once per dictionary. Only texts that begin with a digit (or a minus) can be
 * numbers or dates, and those are next to each other.
 */
import { parseInstant } from '../../../kernel/calendar.ts'
import { compareDecimals, type Decimal, formatDecimal, parseDecimal } from '../../../kernel/decimal.ts'
import { compareCodePoints } from '../../../kernel/text.ts'
import type { Dictionary } from '../../../snapshot/partition.ts'
import { KeptWork } from '../kept-work.ts'
import type { Work } from '../work.ts'
import { lowerBound } from './column-index.ts'
import { sortAllByWords } from './radix-sort.ts'
import { doubleWords } from './sort-words.ts'

export type ParsedTexts<Value> = {
  /** Codes by ascending value. */
  readonly codes: Int32Array
  /** Whether the text of a code is among them. */
  readonly reads: (code: number) => boolean
  /** Values from position `from` are equal to or greater than this value, those from `above` are greater. */
  readonly placeOf: (value: Value) => { readonly from: number; readonly above: number }
}

/** How texts are read. Keys ascend with the values; different values may share a key only if ties can be compared. */
type Reading<Value> = {
  readonly keyOfText: (text: string) => number | undefined
  readonly keyOf: (value: Value) => number
  /** Ranges of first characters, from the first up to the one after the last. */
  readonly beginnings: readonly (readonly [first: string, behind: string])[]
  /** Compares a text with a value that has the same key. */
  readonly compareTie: (text: string, value: Value) => number
  /** Compares two texts with the same key; null when they are always equal. */
  readonly compareTexts: ((a: string, b: string) => number) | null
  readonly kept: KeptWork<Dictionary, ParsedTexts<Value>>
}

const DIGITS = ['0', ':'] as const

/**
 * Rounding to doubles keeps the order of numbers, so doubles decide nearly all comparisons; only when they are equal are the
 * numbers themselves compared.
 */
const asNumbers: Reading<Decimal> = {
  keyOfText: (text) => shortInteger(text) ?? (parseDecimal(text) === undefined ? undefined : Number(text)),
  keyOf: nearestDouble,
  beginnings: [['-', '.'], DIGITS],
  compareTie: (text, decimal) => compareDecimals(decimalOf(text), decimal),
  compareTexts: (a, b) => compareDecimals(decimalOf(a), decimalOf(b)),
  kept: new KeptWork(),
}

const asInstants: Reading<number> = {
  keyOfText: parseInstant,
  keyOf: (instant) => instant,
  beginnings: [DIGITS],
  compareTie: () => 0,
  compareTexts: null,
  kept: new KeptWork(),
}

export function numericTexts(dictionary: Dictionary): Work<ParsedTexts<Decimal>> {
  return parsedOnce(dictionary, asNumbers)
}

export function instantTexts(dictionary: Dictionary): Work<ParsedTexts<number>> {
  return parsedOnce(dictionary, asInstants)
}

/** The first code whose folded text is not before the given one. */
export function codeAt(dictionary: Dictionary, folded: string): number {
  return lowerBound(0, dictionary.size, (code) => compareCodePoints(dictionary.folded(code), folded) < 0)
}

const parsedOnce = <Value>(dictionary: Dictionary, reading: Reading<Value>): Work<ParsedTexts<Value>> =>
  reading.kept.get(dictionary, () => parse(dictionary, reading))

function* parse<Value>(dictionary: Dictionary, reading: Reading<Value>): Work<ParsedTexts<Value>> {
  const { codes, keys } = yield* sortedByKey(yield* readTexts(dictionary, reading))
  if (reading.compareTexts !== null) yield* sortTies(dictionary, codes, keys, reading.compareTexts)
  return {
    codes,
    reads: (code) => reading.keyOfText(dictionary.text(code)) !== undefined,
    placeOf: (value) => {
      const key = reading.keyOf(value)
      const compare = (at: number): number =>
        keys[at] === key ? reading.compareTie(dictionary.text(codes[at]!), value) : keys[at]! < key ? -1 : 1
      const from = lowerBound(0, keys.length, (at) => compare(at) < 0)
      return { from, above: lowerBound(from, keys.length, (at) => compare(at) <= 0) }
    },
  }
}

type Keyed = { readonly codes: Int32Array; readonly keys: Float64Array }

/** Texts between two checks of the clock. */
const BLOCK = 1 << 11

function* readTexts<Value>(dictionary: Dictionary, { beginnings, keyOfText }: Reading<Value>): Work<Keyed> {
  const codes: number[] = []
  const keys: number[] = []
  for (const [first, behind] of beginnings) {
    const end = codeAt(dictionary, behind)
    for (let code = codeAt(dictionary, first); code < end; code++) {
      const key = keyOfText(dictionary.text(code))
      if (key !== undefined) keys[codes.push(code) - 1] = key
      if (code % BLOCK === 0) yield
    }
  }
  return { codes: new Int32Array(codes), keys: new Float64Array(keys) }
}

/** Numbers of the same length, and all ISO dates, are in order already, by their text. */
function* sortedByKey(given: Keyed): Work<Keyed> {
  if (given.keys.every((key, i) => i === 0 || given.keys[i - 1]! <= key)) return given
  const [high, low] = doubleWords(given.keys, false)
  const order = yield* sortAllByWords(given.keys.length, [low, high])
  const sorted: Keyed = { codes: new Int32Array(order.length), keys: new Float64Array(order.length) }
  for (let i = 0; i < order.length; i++) {
    if (i % BLOCK === BLOCK - 1) yield
    sorted.codes[i] = given.codes[order[i]!]!
    sorted.keys[i] = given.keys[order[i]!]!
  }
  return sorted
}

/** Equal keys are rare, unless a column has numbers with more digits than a double holds. */
function* sortTies(
  dictionary: Dictionary,
  codes: Int32Array,
  keys: Float64Array,
  compare: (a: string, b: string) => number,
): Work<void> {
  for (let from = 0; from < keys.length; ) {
    let to = from + 1
    while (to < keys.length && keys[to] === keys[from]) to++
    if (to - from > 1) {
      codes.subarray(from, to).sort((a, b) => compare(dictionary.text(a), dictionary.text(b)))
      yield
    }
    from = to
  }
}

/** Handles exponents beyond those of doubles, however long they are, without parsing them as doubles. */
function nearestDouble(decimal: Decimal): number {
  if (decimal.exponent > 400) return decimal.negative ? -Infinity : Infinity
  return decimal.exponent < -400 ? 0 : Number(formatDecimal(decimal))
}

const decimalOf = (text: string): Decimal => parseDecimal(text) as Decimal

/** Reads a short run of digits, such as a document number, several times faster than a pattern. */
function shortInteger(text: string): number | undefined {
  if (text === '' || text.length > EXACT_DIGITS) return undefined
  let value = 0
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return value
}

/** A double holds any integer with this many digits. */
const EXACT_DIGITS = 15
