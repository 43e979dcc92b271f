/**
 * Parses $filter into a syntax tree. Keywords are case-insensitive; additional blanks do not matter:
 *
 *     filter     = or
 *     or         = and { "or" and }
 *     and        = not { "and" not }
 *     not        = "not" not | condition
 *     condition  = "(" or ")" | match | quantifier | comparison
 *     match      = ("contains" | "startswith" | "endswith") "(" path "," text ")"
 *     quantifier = "any" "(" path ["," or] ")" | "all" "(" path "," or ")"
 *     comparison = path ("eq" | "ne" | "gt" | "ge" | "lt" | "le") literal | path ("in" | "nin") list
 *     list       = "(" [literal { "," literal }] ")"
 *
 * Paths are in parse-path.ts, literals in parse-literal.ts. Binding looks up the names.
 */
import { closest } from '../../kernel/closest.ts'
import type { ComparisonOperator, Expr, FieldPath, Literal, TextFunction } from '../ast.ts'
import type { QueryLimits } from '../limits.ts'
import {
  emptyValue,
  nestedQuantifier,
  overLimit,
  reservedWord,
  unknownFunction,
  unknownOperator,
} from '../problems.ts'
import {
  comparisonOperators,
  functionNames,
  operatorNames,
  quantifiers,
  reservedInFilter,
  textFunctions,
} from './keywords.ts'
import { adviceForFunction, adviceForLambda } from './other-forms.ts'
import { adviceForOperator } from './other-operators.ts'
import { parseLiteral } from './parse-literal.ts'
import { parsePath } from './parse-path.ts'
import {
  advance,
  atEnd,
  atSymbol,
  atWord,
  expectSymbol,
  here,
  openTokenReader,
  placeAt,
  type TokenReader,
  takeSymbol,
  unexpectedToken,
} from './token-reader.ts'

/** The tokens, and the counts that the limits apply to. */
type FilterReader = TokenReader & {
  readonly limits: QueryLimits
  nodes: number
  depth: number
  inQuantifier: boolean
}

/** @throws QueryProblem QRY1xx where the text does not match the grammar, QRY3xx where it exceeds a limit */
export function parseFilter(input: string, limits: QueryLimits): Expr {
  const tokens = openTokenReader('$filter', input)
  if (atEnd(tokens)) throw emptyValue(placeAt(tokens, 0), 'a condition')
  const reader: FilterReader = { ...tokens, limits, nodes: 0, depth: 0, inQuantifier: false }
  const filter = parseOr(reader)
  if (!atEnd(reader)) throw unexpectedAfterCondition(reader, 'the end of the value')
  return filter
}

/**
 * Parses a condition inside another parameter, up to and including the parenthesis that closes it.
 *
 * @param counted the nodes of the conditions before it in the same parameter, which share the limit
 */
export function parseFilterInParentheses(
  tokens: TokenReader,
  limits: QueryLimits,
  counted: { nodes: number },
): Expr {
  const reader: FilterReader = { ...tokens, limits, nodes: counted.nodes, depth: 0, inQuantifier: false }
  const filter = parseOr(reader)
  if (!takeSymbol(reader, ')')) throw unexpectedAfterCondition(reader, "')'")
  tokens.token = reader.token
  tokens.end = reader.end
  counted.nodes = reader.nodes
  return filter
}

const parseOr = (reader: FilterReader): Expr => parseJunction(reader, 'or', parseAnd)
const parseAnd = (reader: FilterReader): Expr => parseJunction(reader, 'and', parseNot)

/** Operands of one level become one node; parentheses keep their own node. */
function parseJunction(
  reader: FilterReader,
  kind: 'and' | 'or',
  parseOperand: (reader: FilterReader) => Expr,
): Expr {
  const { start } = reader.token.span
  const first = parseOperand(reader)
  if (!atWord(reader, kind)) return first
  countNode(reader)
  const operands = [first]
  while (atWord(reader, kind)) {
    advance(reader)
    operands.push(parseOperand(reader))
  }
  return { kind, operands, span: { start, end: reader.end } }
}

