/**
 * Statements (language reference, 3.1), tried in this order:
 *
 *     statement  = funcDef | unionDef | varDecl | if | while | for | foreach | switch | matchStmt
 *                | return | exit | fail | break | continue | delete | assignment | exprStmt
 *     while      = "while" expr "do" block "end"
 *     for        = "for" IDENT "in" expr ("to" | "downto") expr ["by" expr] "do" block "end"
 *     foreach    = "foreach" IDENT "in" expr "do" block "end"
 *     return     = "return" [expr]          likewise exit and fail, see leaving.ts
 *     delete     = "delete" expr            that begins on the same line
 *     assignment = target ("=" | "+=" | "-=" | "*=" | "/=" | "%=") expr
 *
 * Nothing separates statements: one ends where it cannot continue. Those with several branches are in branches.ts,
 * declarations in declarations.ts. The checker finds out whether a statement is allowed in its place.
 */
import type {
  AssignmentOperator,
  Block,
  DeleteStatement,
  Expression,
  ForEachStatement,
  ForStatement,
  LoopJump,
  Statement,
  Target,
  WhileStatement,
} from './ast.ts'
import { expectEnd, parseBlock, type StatementParser } from './blocks.ts'
import { parseIf, parseMatch, parseSwitch } from './branches.ts'
import { parseFunction, parseUnion, parseVariable } from './declarations.ts'
import { parseExpression } from './expressions.ts'
import { atImport, parseImport } from './imports.ts'
import { followsOnLine, parseLeaving } from './leaving.ts'
import {
  advance,
  advanceEquals,
  atKeyword,
  descend,
  expectIdentifier,
  expectKeyword,
  fault,
  grow,
  spanFrom,
  type TokenReader,
  takeKeyword,
  unexpected,
} from './token-reader.ts'
import type { Token } from './tokens.ts'

/** Parsers by the keyword that begins the statement, which is the next token. */
const byKeyword: ReadonlyMap<string, StatementParser> = new Map<string, StatementParser>([
  ['func', (reader) => parseFunction(reader, parseStatement)],
  ['union', parseUnion],
  ['var', parseVariable],
  ['if', (reader) => parseIf(reader, parseStatement)],
  ['while', parseWhile],
  ['for', parseFor],
  ['foreach', parseForEach],
  ['switch', (reader) => parseSwitch(reader, parseStatement)],
  ['match', (reader) => parseMatch(reader, parseStatement)],
  ['return', parseLeaving],
  ['exit', parseLeaving],
  ['fail', parseLeaving],
  ['break', parseJump],
  ['continue', parseJump],
  ['delete', parseDelete],
])

/** @throws SyntaxFault */
export function parseStatement(reader: TokenReader, inBranch: boolean): Statement {
  descend(reader)
  const heightBefore = reader.height
  reader.height = 0
  const { kind, text } = reader.token
  const parse = kind === 'keyword' ? byKeyword.get(text) : undefined
  const statement = parse === undefined ? parseAssignmentOrExpression(reader) : parse(reader, inBranch)
  grow(reader)
  reader.height = Math.max(heightBefore, reader.height)
  reader.depth--
  return statement
}

const assignmentOperators: ReadonlySet<string> = new Set(['=', '+=', '-=', '*=', '/=', '%='])

/** Accepts `a.b = 1`, `(a.b) += 1`, `f(x)`; refuses `5 = x`, `f() = 1`, `a = b = c`. */
function parseAssignmentOrExpression(reader: TokenReader): Statement {
  if (atImport(reader)) return parseImport(reader)
  const { start } = reader.token.span
  if (!beginsExpression(reader.token)) throw unexpected(reader, 'a statement')
  const target = parseExpression(reader)
  const { kind, text } = reader.token
  if (kind !== 'symbol' || !assignmentOperators.has(text)) {
    return { kind: 'expression', expression: target, span: spanFrom(reader, start) }
  }
  if (!isTarget(target)) {
    const message = `Only a variable, a property or an element can stand before '${text}'`
    throw fault(message, start, 'JM3200')
  }
  if (text === '=') advanceEquals(reader)
  else advance(reader)
  const value = parseExpression(reader)
  return {
    kind: 'assign',
    target,
    operator: text as AssignmentOperator,
    value,
    span: spanFrom(reader, start),
  }
}

const isTarget = (expression: Expression): expression is Target =>
  expression.kind === 'identifier' || expression.kind === 'property' || expression.kind === 'index'

/** Keywords and symbols that begin an expression. Other tokens begin one, end the text, or carry a problem. */
const beginnings: ReadonlySet<string> = new Set([
  ...['null', 'true', 'false', 'not', 'match'],
  ...['(', '[', '{', '-', '+', '++', '--'],
])

const beginsExpression = ({ kind, text }: Token): boolean =>
  kind === 'keyword' || kind === 'symbol' ? beginnings.has(text) : kind !== 'end'

function parseWhile(reader: TokenReader): WhileStatement {
  const open = advance(reader)
  const condition = parseExpression(reader)
  const body = parseLoopBody(reader, open, "'do' after the condition of 'while'")
  return { kind: 'while', condition, body, span: spanFrom(reader, open.span.start) }
}

function parseFor(reader: TokenReader): ForStatement {
  const open = advance(reader)
  const variable = expectIdentifier(reader, "the name of a variable after 'for'")
  expectKeyword(reader, 'in', "'in' after the variable of 'for'")
  const from = parseExpression(reader)
  const direction = parseDirection(reader)
  const to = parseExpression(reader)
  const step = takeKeyword(reader, 'by') ? parseExpression(reader) : null
  const body = parseLoopBody(
    reader,
    open,
    step === null ? "'by' or 'do' after the bounds" : "'do' after the step",
  )
  return { kind: 'for', variable, from, to, direction, step, body, span: spanFrom(reader, open.span.start) }
}

function parseDirection(reader: TokenReader): 'to' | 'downto' {
  if (takeKeyword(reader, 'to')) return 'to'
  if (takeKeyword(reader, 'downto')) return 'downto'
  const advice = atKeyword(reader, 'do') ? "to go through a collection, write 'foreach'" : undefined
  throw unexpected(reader, "'to' or 'downto' after the first bound", advice)
}

function parseForEach(reader: TokenReader): ForEachStatement {
  const open = advance(reader)
  const variable = expectIdentifier(reader, "the name of a variable after 'foreach'")
  expectKeyword(reader, 'in', "'in' after the variable of 'foreach'")
  const collection = parseExpression(reader)
  const body = parseLoopBody(reader, open, "'do' after the collection")
  return { kind: 'foreach', variable, collection, body, span: spanFrom(reader, open.span.start) }
}

function parseLoopBody(reader: TokenReader, open: Token, expected: string): Block {
  expectKeyword(reader, 'do', expected)
  const body = parseBlock(reader, parseStatement)
  expectEnd(reader, open)
  return body
}

function parseJump(reader: TokenReader): LoopJump {
  const { text, span } = advance(reader)
  return { kind: text === 'break' ? 'break' : 'continue', span }
}

function parseDelete(reader: TokenReader): DeleteStatement {
  const { start } = advance(reader).span
  if (!followsOnLine(reader, 'delete')) {
    throw fault("The target of 'delete' must be on the same line", start)
  }
  const target = parseExpression(reader)
  return { kind: 'delete', target, span: spanFrom(reader, start) }
}
