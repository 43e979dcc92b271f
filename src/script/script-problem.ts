/**
 * What can be wrong with a script, found before it runs or while it runs. Codes are those of the language, by stage: 2 parsing,
 * 3 checking, 4 linking, 5 running; JM5910 and above are ours. Wording is not part of the language.
 */

export type ScriptProblemCode = `JM${number}`

export type ScriptProblem = {
  readonly code: ScriptProblemCode
  readonly message: string
  /** UTF-16 offset into the script; null where the problem has no place. */
  readonly at: number | null
}

/** One-based; a tab is one column. CR LF and a single CR are line ends like LF. */
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

/** In a script, or in another text. */
type TextProblem = Pick<ScriptProblem, 'message' | 'at'> & { readonly code: string }

/** A problem as compilers print it: place, code and message, the line, and a caret under the column. Ends with a line feed. */
export function problemText(file: string, text: string, { code, message: told, at }: TextProblem): string {
  const message = printable(told)
  if (at === null) return `${file}: ${code} ${message}\n`
  const { line, column } = placeAt(text, at)
  const source = lineAt(text, at)
  // Tabs stay tabs, so that the caret stands under its column however wide they are.
  const indent = source.slice(0, column - 1).replace(/[^\t]/g, ' ')
  return `${file}:${line}:${column}: ${code} ${message}\n${source.replace(CONTROL, ' ')}\n${indent}^\n`
}

function lineAt(text: string, at: number): string {
  const begin = Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1
  const [line = ''] = text.slice(begin, begin + MOST_UNITS).split(/[\r\n]/, 1)
  return line
}

/** Of a line that is shown. */
const MOST_UNITS = 1000

/** On one line, and nothing that a terminal would obey: messages may be a script's own. */
export const printable = (message: string): string =>
  message.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** What a terminal might obey rather than show. */
const CONTROL = /(?!\t)[\p{Cc}\u2028\u2029]/gu
