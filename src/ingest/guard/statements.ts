/**
 * Splits SQL into statements and tokens as the lexers of PostgreSQL and DuckDB do, which is one and the same:
 * https://github.com/postgres/postgres/blob/master/src/backend/parser/scan.l. What the two, or their versions, would read
 * differently is refused, so that no text looks like a string here and like code there. The time that it takes grows with the
 * length of the text alone.
 *
 *     token = word | number | "name" | 'text' | E'text' | $tag$text$tag$ | any other character
 */

type Token = { readonly text: string; readonly start: number; readonly end: number }
export type Statement = readonly Token[]

/** @param refuse makes the error for what begins at a place of the text */
export function statementsOf(
  text: string,
  refuse: (at: number, reason: string) => Error,
): readonly Statement[] {
  // The database would take it for the end.
  const end = text.indexOf('\0')
  if (end >= 0) throw refuse(end, 'expected a text, found the character U+0')
  const statements: Token[][] = [[]]
  for (const token of tokensOf(text, refuse)) {
    if (token.text === ';') statements.push([])
    else statements.at(-1)?.push(token)
  }
  return statements.filter((statement) => statement.length > 0)
}

/** The line of a place, from 1. */
export const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length

/** What a message shows of a statement. */
export const shownStart = (statement: Statement): string =>
  statement
    .slice(0, 4)
    .map(({ text }) => text)
    .join(' ')

/** Whatever may hold a semicolon that ends no statement comes before words, numbers and single characters. */
const TOKEN =
  /[ \t\n\r\f]+|--[^\n\r]*|[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_\u{80}-\u{10ffff}][A-Za-z0-9_\u{80}-\u{10ffff}]*)?\$[\s\S]*?\$\1\$|[A-Za-z_\u{80}-\u{10ffff}][A-Za-z0-9_$\u{80}-\u{10ffff}]*|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+)?|[\s\S]/uy

/** One database takes these for spaces, the other for letters. */
const AMBIGUOUS = /[\p{Z}\p{Cf}\p{Cc}]/u
const PLAIN_SPACES = /[ \t\n\r\f]/g

/** What begins a text that nothing ends. */
const OPENING = /['"]|\$(?:[A-Za-z_\u{80}-\u{10ffff}][A-Za-z0-9_\u{80}-\u{10ffff}]*)?\$/uy

/** Where such a character follows a number, one reader ends the number earlier than another one. */
const RUN_ON = /[A-Za-z_$\u{80}-\u{10ffff}]/uy

function* tokensOf(text: string, refuse: (at: number, reason: string) => Error): Generator<Token> {
  let before: Token | undefined
  for (let at = 0; at < text.length; ) {
    if (text.startsWith('/*', at)) {
      const end = endOfComment(text, at)
      if (end === null) throw refuse(at, 'the comment that begins here is not closed')
      at = end
      continue
    }
    const [found = '', tag = ''] = matchAt(TOKEN, text, at) ?? []
    const end = at + found.length
    const [opening = ''] = found.length === 1 ? (matchAt(OPENING, text, at) ?? []) : []
    if (opening !== '') throw refuse(at, `the quote ${opening} that begins here is not closed`)
    // The second one would continue the first one, with its escapes.
    if (found.startsWith("'") && before !== undefined && /^[eE]'/.test(before.text))
      throw refuse(before.start, 'a text with escapes has to be in one piece')
    if (/^[0-9]/.test(found) && matchAt(RUN_ON, text, end) !== null)
      throw refuse(at, `expected a space after the number ${found}`)
    const isQuoted = /^(?:[eE]?'|"|\$.*\$|--)/s.test(found)
    const ambiguous = AMBIGUOUS.exec(isQuoted ? tag : found.replace(PLAIN_SPACES, ''))
    if (ambiguous !== null) throw refuse(at, `expected a plain space, found ${codePoint(ambiguous[0])}`)
    if (!/^(?:[ \t\n\r\f]|--)/.test(found)) {
      before = { text: found, start: at, end }
      yield before
    }
    at = end
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const codePoint = (character: string): string =>
  `the character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** Comments of this form may be nested. @returns null when it is not closed */
function endOfComment(text: string, from: number): number | null {
  let depth = 0
  for (const { 0: mark, index } of text.slice(from).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1
    if (depth === 0) return from + index + 2
  }
  return null
}
