/**
 * Operands (language reference, 3.1 and 3.3):
 *
 *     primary   = lambda | "null" | "true" | "false" | NUMBER | STRING | array | object | matchExpr | "(" expr ")" | IDENT
 *     array     = "[" [expr {"," expr}] "]"
 *     object    = "{" [(NAME | STRING) ":" expr {"," (NAME | STRING) ":" expr}] "}"
 *     lambda    = (IDENT | "(" [IDENT {"," IDENT}] ")") "=>" expr
 *     matchExpr = "match" expr "do" arm {arm} "end"
 *     arm       = "case" NAME ["(" [IDENT {"," IDENT}] ")"] "then" expr
 */
import type { Expression, LambdaExpression, MatchExpression, Name, ObjectLiteral } from './ast.ts'
import { shortened } from './literals.ts'
import {
  advance,
  atKeyword,
  atSymbol,
  expectIdentifier,
  expectKeyword,
  expectName,
  expectSymbol,
  grow,
  peek,
  spanFrom,
  type TokenReader,
  takeKeyword,
  takeSymbol,
  unexpected,
} from './token-reader.ts'
import { numberWords, type Token } from './tokens.ts'

/** The parser of expressions.ts, passed as an argument, because operands contain whole expressions. */
export type ExpressionParser = (reader: TokenReader) => Expression

export function parsePrimary(reader: TokenReader, parseExpression: ExpressionParser): Expression {
  const { token } = reader
  switch (token.kind) {
    case 'identifier':
      return isArrow(peek(reader)) ? parseLambda(reader, parseExpression) : parseIdentifier(reader)
    case 'number':
    case 'string':
      advance(reader)
      return { kind: 'literal', value: token.value, span: token.span }
    case 'keyword':
      return parseKeyword(reader, parseExpression)
    case 'symbol':
      return parseSymbol(reader, parseExpression)
    case 'end':
    case 'invalid':
      throw unexpected(reader, 'an expression')
  }
}

function parseIdentifier(reader: TokenReader): Expression {
  const { text, span } = advance(reader)
  // `Infinity` is the longest of these words.
  const value = text.length <= 8 ? numberWords.get(text.toLowerCase()) : undefined
  return value === undefined ? { kind: 'identifier', name: text, span } : { kind: 'literal', value, span }
}

const constants: ReadonlyMap<string, null | boolean> = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
])

function parseKeyword(reader: TokenReader, parseExpression: ExpressionParser): Expression {
  const { text, span } = reader.token
  if (text === 'match') return parseMatchExpression(reader, parseExpression)
  const value = constants.get(text)
  if (value === undefined) throw unexpected(reader, 'an expression')
  advance(reader)
  return { kind: 'literal', value, span }
}

function parseSymbol(reader: TokenReader, parseExpression: ExpressionParser): Expression {
  const { text, span } = reader.token
  if (text === '(') {
    if (beginsLambda(reader)) return parseLambda(reader, parseExpression)
    advance(reader)
    const inner = parseExpression(reader)
    expectSymbol(reader, ')', "')'")
    return inner
  }
  if (text === '[') {
    advance(reader)
    const elements = atSymbol(reader, ']') ? [] : parseList(reader, parseExpression)
    expectSymbol(reader, ']', "',' or ']' after an element")
    if (elements.length > 0) grow(reader)
    return { kind: 'array', elements, span: spanFrom(reader, span.start) }
  }
  if (text === '{') return parseObject(reader, parseExpression)
  const after = peek(reader)
  if (text === '+' && after.kind === 'number' && after.span.start === span.end && isDecimal(after)) {
    advance(reader)
    advance(reader)
    return { kind: 'literal', value: after.value, span: spanFrom(reader, span.start) }
  }
  throw unexpected(reader, 'an expression')
}

/** `+0x1F` is not a number: a plus sign belongs to decimal numbers only. */
const isDecimal = ({ text }: Token): boolean => !text.startsWith('0x') && !text.startsWith('0b')

