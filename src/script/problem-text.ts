/** A problem of a script as compilers print them: place, code and message, the line, and a caret under the column. */
import { placeAt, type ScriptProblem } from './problem.ts'

/** In a script, or in another text. */
type TextProblem = Pick<ScriptProblem, 'message' | 'at'> & { readonly code: string }

/** Ends with a line feed. */
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