/** `not` applies to one condition: in `not a eq 1 and b eq 2` it negates only the first comparison. */
function parseNot(reader: FilterReader): Expr {
  if (!atWord(reader, 'not')) return parseCondition(reader)
  countNode(reader)
  return nested(reader, () => {
    const { start } = advance(reader).span
    const operand = parseNot(reader)
    return { kind: 'not', operand, span: { start, end: reader.end } }
  })
}

function parseCondition(reader: FilterReader): Expr {
  const { token } = reader
  if (atSymbol(reader, '(')) return parseGroup(reader)
  countNode(reader)
  if (token.kind !== 'word') return parseComparison(reader)
  const textFunction = textFunctions.get(token.lower)
  if (textFunction !== undefined) return parseMatch(reader, textFunction)
  const quantifier = quantifiers.get(token.lower)
  if (quantifier !== undefined) return parseQuantifier(reader, quantifier)
  return parseComparison(reader)
}

function parseGroup(reader: FilterReader): Expr {
  return nested(reader, () => {
    advance(reader)
    const inner = parseOr(reader)
    if (!takeSymbol(reader, ')')) throw unexpectedAfterCondition(reader, "')'")
    return inner
  })
}

/** Accepts `contains(originatingAgency, 'syd')`; refuses `contains('syd', originatingAgency)`, `contains(a, 5)`. */
function parseMatch(reader: FilterReader, name: TextFunction): Expr {
  const { start } = parseFunctionName(reader)
  const field = parsePath(reader, reservedInFilter)
  refuseCall(reader, field)
  expectSymbol(reader, ',', `',' and a text after the field of ${name}`)
  const { token } = reader
  if (token.kind !== 'text') throw unexpectedToken(reader, `a text in single quotes to look for with ${name}`)
  advance(reader)
  expectSymbol(reader, ')', `')' after the text of ${name}`)
  return { kind: 'match', function: name, field, text: token.text, span: { start, end: reader.end } }
}

/** Accepts `any(segments)`, `all(segments, status eq 'HK')`; refuses `all(segments)` and nested quantifiers. */
function parseQuantifier(reader: FilterReader, quantifier: 'any' | 'all'): Expr {
  if (reader.inQuantifier) throw nestedQuantifier(here(reader), quantifier)
  return nested(reader, () => {
    const { start } = parseFunctionName(reader)
    const collection = parsePath(reader, reservedInFilter)
    const condition = parseQuantifierCondition(reader, quantifier)
    return { kind: 'quantifier', quantifier, collection, condition, span: { start, end: reader.end } }
  })
}

function parseQuantifierCondition(reader: FilterReader, quantifier: 'any' | 'all'): Expr | null {
  if (quantifier === 'any' && takeSymbol(reader, ')')) return null
  const missing = quantifier === 'any' ? "',' and a condition, or ')'" : "',' and a condition"
  expectSymbol(reader, ',', `${missing} after the collection of ${quantifier}`)
  reader.inQuantifier = true
  const condition = parseOr(reader)
  reader.inQuantifier = false
  if (!takeSymbol(reader, ')')) throw unexpectedAfterCondition(reader, "')'")
  return condition
}

/** A reserved word that is not called is refused as the name it was probably meant to be. */
function parseFunctionName(reader: FilterReader): { readonly start: number } {
  const { text, span } = advance(reader)
  if (!takeSymbol(reader, '(')) throw reservedWord(placeAt(reader, span.start), text)
  return span
}

/** Accepts `bookingDate ge '2026-01-01'`; refuses `isTicketed`, `bookingDate = '2026-01-01'`, `tolower(a) eq 'x'`. */
function parseComparison(reader: FilterReader): Expr {
  const field = parsePath(reader, reservedInFilter)
  const { token } = reader
  const keyword = token.kind === 'word' ? token.lower : ''
  const operator = comparisonOperators.get(keyword)
  if (operator !== undefined) return parseComparand(reader, field, operator)
  if (keyword !== 'in' && keyword !== 'nin') throw unexpectedAfterField(reader, field)
  advance(reader)
  const items = parseList(reader, keyword)
  return {
    kind: 'in',
    negated: keyword === 'nin',
    field,
    items,
    span: { start: field.span.start, end: reader.end },
  }
}

