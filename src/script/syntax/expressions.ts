/**
 * Expressions, loosest operators first (language reference, 3.1 and 3.2):
 *
 *     expr           = coalesce ["?" expr ":" expr]
 *     coalesce       = or ["??" coalesce]
 *     or             = and {"or" and}
 *     and            = not {"and" not}
 *     not            = "not" not | typeCheck
 *     typeCheck      = equality ["is" ["not"] type]
 *     equality       = relational {("==" | "!=") relational}
 *     relational     = additive {("<=" | ">=" | "<" | ">") additive}
 *     additive       = multiplicative {("+" | "-") multiplicative}
 *     multiplicative = unary {("*" | "/" | "%") unary}
 *     unary          = ("++" | "--") postfix | "-" unary | postfix
 *
 * One function reads all these rules by the levels of the operators, so that a level of nesting takes few frames of the stack.
 * Line ends mean nothing here: an expression is as long as it can be. Postfix forms are in postfix.ts.
 */
import type { BinaryOperator, Expression } from './ast.ts'
import { parsePostfix } from './postfix.ts'
import {
  advance,
  descend,
  expectSymbol,
  expectType,
  grow,
  spanFrom,
  type TokenReader,
  takeKeyword,
} from './token-reader.ts'

const CONDITIONAL = 1
const COALESCE = 2
const NOT = 5
const TYPE_TEST = 6
const UNARY = 11

/** The levels of the operators that may follow an operand. Unary operators and postfix forms are tighter. */
const levels: ReadonlyMap<string, number> = new Map([
  ['?', CONDITIONAL],
  ['??', COALESCE],
  ['or', 3],
  ['and', 4],
  ['is', TYPE_TEST],
  ['==', 7],
  ['!=', 7],
  ['<', 8],
  ['<=', 8],
  ['>', 8],
  ['>=', 8],
  ['+', 9],
  ['-', 9],
  ['*', 10],
  ['/', 10],
  ['%', 10],
])

/** Reads operators of the given level and of tighter ones. @throws SyntaxFault */
export function parseExpression(reader: TokenReader, loosest: number = CONDITIONAL): Expression {
  descend(reader)
  const heightBefore = reader.height
  reader.height = 1
  const { start } = reader.token.span
  const negated = loosest <= NOT && takeKeyword(reader, 'not')
  let expression = negated ? parseNegated(reader, start) : parseUnary(reader, start)
  // The operand of a tighter operator cannot be built by a looser one, `not` and `is` included.
  let tightest = negated ? NOT : UNARY
  for (;;) {
    const { token } = reader
    if (token.kind !== 'symbol' && token.kind !== 'keyword') break
    const level = levels.get(token.text)
    if (level === undefined || level < loosest || level > tightest) break
    advance(reader)
    expression = extend(reader, expression, token.text, level, start)
    grow(reader)
    tightest = level === CONDITIONAL || level === TYPE_TEST ? level - 1 : level
  }
  reader.height = Math.max(heightBefore, reader.height)
  reader.depth--
  return expression
}

function parseNegated(reader: TokenReader, start: number): Expression {
  const operand = parseExpression(reader, NOT)
  grow(reader)
  return { kind: 'unary', operator: 'not', operand, span: spanFrom(reader, start) }
}

/** Accepts `- -x`, `++a.b`; refuses `++-x`. */
function parseUnary(reader: TokenReader, start: number): Expression {
  const { kind, text } = reader.token
  if (kind !== 'symbol') return parsePostfix(reader, parseExpression)
  if (text === '-') {
    advance(reader)
    const operand = parseExpression(reader, UNARY)
    grow(reader)
    return { kind: 'unary', operator: '-', operand, span: spanFrom(reader, start) }
  }
  if (text === '++' || text === '--') {
    advance(reader)
    const target = parsePostfix(reader, parseExpression)
    grow(reader)
    return { kind: 'update', operator: text, prefix: true, target, span: spanFrom(reader, start) }
  }
  return parsePostfix(reader, parseExpression)
}

/** The operator is consumed; the expression read before it is its left operand. */
function extend(
  reader: TokenReader,
  left: Expression,
  operator: string,
  level: number,
  start: number,
): Expression {
  if (level === CONDITIONAL) {
    const whenTrue = parseExpression(reader)
    expectSymbol(reader, ':', "':' and the value to use when the condition does not hold")
    const whenFalse = parseExpression(reader)
    const span = spanFrom(reader, start)
    return { kind: 'conditional', condition: left, whenTrue, whenFalse, span }
  }
  if (level === TYPE_TEST) {
    const negated = takeKeyword(reader, 'not')
    const type = expectType(reader, negated ? "after 'is not'" : "after 'is'")
    return { kind: 'is', operand: left, negated, type, span: spanFrom(reader, start) }
  }
  const right = parseExpression(reader, level === COALESCE ? COALESCE : level + 1)
  return { kind: 'binary', operator: operator as BinaryOperator, left, right, span: spanFrom(reader, start) }
}
