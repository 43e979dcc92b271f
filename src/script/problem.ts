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