function parseComparand(reader: FilterReader, field: FieldPath, operator: ComparisonOperator): Expr {
  advance(reader)
  const literal = parseLiteral(reader, `after ${operator}`)
  return { kind: 'compare', operator, field, literal, span: { start: field.span.start, end: reader.end } }
}

/** Accepts `()`, `('A', 1, null)`; refuses `('A',)`. */
function parseList(reader: FilterReader, operator: 'in' | 'nin'): readonly Literal[] {
  expectSymbol(reader, '(', `'(' after ${operator}`, "a list is written ('A', 'B')")
  if (takeSymbol(reader, ')')) return []
  const items: Literal[] = []
  do {
    if (items.length === reader.limits.listItems) throw overLimit(here(reader), 'listItems', reader.limits)
    items.push(parseLiteral(reader, `in the list of ${operator}`))
  } while (takeSymbol(reader, ','))
  expectSymbol(reader, ')', `',' or ')' in the list of ${operator}`)
  return items
}

function countNode(reader: FilterReader): void {
  if (++reader.nodes > reader.limits.filterNodes) throw overLimit(here(reader), 'filterNodes', reader.limits)
}

/** Keeps hostile input from exhausting the stack: every recursion of the parser passes through here. */
function nested(reader: FilterReader, parse: () => Expr): Expr {
  if (++reader.depth > reader.limits.filterDepth) throw overLimit(here(reader), 'filterDepth', reader.limits)
  const expr = parse()
  reader.depth--
  return expr
}

function unexpectedAfterCondition(reader: FilterReader, closing: string) {
  return unexpectedToken(reader, `'and', 'or' or ${closing}`, {
    keywords: ['and', 'or'],
    hint: adviceAfterCondition(reader),
  })
}

function adviceAfterCondition(reader: FilterReader): string | undefined {
  const { token, input, end } = reader
  if (token.kind === 'word' && operatorNames.includes(token.lower)) {
    return 'this condition is complete; only a field is followed by an operator'
  }
  const isThousands = /^\d,\d{3}/.test(input.slice(end - 1, end + 4))
  return isThousands ? 'write the number without separators of thousands' : undefined
}

/** Refuses `tolower(a) eq 'x'` and `contains(tolower(a), 'x')`. */
function refuseCall(reader: FilterReader, { names }: FieldPath): void {
  const [only] = names
  if (names.length !== 1 || only === undefined || only.quoted || !atSymbol(reader, '(')) return
  throw unknownFunction(placeAt(reader, only.span.start), only.name, functionNames, {
    nearest: closest(only.name, functionNames),
    advice: adviceForFunction(only.name),
  })
}

function unexpectedAfterField(reader: FilterReader, path: FieldPath) {
  refuseCall(reader, path)
  const { token, input } = reader
  const { start, end } = path.span
  const field = input.slice(start, end)
  if (token.kind === 'word' && textFunctions.has(token.lower)) {
    return unexpectedToken(reader, 'an operator', { hint: `write ${token.lower}(${field}, 'text')` })
  }
  if (token.kind === 'word' && (token.lower === 'not' || !reservedInFilter.has(token.lower))) {
    const advice = adviceForOperator(input.slice(token.span.start), field, input.slice(start))
    return unknownOperator(here(reader), token.text, operatorNames, advice)
  }
  const missing = token.kind === 'end' || token.kind === 'word' || atSymbol(reader, ')')
  const hint = missing
    ? 'a field alone is not a condition; write eq true if it is a boolean'
    : adviceForLambda(field, input.slice(token.span.start))
  return unexpectedToken(reader, 'an operator such as eq after the field', { hint })
}
