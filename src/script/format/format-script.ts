/**
 * Prints a script in the standard format: one statement per line, two spaces per level, at most 100 columns where a line can
 * be broken, at most one empty line in a row, no needless parentheses. Comments stay as close to their place as lines allow.
 * The output parses to the same tree, and formatting it again does not change it.
 */

import type { ScriptProblem } from '../script-problem.ts'
import type { Dialect } from '../syntax/ast.ts'
import { parseScript } from '../syntax/parse-script.ts'
import { printDoc } from './doc.ts'
import { addClosingComments, openScript } from './lines.ts'
import { addStatements } from './print-statements.ts'
import { openSource } from './source.ts'

const WIDTH = 100

/** Returns the problems of a script that cannot be parsed. */
export function formatScript(text: string, dialect: Dialect): string | readonly ScriptProblem[] {
  const { script, problems } = parseScript(text, dialect)
  if (script === null) return problems
  const lines = openScript(openSource(text))
  addStatements(lines, script.body)
  addClosingComments(lines)
  return lines.docs.length === 0 ? '' : `${printDoc(lines.docs, WIDTH)}\n`
}
