/**
 * Parses a script: turns text into a tree, or reports the first problem (language reference, sections 2 and 3, and 11 for the
 * service dialect). The checker looks up the names later.
 */

import type { ScriptProblem } from '../script-problem.ts'
import type { Dialect, Script } from './ast.ts'
import { parseBlock, readOpenBlocks } from './blocks.ts'
import { skipFault } from './recovery.ts'
import { parseStatement } from './statements.ts'
import { fault, openTokenReader, problemOf, SyntaxFault, type TokenReader } from './token-reader.ts'
import type { Comment } from './tokens.ts'

export type ParsedScript =
  | { readonly script: Script; readonly comments: readonly Comment[]; readonly problems: readonly [] }
  | { readonly script: null; readonly problems: readonly ScriptProblem[] }

/** The problem is JM2000, or JM3200 for an assignment to something that cannot be assigned to. What is before `start` is skipped. */
export function parseScript(text: string, dialect: Dialect, start = 0): ParsedScript {
  const reader = openTokenReader(text, dialect, false, start)
  try {
    const script = parseProgram(reader)
    return { script, comments: reader.comments, problems: [] }
  } catch (thrown) {
    if (thrown instanceof SyntaxFault) return { script: null, problems: [problemOf(thrown, text)] }
    throw thrown
  }
}

/**
 * All problems of a script that cannot be parsed: after each the parser goes on with the next statement. The first is the
 * problem that `parseScript` reports. What probably follows from a problem before, such as an `end` too many, is left out.
 */
export function syntaxProblems(text: string, dialect: Dialect): readonly ScriptProblem[] {
  const reader = openTokenReader(text, dialect, true)
  for (;;) {
    parseBlock(reader, parseStatement)
    if (reader.token.kind === 'end') break
    // A block ends here at a word that belongs to nothing before it.
    const open = skipFault(reader, belongsToNothing(reader), reader.index)
    readOpenBlocks(reader, parseStatement, open)
  }
  return (reader.faults ?? []).map((found) => problemOf(found, text))
}

const belongsToNothing = ({ token: { text, span } }: TokenReader) =>
  fault(`Expected a statement, found '${text}', which belongs to nothing before it`, span.start)

function parseProgram(reader: TokenReader): Script {
  const body = parseBlock(reader, parseStatement)
  if (reader.token.kind !== 'end') throw belongsToNothing(reader)
  return { body, span: { start: 0, end: reader.text.length } }
}
