/**
 * Parses the raw value of `query` into clauses (specification 4.2, design 7.3 and 7.4):
 *
 *     query    = [ clause ] { ";" [ clause ] }
 *     clause   = property "^" operator value          operators: clause.ts, in any letter case
 *     value    = text | item { "," item }             items after IN and NI
 *
 * Blanks around property, value and items do not count; blank clauses and items are skipped. Separators are found before
 * escapes are decoded, so that an encoded separator is part of the value. Many clients encode the whole parameter, including
 * its separators: then the query is the parameter decoded once. Others get a whole address and encode the characters that an
 * address cannot have: the carets, but not the separators.
 *
 *     sent by                  query=...                            clauses
 *     curl                     A^INx,y%2Cz;B^EQ1+2%2B3              A in ["x", "y,z"]; B equal to "1 2+3"
 *     URLSearchParams          A%5EINx%2Cy%3BB%5EEQ1+2%2B3          A in ["x", "y"]; B equal to "1 2+3"
 *     by hand, then by library A%5EINx%2Cy%252Cz%3BB%5EEQ100%25     A in ["x", "y,z"]; B equal to "100%"
 *     Python requests          A%5EINx,y%2Cz;B%5EEQ1                A in ["x", "y,z"]; B equal to "1"
 *     encodeURI                A%5EINx,y%252Cz;B%5EEQ1              A in ["x", "y,z"]; B equal to "1"
 *     axios, commas left       A%5EINx,y%3BB%5EEQ1                  A in ["x", "y"]; B equal to "1"
 *
 * {@link desugarClauses} checks names and types later.
 */

import { decodeForm, undecodablePart } from '../../kernel/addresses/form-encoding.ts'
import { parseDate } from '../../kernel/calendar.ts'
import type { QueryLimits } from '../limits.ts'
import { type CaretOperator, type Clause, caretOperators, type Subject } from './clause.ts'
import { isNumber } from './literal-for.ts'
import { decodeEscapes } from './percent-encoding.ts'
import {
  missingOperator,
  missingValue,
  notNumericOrDate,
  overLimit,
  undecodableQuery,
  unknownOperator,
} from './problems.ts'

/** @throws Problem QRY401 to QRY404, QRY408 and QRY41x, at the first clause that cannot be read */
export function parseClauses(raw: string, limits: QueryLimits): readonly Clause[] {
  const clauses: Clause[] = []
  const { separable, caret, decode } = encodingOf(raw, limits)
  for (const text of separable.split(';')) {
    if (decode(text).trim() === '') continue
    if (clauses.length === limits.filterNodes) throw overLimit('filterNodes', limits)
    clauses.push(parseClause(text, { caret, decode }, limits))
  }
  return clauses
}

/** How to find the pieces of a query, and how to decode each piece. */
type Encoding = {
  readonly caret: RegExp
  readonly decode: (piece: string) => string
}

/** Refuses a query that is not percent-encoded UTF-8 (`A^EQ100%`), or too long after decoding. */
function encodingOf(raw: string, limits: QueryLimits): Encoding & { readonly separable: string } {
  const decoded = decodeForm(raw)
  if (decoded === undefined) throw undecodableQuery(undecodablePart(raw).part)
  if (decoded.length > limits.parameterLength) throw overLimit('parameterLength', limits)
  if (raw.includes('^')) return { separable: raw, caret: /\^/, decode: decodeOnce }
  return isEncodedAsAWhole(raw, decoded)
    ? { separable: decoded, caret: /\^/, decode: decodeEscapes }
    : { separable: raw, caret: /%5e/i, decode: decodeTwice }
}

/** Decodes a part of a text that {@link decodeForm} accepts. */
const decodeOnce = (piece: string): string => decodeEscapes(piece.replaceAll('+', ' '))

/** `encodeURI` encodes again what was encoded by hand; values that only look encoded are rare. */
const decodeTwice = (piece: string): string => decodeEscapes(decodeOnce(piece))

/**
 * Whether the separators of a query without a raw caret were encoded too. A client that encodes `;` and `,` leaves neither of
 * them raw; a query without raw separators counts as encoded. axios encodes `;` but not commas: then a clause follows each `;`.
 */
function isEncodedAsAWhole(raw: string, decoded: string): boolean {
  if (raw.includes(';')) return false
  if (!raw.includes(',')) return true
  const [, ...behindSemicolons] = decoded.split(';')
  return behindSemicolons.length > 0 && behindSemicolons.every(isClauseOrBlank) && !/%2c/i.test(raw)
}

/** A clause with a misspelled operator counts as a clause, so that it is refused. */
const isClauseOrBlank = (text: string): boolean => /^\s*(?:$|\w+\s*\^)/.test(text)

/** Accepts `Traveller ^eq Anna^Bob`, `Department^IN,Sales,`; refuses `Traveller`, `Traveller^=x`, `Department^IN,`. */
function parseClause(text: string, { caret, decode }: Encoding, limits: QueryLimits): Clause {
  const found = caret.exec(text)
  if (found === null) throw missingOperator()
  const property = decode(text.slice(0, found.index)).trim()
  const pieces = text.slice(found.index + found[0].length).split(',')
  const [first = '', ...rest] = pieces.map(decode)
  const operator = parseOperator(first)
  const values = [first.slice(operator.length), ...rest]
  return operator === 'IN' || operator === 'NI'
    ? { property, operator, items: parseItems(values, property, limits) }
    : { property, operator, value: parseValue(values.join(','), { property, operator }) }
}

const LETTERS = /^\p{L}+/u

/** Two letters make an operator, so in `^EQUAL` the value is `UAL`; `^LIKE` is an operator that does not exist. */
function parseOperator(text: string): CaretOperator {
  const wanted = text.slice(0, 2).toLowerCase()
  const operator = caretOperators.find((known) => known.toLowerCase() === wanted)
  if (operator !== undefined) return operator
  const [letters] = LETTERS.exec(text) ?? []
  throw letters === undefined ? missingOperator() : unknownOperator(letters)
}

function parseItems(values: readonly string[], property: string, limits: QueryLimits): readonly string[] {
  const items = values.map((value) => value.trim()).filter((item) => item !== '')
  if (items.length === 0) throw missingValue(property)
  if (items.length > limits.listItems) throw overLimit('listItems', limits)
  return items
}

const orderOperators: ReadonlySet<CaretOperator> = new Set(['GT', 'LT', 'GE', 'LE'])

/** Order operators take a number or a date; the type of the property decides later which of the two. */
function parseValue(text: string, subject: Subject): string {
  const value = text.trim()
  if (value === '') throw missingValue(subject.property)
  if (orderOperators.has(subject.operator) && !isNumber(value) && parseDate(value) === undefined) {
    throw notNumericOrDate(subject, value)
  }
  return value
}
