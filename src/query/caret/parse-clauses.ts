/**
 * The value of `query`, as it stood in the address, to clauses (specification 4.2, design 7.3 and 7.4):
 *
 *     query    = [ clause ] { ";" [ clause ] }
 *     clause   = property "^" operator value          operators: clause.ts, in any letter case
 *     value    = text | item { "," item }             items behind IN and NI
 *
 * Blanks around property, value and items do not count; blank clauses and items are skipped. Separators are found before
 * escapes are decoded, so that an encoded one belongs to the value it stands in. Many clients encode the parameter as a
 * whole, its separators too; no raw caret is left then, and what decoding it once brings out is the query:
 *
 *     sent by      query=...                               clauses
 *     curl         A^INx,y%2Cz;B^EQ1+2%2B3                 A in ["x", "y,z"]; B equal to "1 2+3"
 *     a library    A%5EINx%2Cy%3BB%5EEQ1+2%2B3             A in ["x", "y"]; B equal to "1 2+3"
 *     both         A%5EINx%2Cy%252Cz%3BB%5EEQ100%25        A in ["x", "y,z"]; B equal to "100%"
 *
 * Names and types are looked at later, by {@link desugarClauses}.
 */
import { parseDate } from '../../kernel/calendar.ts'
import type { QueryLimits } from '../limits.ts'
import { type CaretOperator, type Clause, caretOperators, type Subject } from './clause.ts'
import { isNumber } from './literal-for.ts'
import { decodeEscapes, decodeForm, undecodablePart } from './percent-encoding.ts'
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
  for (const text of separable(raw, limits).split(';')) {
    if (decodeEscapes(text).trim() === '') continue
    if (clauses.length === limits.nodes) throw overLimit('nodes', limits)
    clauses.push(parseClause(text, limits))
  }
  return clauses
}

/**
 * The query with its separators bare and its escapes still to be decoded. `A^EQx%3By` stays as it is; of `A%5EEQx%253By`
 * the first layer is taken off. Refuses what the address cannot mean (`A^EQ100%`) and what is too long once decoded.
 */
function separable(raw: string, limits: QueryLimits): string {
  const decoded = decodeForm(raw)
  if (decoded === undefined) throw undecodableQuery(undecodablePart(raw))
  if (decoded.length > limits.parameterLength) throw overLimit('parameterLength', limits)
  return raw.includes('^') ? raw.replaceAll('+', ' ') : decoded
}

/** Accepts `Traveller ^eq Anna^Bob`, `Department^IN,Sales,`; refuses `Traveller`, `Traveller^=x`, `Department^IN,`. */
function parseClause(text: string, limits: QueryLimits): Clause {
  const caret = text.indexOf('^')
  if (caret === -1) throw missingOperator()
  const property = decodeEscapes(text.slice(0, caret)).trim()
  const pieces = text.slice(caret + 1).split(',')
  const [first = '', ...rest] = pieces.map(decodeEscapes)
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

/** Order is for numbers and dates; which of the two is decided once the type of the property is known. */
function parseValue(text: string, subject: Subject): string {
  const value = text.trim()
  if (value === '') throw missingValue(subject.property)
  if (orderOperators.has(subject.operator) && !isNumber(value) && parseDate(value) === undefined) {
    throw notNumericOrDate(subject, value)
  }
  return value
}
