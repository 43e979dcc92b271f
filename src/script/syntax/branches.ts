/**
 * Statements with several branches (language reference, 3.1):
 *
 *     if        = "if" expr "then" block {"elseif" expr "then" block} ["else" block] "end"
 *     switch    = "switch" expr "do" {"case" expr {"," expr} "then" block} ["default" "then" block] "end"
 *     matchStmt = "match" expr "do" arm {arm} "end"
 *     arm       = "case" IDENT ["(" [IDENT {"," IDENT}] ")"] "then" block
 *
 * In the service dialect `elif` means `elseif`. `else if` opens an inner statement, which needs its own `end`.
 */
import { branchKeyword } from './advice.ts'
import type { Block, Expression, IfStatement, MatchStatement, SwitchStatement } from './ast.ts'
import { expectEnd, parseBlock, type StatementParser } from './blocks.ts'
import { parseExpression } from './expressions.ts'
import { adviceForArms, parseNames } from './primaries.ts'
import {
  advance,
  atKeyword,
  atSymbol,
  expectIdentifier,
  expectKeyword,
  spanFrom,
  type TokenReader,
  takeKeyword,
  takeSymbol,
  unexpected,
} from './token-reader.ts'
import type { Token } from './tokens.ts'

export function parseIf(reader: TokenReader, parseStatement: StatementParser): IfStatement {
  const open = reader.token
  const branches = [parseBranch(reader, parseStatement)]
  // A body ends before an identifier only if that is an `elif` which begins a branch.
  while (atKeyword(reader, 'elseif') || reader.token.kind === 'identifier') {
    branches.push(parseBranch(reader, parseStatement))
  }
  const otherwise = takeKeyword(reader, 'else') ? parseBlock(reader, parseStatement) : null
  const keyword = branchKeyword(reader.dialect)
  if (otherwise === null) expectEnd(reader, open, `a statement, '${keyword}', 'else' or 'end'`)
  else expectEnd(reader, open, undefined, adviceForElse(otherwise, keyword))
  return { kind: 'if', branches, otherwise, span: spanFrom(reader, open.span.start) }
}

/** An `if` right after `else` was probably meant as a further branch. */
const adviceForElse = ({ statements: [first] }: Block, keyword: string): string | undefined =>
  first?.kind === 'if'
    ? `an 'if' after 'else' needs an 'end' of its own; write '${keyword}' for a further branch`
    : undefined

function parseBranch(reader: TokenReader, parseStatement: StatementParser): IfStatement['branches'][number] {
  const { text, span } = advance(reader)
  const condition = parseExpression(reader)
  expectKeyword(reader, 'then', `'then' after the condition of '${text}'`)
  const body = parseBlock(reader, parseStatement, true)
  return { condition, body, span: spanFrom(reader, span.start) }
}

export function parseSwitch(reader: TokenReader, parseStatement: StatementParser): SwitchStatement {
  const open = advance(reader)
  const subject = parseExpression(reader)
  expectKeyword(reader, 'do', "'do' after the value of 'switch'")
  const arms: SwitchStatement['arms'][number][] = []
  while (atKeyword(reader, 'case')) arms.push(parseCase(reader, parseStatement))
  const otherwise = takeKeyword(reader, 'default') ? parseDefault(reader, parseStatement) : null
  expectEnd(reader, open, otherwise === null ? "'case', 'default' or 'end'" : undefined)
  return { kind: 'switch', subject, arms, otherwise, span: spanFrom(reader, open.span.start) }
}

function parseCase(reader: TokenReader, parseStatement: StatementParser): SwitchStatement['arms'][number] {
  const { start } = advance(reader).span
  const values: Expression[] = []
  do {
    values.push(parseExpression(reader))
  } while (takeSymbol(reader, ','))
  expectKeyword(reader, 'then', "',' or 'then' after a value of 'case'")
  const body = parseBlock(reader, parseStatement)
  return { values, body, span: spanFrom(reader, start) }
}

function parseDefault(reader: TokenReader, parseStatement: StatementParser) {
  expectKeyword(reader, 'then', "'then' after 'default'")
  return parseBlock(reader, parseStatement)
}

export function parseMatch(reader: TokenReader, parseStatement: StatementParser): MatchStatement {
  const open = advance(reader)
  const subject = parseExpression(reader)
  expectKeyword(reader, 'do', "'do' after the value of 'match'")
  if (!atKeyword(reader, 'case')) throw unexpectedArm(reader, open)
  const arms: MatchStatement['arms'][number][] = []
  while (atKeyword(reader, 'case')) arms.push(parseArm(reader, parseStatement))
  if (!takeKeyword(reader, 'end')) throw unexpectedArm(reader, open)
  return { kind: 'match', subject, arms, span: spanFrom(reader, open.span.start) }
}

function parseArm(reader: TokenReader, parseStatement: StatementParser): MatchStatement['arms'][number] {
  const { start } = advance(reader).span
  const variant = expectIdentifier(reader, "the name of a variant after 'case'")
  const bindings = atSymbol(reader, '(') ? parseNames(reader) : []
  expectKeyword(reader, 'then', "'then' after the variant")
  const body = parseBlock(reader, parseStatement)
  return { variant, bindings, body, span: spanFrom(reader, start) }
}

const unexpectedArm = (reader: TokenReader, open: Token) =>
  unexpected(reader, "'case' or 'end'", adviceForArms(reader), open)