function parseList<T>(reader: TokenReader, parseItem: (reader: TokenReader) => T): readonly T[] {
  const items: T[] = []
  do {
    items.push(parseItem(reader))
  } while (takeSymbol(reader, ','))
  return items
}

/** Accepts `{}`, `{end: 1, "a b": 2}`; refuses `{1: 2}`, `{[k]: 2}`, `{a}`, `{a: 1,}`. */
function parseObject(reader: TokenReader, parseExpression: ExpressionParser): ObjectLiteral {
  const { start } = advance(reader).span
  const members = atSymbol(reader, '}')
    ? []
    : parseList(reader, () => {
        const key = parseKey(reader)
        expectSymbol(reader, ':', `':' and a value after the key '${shortened(key.text)}'`)
        const value = parseExpression(reader)
        return { key, value, span: spanFrom(reader, key.span.start) }
      })
  expectSymbol(reader, '}', "',' or '}' after a value")
  if (members.length > 0) grow(reader)
  return { kind: 'object', members, span: spanFrom(reader, start) }
}

function parseKey(reader: TokenReader): Name {
  const { token } = reader
  if (token.kind !== 'string') return expectName(reader, 'a key: a name or a string')
  advance(reader)
  return { text: token.value, span: token.span }
}

const isArrow = ({ kind, text }: Token): boolean => kind === 'symbol' && text === '=>'

/** Looks past the names in parentheses for the arrow; if anything else comes first, this is not a lambda. */
function beginsLambda(reader: TokenReader): boolean {
  let distance = 1
  if (peek(reader, distance).kind === 'identifier') {
    while (peek(reader, distance).kind === 'identifier' && peek(reader, distance + 1).text === ',')
      distance += 2
    if (peek(reader, distance).kind !== 'identifier') return false
    distance++
  }
  return peek(reader, distance).text === ')' && isArrow(peek(reader, distance + 1))
}

/** Accepts `x => x + 1`, `() => 0`, `(a, b) => a`. The body takes as much as it can. */
function parseLambda(reader: TokenReader, parseExpression: ExpressionParser): LambdaExpression {
  const { start } = reader.token.span
  const parameters = atSymbol(reader, '(') ? parseNames(reader) : [parseParameter(reader)]
  expectSymbol(reader, '=>', "'=>'")
  const body = parseExpression(reader)
  grow(reader)
  return { kind: 'lambda', parameters, body, span: spanFrom(reader, start) }
}

const parseParameter = (reader: TokenReader): Name => expectIdentifier(reader, 'the name of a parameter')

/** Names in parentheses: parameters of a lambda, bindings of an arm. Accepts `()`. */
export function parseNames(reader: TokenReader): readonly Name[] {
  expectSymbol(reader, '(', "'('")
  if (takeSymbol(reader, ')')) return []
  const names = parseList(reader, (names) => expectIdentifier(names, 'a name'))
  expectSymbol(reader, ')', "',' or ')' after a name")
  return names
}

function parseMatchExpression(reader: TokenReader, parseExpression: ExpressionParser): MatchExpression {
  const open = advance(reader)
  const subject = parseExpression(reader)
  expectKeyword(reader, 'do', "'do' after the value to match")
  if (!atKeyword(reader, 'case')) throw unexpected(reader, "'case'", undefined, open)
  const arms: MatchExpression['arms'][number][] = []
  while (atKeyword(reader, 'case')) {
    const { start } = advance(reader).span
    const variant = expectName(reader, "the name of a variant after 'case'")
    const bindings = atSymbol(reader, '(') ? parseNames(reader) : []
    expectKeyword(reader, 'then', "'then' after the variant")
    const value = parseExpression(reader)
    arms.push({ variant, bindings, value, span: spanFrom(reader, start) })
  }
  if (!takeKeyword(reader, 'end')) throw unexpected(reader, "'case' or 'end'", adviceForArms(reader), open)
  grow(reader)
  return { kind: 'match-expression', subject, arms, span: spanFrom(reader, open.span.start) }
}

export const adviceForArms = (reader: TokenReader): string | undefined =>
  atKeyword(reader, 'default') ? "'match' has no default: every variant has its 'case'" : undefined
