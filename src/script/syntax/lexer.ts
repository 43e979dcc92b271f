/**
 * Splits the text of a script into the longest tokens that fit, and keeps the comments aside. White space and line ends only
 * separate tokens; a few rules need to know which tokens begin a line (language reference, 2.1). It throws nothing: text that
 * is not a token becomes the last token, which carries the problem, so that the parser reports the first problem of all. To
 * report further problems it goes on behind such a text.
 */
import type { Span } from '../../kernel/span.ts'
import type { ScriptProblem } from '../script-problem.ts'
import { beginsIdentifier, continuesIdentifier, isDigit, isLineEnd, isWhiteSpace } from './characters.ts'
import { readNumber, readString } from './literals.ts'
import { type Comment, keywords, symbolsOfOne, symbolsOfTwo, type Token } from './tokens.ts'

const HASH = 0x23
const QUOTE = 0x22
const APOSTROPHE = 0x27
const BACKSLASH = 0x5c
const BYTE_ORDER_MARK = 0xfeff

/** The last token is the end of the text or an invalid token; with `goesOn` it is the end of the text. */
export function tokenize(
  text: string,
  goesOn = false,
  start = 0,
): {
  readonly tokens: readonly Token[]
  readonly comments: readonly Comment[]
} {
  const tokens: Token[] = []
  const comments: Comment[] = []
  let at = text.charCodeAt(start) === BYTE_ORDER_MARK ? start + 1 : start
  let firstOnLine = true
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    if (isWhiteSpace(unit)) {
      if (isLineEnd(unit)) firstOnLine = true
      at++
    } else if (unit === HASH) {
      const span = { start: at, end: endOfLine(text, at) }
      comments.push({ text: text.slice(span.start, span.end), span, firstOnLine })
      at = span.end
    } else {
      const token = readToken(text, at, unit, firstOnLine)
      tokens.push(token)
      if (token.kind === 'invalid' && !goesOn) return { tokens, comments }
      at = token.kind === 'invalid' ? afterInvalid(text, token.span) : token.span.end
      firstOnLine = false
    }
  }
  tokens.push({ kind: 'end', text: '', span: { start: text.length, end: text.length }, firstOnLine })
  return { tokens, comments }
}

/** A string with a problem goes on up to its quote on the same line, or else up to the end of the line. */
function afterInvalid(text: string, { start, end }: Span): number {
  const quote = text.charCodeAt(start)
  if (quote !== QUOTE && quote !== APOSTROPHE) return end
  const lineEnd = endOfLine(text, start)
  for (let at = start + 1; at < lineEnd; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) return at + 1
    if (unit === BACKSLASH) at++
  }
  return lineEnd
}

function endOfLine(text: string, at: number): number {
  while (at < text.length && !isLineEnd(text.charCodeAt(at))) at++
  return at
}

function readToken(text: string, start: number, unit: number, firstOnLine: boolean): Token {
  if (beginsIdentifier(unit)) {
    let end = start + 1
    while (end < text.length && continuesIdentifier(text.charCodeAt(end))) end++
    const word = text.slice(start, end)
    const kind = keywords.has(word) ? 'keyword' : 'identifier'
    return { kind, text: word, span: { start, end }, firstOnLine }
  }
  if (isDigit(unit)) {
    const read = readNumber(text, start)
    const span = { start, end: read.end }
    if (read.problem !== null) return invalid(text, span, read.problem, firstOnLine)
    return { kind: 'number', text: text.slice(start, read.end), value: read.value, span, firstOnLine }
  }
  if (unit === QUOTE || unit === APOSTROPHE) {
    const read = readString(text, start)
    const span = { start, end: read.end }
    if (read.problem !== null) return invalid(text, span, read.problem, firstOnLine)
    return { kind: 'string', text: text.slice(start, read.end), value: read.value, span, firstOnLine }
  }
  const two = text.slice(start, start + 2)
  if (symbolsOfTwo.has(two))
    return { kind: 'symbol', text: two, span: { start, end: start + 2 }, firstOnLine }
  const one = two.charAt(0)
  if (symbolsOfOne.has(one))
    return { kind: 'symbol', text: one, span: { start, end: start + 1 }, firstOnLine }
  return unknownCharacter(text, start, firstOnLine)
}

function invalid(text: string, span: Span, problem: ScriptProblem, firstOnLine: boolean): Token {
  return { kind: 'invalid', text: text.slice(span.start, span.end), span, problem, firstOnLine }
}

/** Characters that people write who know other languages, with advice. */
const adviceForForeign: ReadonlyMap<string, string> = new Map([
  [';', 'leave it out: statements need no separator'],
  ['&&', "write 'and'"],
  ['&', "write 'and'"],
  ['||', "write 'or'"],
  ['|', "write 'or'"],
  ['!', "write 'not'"],
  ['`', "write a string in double quotes, and join strings with '+'"],
  ...['\u2018', '\u2019', '\u201c', '\u201d'].map((quote): [string, string] => [
    quote,
    'write a string in straight quotes, as in "text"',
  ]),
])

function unknownCharacter(text: string, start: number, firstOnLine: boolean): Token {
  const two = text.slice(start, start + 2)
  const written = adviceForForeign.has(two) ? two : String.fromCodePoint(text.codePointAt(start) ?? 0)
  const advice = adviceForForeign.get(written)
  const problem: ScriptProblem = {
    code: 'JM2000',
    message: `${named(written)} does not belong to the language${advice === undefined ? '' : `; ${advice}`}`,
    at: start,
  }
  return invalid(text, { start, end: start + written.length }, problem, firstOnLine)
}

/** Names invisible characters and half surrogate pairs by their number. */
function named(written: string): string {
  if (/^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(written)) return `'${written}'`
  const number = written.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  return `The character U+${number}`
}
