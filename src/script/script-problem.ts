/**
 * Problems of a script, found before or while it runs. The codes are those of the language, by stage: 2 parsing, 3 checking,
 * 4 linking, 5 running; JM5910 and above are additions of this service. The wording is not part of the language.
 */

export type ScriptProblemCode = `JM${number}`

export type ScriptProblem = {
  readonly code: ScriptProblemCode
  readonly message: string
  /** UTF-16 offset into the script; null for a problem without a place. Problems of runs are at the statement. */
  readonly at: number | null
  /** For a problem of a run: the offset of the expression in the statement, if one is to blame. */
  readonly expressionAt?: number
}

/** The most exact place that is known. */
export const pointOf = ({ at, expressionAt }: Pick<ScriptProblem, 'at' | 'expressionAt'>): number | null =>
  expressionAt ?? at

/** Line and column, from 1; a tab is one column. CR LF and a single CR end lines as LF does. */
export type Place = { readonly line: number; readonly column: number }

export function placeAt(text: string, offset: number): Place {
  let line = 1
  let lineStart = 0
  for (let i = 0; i < offset; i++) {
    const unit = text.charCodeAt(i)
    if (unit !== 0x0a && unit !== 0x0d) continue
    if (unit === 0x0d && text.charCodeAt(i + 1) === 0x0a) i++
    if (i >= offset) break
    line++
    lineStart = i + 1
  }
  return { line, column: offset - lineStart + 1 }
}

/** A problem in a script or in another text. */
type TextProblem = Pick<ScriptProblem, 'message' | 'at' | 'expressionAt'> & { readonly code: string }

/** Prints a problem as compilers do: place, code and message, the line, and a caret under the column. Ends with a line feed. */
export function problemText(file: string, text: string, problem: TextProblem): string {
  const { code } = problem
  const message = printable(problem.message)
  const at = pointOf(problem)
  if (at === null) return `${file}: ${code} ${message}\n`
  const { line, column } = placeAt(text, at)
  const source = lineAt(text, at)
  // Tabs stay tabs, so that the caret is under its column whatever their width.
  const indent = source.slice(0, column - 1).replace(/[^\t]/g, ' ')
  return `${file}:${line}:${column}: ${code} ${message}\n${source.replace(CONTROL, ' ')}\n${indent}^\n`
}

function lineAt(text: string, at: number): string {
  const begin = Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1
  const [line = ''] = text.slice(begin, begin + MOST_UNITS).split(/[\r\n]/, 1)
  return line
}

/** The longest line that is shown whole. */
const MOST_UNITS = 1000

/** Puts a message on one line without control characters: the text may come from a script. */
export const printable = (message: string): string =>
  message.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Characters that a terminal may act on instead of showing them. */
const CONTROL = /(?!\t)[\p{Cc}\u2028\u2029]/gu
