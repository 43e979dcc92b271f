/**
 * The types of JSON in text columns. Texts and integers are read as they are written; a number such as 1250.0, which programs
 * make of an integer, is read without its zeros; any other number and true or false have no certain text.
 */
import type { ExtractColumn } from '../../schema/extract-tables.ts'
import { DOUBLE_LIMIT, type Family, type TextCast, type TextTypes } from './text-types.ts'

const QUOTE = 34
const MINUS = 45
const ZERO = 48
const NINE = 57
const POINT = 46
const LOWER_T = 116
const LOWER_F = 102

/** Bytes of a line that are left out when it is read. */
export type Cut = { readonly from: number; readonly to: number }

type Seen = {
  readonly families: Set<Family>
  readonly types: Set<'numbers' | 'booleans'>
  whole: number
  lost: number
  readonly examples: Set<string>
  areRounded: boolean
}

export class JsonTypes {
  readonly #seen: ReadonlyMap<string, Seen>
  /** The zeros of the line that was looked at last. */
  readonly cuts: Cut[] = []

  constructor(columns: readonly ExtractColumn[]) {
    // All that is kept of a card number are its last digits.
    const texts = columns.filter(({ type, masked }) => type === 'text' && masked !== 'number')
    this.#seen = new Map(texts.map(({ column }) => [column, nothingSeen()]))
  }

  /** @param values where the values of the columns begin */
  line(
    bytes: Buffer,
    columns: readonly (string | undefined)[],
    values: readonly number[],
    end: number,
  ): void {
    this.cuts.length = 0
    for (const [at, column] of columns.entries()) {
      const seen = column === undefined ? undefined : this.#seen.get(column)
      if (seen === undefined) continue
      const from = values[at] as number
      const first = bytes[from] as number
      if (first === QUOTE) seen.families.add('text')
      else if (first === MINUS || isDigit(first)) this.#number(bytes, from, end, seen)
      else if (first === LOWER_T || first === LOWER_F) this.#lost(bytes, from, end, seen, 'booleans')
    }
  }

  #number(bytes: Buffer, from: number, end: number, seen: Seen): void {
    seen.families.add('number')
    seen.types.add('numbers')
    const whole = afterDigits(bytes, from + 1, end)
    if (bytes[whole] !== POINT && ((bytes[whole] ?? 0) | 32) !== LOWER_E) return
    const to = afterToken(bytes, from, end)
    const text = bytes.toString('latin1', from, to)
    if (!/^-?\d+\.0+$/.test(text) || Math.abs(Number(text)) >= DOUBLE_LIMIT) {
      this.#lost(bytes, from, end, seen, 'numbers')
      return
    }
    seen.whole++
    this.cuts.push({ from: whole, to })
  }

  #lost(bytes: Buffer, from: number, end: number, seen: Seen, type: 'numbers' | 'booleans'): void {
    const text = bytes.toString('latin1', from, afterToken(bytes, from, end))
    // Anything else makes the line malformed, which costs the line only.
    if (!PLAIN_VALUE.test(text)) return
    seen.families.add(type === 'numbers' ? 'number' : 'other')
    seen.types.add(type)
    seen.lost++
    if (seen.examples.size < EXAMPLES) seen.examples.add(text)
    seen.areRounded ||= Math.abs(Number(text)) >= DOUBLE_LIMIT
  }

  found(): readonly TextTypes[] {
    return [...this.#seen].map(([column, { families, types, whole, lost, examples, areRounded }]) => ({
      column,
      type: [...types].join(' and '),
      families: [...families],
      whole,
      lost,
      examples: [...examples],
      cast: areRounded ? null : castIn(column),
    }))
  }
}

/** In a view, which reads all values of JSON as text. */
const castIn = (column: string): TextCast => ({ sql: `regexp_replace("${column}", '\\.0+$', '')` })

const PLAIN_VALUE = /^(true|false|-?\d+(\.\d+)?([eE][+-]?\d+)?)$/
const EXAMPLES = 3
const LOWER_E = 101

const nothingSeen = (): Seen => ({
  families: new Set(),
  types: new Set(),
  whole: 0,
  lost: 0,
  examples: new Set(),
  areRounded: false,
})

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE

function afterDigits(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && isDigit(bytes[at] as number)) at++
  return at
}

/** A comma, a bracket or a blank ends a number or a word. */
function afterToken(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && !TOKEN_ENDS.has(bytes[at] as number)) at++
  return at
}

const TOKEN_ENDS = new Set(Buffer.from(' \t\r\n,]}'))

/** The bytes of a line without the cuts, which are in their order. */
export function withoutCuts(bytes: Buffer, start: number, end: number, cuts: readonly Cut[]): Buffer {
  const kept: Buffer[] = []
  let from = start
  for (const cut of cuts) {
    kept.push(bytes.subarray(from, cut.from))
    from = cut.to
  }
  return Buffer.concat([...kept, bytes.subarray(from, end)])
}
