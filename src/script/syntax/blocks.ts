/**
 * Blocks, and the soft keyword `elif` of the service dialect, which ends a block (language reference, 11.2). At the start of a
 * statement directly in the body of a branch, `elif expr then` begins the next branch. In all other places, and without a
 * `then`, `elif` is an identifier.
 */
import type { Block, Statement } from './ast.ts'
import { parseExpression } from './expressions.ts'
import { skipBranchHead, skipFault } from './recovery.ts'
import { advance, atKeyword, SyntaxFault, type TokenReader, takeKeyword, unexpected } from './token-reader.ts'
import { ELIF, type Token } from './tokens.ts'

/** `inBranch`: directly in the body of `if`, `elseif` or `elif`. */
export type StatementParser = (reader: TokenReader, inBranch: boolean) => Statement

/** None of these can begin a statement, so each ends any block; the caller checks whether it belongs to that block. */
const closers: ReadonlySet<string> = new Set(['end', 'else', 'elseif', 'case', 'default'])

export const atCloser = ({ token }: TokenReader): boolean =>
  token.kind === 'keyword' && closers.has(token.text)

export function parseBlock(reader: TokenReader, parseStatement: StatementParser, inBranch = false): Block {
  const { start } = reader.token.span
  const statements: Statement[] = []
  while (reader.token.kind !== 'end' && !atCloser(reader) && !(inBranch && atElif(reader))) {
    if (reader.faults === null) statements.push(parseStatement(reader, inBranch))
    else statements.push(...parseOrSkip(reader, parseStatement, inBranch))
  }
  return { statements, span: { start, end: statements.length > 0 ? reader.end : start } }
}

/** Parses a statement. If it is faulty, goes on behind it, and reads the blocks that it had opened up to their ends. */
function parseOrSkip(
  reader: TokenReader,
  parseStatement: StatementParser,
  inBranch: boolean,
): readonly Statement[] {
  const { index, depth, height } = reader
  try {
    return [parseStatement(reader, inBranch)]
  } catch (thrown) {
    if (!(thrown instanceof SyntaxFault)) throw thrown
    Object.assign(reader, { depth, height })
    readOpenBlocks(reader, parseStatement, skipFault(reader, thrown, index))
    return []
  }
}

/** Reads up to the ends of blocks whose beginnings are behind. */
export function readOpenBlocks(reader: TokenReader, parseStatement: StatementParser, open: number): void {
  for (let left = open; left > 0; ) {
    parseBlock(reader, parseStatement, true)
    if (takeKeyword(reader, 'end')) left--
    else if (reader.token.kind === 'end') return
    else skipBranchHead(reader)
  }
}

/** `open` is the keyword that this `end` closes. */
export function expectEnd(
  reader: TokenReader,
  open: Token,
  expected = "a statement or 'end'",
  advice?: string,
): void {
  if (!takeKeyword(reader, 'end')) throw unexpected(reader, expected, advice, open)
}

/** Whether `elif expr then` comes next. Reads ahead, and goes back. */
export function atElif(reader: TokenReader): boolean {
  const { token, index, end, depth, height } = reader
  if (reader.dialect === 'strict' || token.kind !== 'identifier' || token.text !== ELIF) return false
  try {
    advance(reader)
    parseExpression(reader)
    return atKeyword(reader, 'then')
  } catch (fault) {
    if (fault instanceof SyntaxFault) return false
    throw fault
  } finally {
    Object.assign(reader, { token, index, end, depth, height })
  }
}
