/**
 * Prints a script the one way that scripts are to look: one statement per line, two spaces per level, at most 100 columns
 * where a line can be broken, one empty line where there were some, no parentheses that change nothing. Comments stay where
 * they stood, as near as lines allow. What it prints is read as the same tree, and printed again it stays the same.
 */

import type { ScriptProblem } from '../script-problem.ts'
import type { Dialect } from '../syntax/ast.ts'
import { parseScript } from '../syntax/parse-script.ts'
import { printDoc } from './doc.ts'
import { addClosingComments, openScript } from './lines.ts'
import { addStatements } from './print-statements.ts'
import { openSource } from './source.ts'

const WIDTH = 100

/** A script that cannot be parsed is not printed: its problems are answered instead. */
export function formatScript(text: string, dialect: Dialect): string | readonly ScriptProblem[] {
  const { script, problems } = parseScript(text, dialect)
  if (script === null) return problems
  const lines = openScript(openSource(text))
  addStatements(lines, script.body)
  addClosingComments(lines)
  return lines.docs.length === 0 ? '' : `${printDoc(lines.docs, WIDTH)}\n`
}
