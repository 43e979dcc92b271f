/**
 * Reads the value of $filter or $orderby token by token. Refuses nothing: unknown characters become tokens too, so that the
 * parser can say what it expected instead.
 */
import type { Span } from '../../kernel/span.ts'

export type Token =
  /** `bookingDate`, `AND`, `Kostenträger`; `lower` is compared with the keywords. */
  | { readonly kind: 'word'; readonly text: string; readonly lower: string; readonly span: Span }
  /** `'O''Hare'`, here already `O'Hare` */
  | { readonly kind: 'text'; readonly text: string; readonly span: Span }
  /** `12`, `-0.5`, `1e3` */
  | { readonly kind: 'number'; readonly text: string; readonly span: Span }
  /** `12abc`, `1.`, `2026-01-01` */
  | { readonly kind: 'malformed-number'; readonly text: string; readonly span: Span }
  /** `(`, `,`, and characters that the grammar does not have: `=`, `&&`, `"` */
  | { readonly kind: 'symbol'; readonly text: string; readonly span: Span }
  | { readonly kind: 'end'; readonly text: ''; readonly span: Span }
  /** `'abc`, up to the end of the value */
  | { readonly kind: 'unterminated-text'; readonly text: string; readonly span: Span }

const BLANKS = /\s*/y
const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
/** Characters that make a number malformed when they follow it without a space. */
const NUMBER_TAIL = /[\p{L}\p{M}\p{N}_.:+-]+/uy
/** Operators of other languages are read as one symbol, so that a message can translate them. */
const OPERATOR_RUN = /[=<>!&|]+/y

export function readToken(input: string, from: number): Token {
  const start = skipBlanks(input, from)
  if (start === input.length) return { kind: 'end', text: '', span: { start, end: start } }
  if (input[start] === "'") return readText(input, start)
  const word = match(WORD, input, start)
  if (word !== '') return { kind: 'word', text: word, lower: word.toLowerCase(), span: spanOf(start, word) }
  const number = match(NUMBER, input, start)
  return number === '' ? readSymbol(input, start) : readNumber(input, start, number)
}

function skipBlanks(input: string, from: number): number {
  return from + match(BLANKS, input, from).length
}

/** Quotes within a text are written twice. */
function readText(input: string, start: number): Token {
  let close = input.indexOf("'", start + 1)
  while (close !== -1 && input[close + 1] === "'") close = input.indexOf("'", close + 2)
  if (close === -1) {
    return { kind: 'unterminated-text', text: input.slice(start + 1), span: { start, end: input.length } }
  }
  const text = input.slice(start + 1, close).replaceAll("''", "'")
  return { kind: 'text', text, span: { start, end: close + 1 } }
}

function readNumber(input: string, start: number, number: string): Token {
  const tail = match(NUMBER_TAIL, input, start + number.length)
  const text = number + tail
  return { kind: tail === '' ? 'number' : 'malformed-number', text, span: spanOf(start, text) }
}

function readSymbol(input: string, start: number): Token {
  const text = match(OPERATOR_RUN, input, start) || String.fromCodePoint(input.codePointAt(start) ?? 0)
  return { kind: 'symbol', text, span: spanOf(start, text) }
}

function match(pattern: RegExp, input: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(input)?.[0] ?? ''
}

const spanOf = (start: number, text: string): Span => ({ start, end: start + text.length })
