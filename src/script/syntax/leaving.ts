/**
 * `return`, `exit` and `fail`, the statements where a line end matters (language reference, 2.1):
 *
 *     return = "return" [expr]          likewise "exit" and "fail"
 *
 * The value begins on the line of the keyword, after spaces and tabs only, and may continue on further lines. Without a value
 * the rest of that line is empty or a comment. In the service dialect a word that ends the block may follow as well (11.2);
 * the strict dialect would read it as a value and fail: `if x then return end`.
 */
import type { LeavingStatement } from './ast.ts'
import { atCloser, atElif } from './blocks.ts'
import { isLineEnd } from './characters.ts'
import { parseExpression } from './expressions.ts'
import { advance, fault, spanFrom, type TokenReader } from './token-reader.ts'

export function parseLeaving(reader: TokenReader, inBranch: boolean): LeavingStatement {
  const { text, span } = advance(reader)
  const kind = text === 'return' || text === 'exit' ? text : 'fail'
  const value = isBare(reader, kind, inBranch) ? null : parseExpression(reader)
  return { kind, value, span: spanFrom(reader, span.start) }
}

function isBare(reader: TokenReader, keyword: string, inBranch: boolean): boolean {
  if (!followsOnLine(reader, keyword)) return true
  if (reader.dialect === 'service') return atCloser(reader) || (inBranch && atElif(reader))
  if (!atCloser(reader)) return false
  const { text, span } = reader.token
  const advice = `write '${text}' on the next line, or a value before it`
  throw fault(`'${text}' cannot follow '${keyword}' on the same line; ${advice}`, span.start)
}

/** Whether the next token is on the line of the keyword just read. */
export function followsOnLine(reader: TokenReader, keyword: string): boolean {
  const { text, end, token } = reader
  let at = end
  while (text[at] === ' ' || text[at] === '\t') at++
  if (at === token.span.start) return token.kind !== 'end'
  if (text[at] === '#' || isLineEnd(text.charCodeAt(at))) return false
  throw fault(`Only spaces and tabs may separate '${keyword}' from what follows on its line`, at)
}
