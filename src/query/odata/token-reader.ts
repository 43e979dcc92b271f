/**
 * A reader with one token of lookahead, for the parsers of $filter and $orderby. Problems are created here, so that each one has
 * its parameter, its column and the whole input.
 */
import { closest } from '../../kernel/closest.ts'
import type { QueryParameter } from '../../kernel/problem.ts'
import { DOUBLED_QUOTE, type Place, quoted, unexpected, unterminatedText } from '../problems.ts'
import { readToken, type Token } from './read-token.ts'

export type TokenReader = {
  readonly parameter: QueryParameter
  readonly input: string
  /** The next token, not yet consumed. */
  token: Token
  /** Where the last consumed token ended. */
  end: number
}

export function openTokenReader(parameter: QueryParameter, input: string): TokenReader {
  const start: Token = { kind: 'symbol', text: '', span: { start: 0, end: 0 } }
  const reader: TokenReader = { parameter, input, token: start, end: 0 }
  advance(reader)
  return reader
}

/** Consumes and returns the next token. */
export function advance(reader: TokenReader): Token {
  const consumed = reader.token
  reader.end = consumed.span.end
  reader.token = readToken(reader.input, reader.end)
  if (reader.token.kind === 'unterminated-text') throw unterminatedText(here(reader), reader.token.text)
  return consumed
}

/** The place of the next token. */
export const here = (reader: TokenReader): Place => placeAt(reader, reader.token.span.start)

export function placeAt({ parameter, input }: TokenReader, column: number): Place {
  return { parameter, input, column }
}

export const atEnd = ({ token }: TokenReader): boolean => token.kind === 'end'

export const atWord = ({ token }: TokenReader, keyword: string): boolean =>
  token.kind === 'word' && token.lower === keyword

export const atSymbol = ({ token }: TokenReader, symbol: string): boolean =>
  token.kind === 'symbol' && token.text === symbol

export function takeSymbol(reader: TokenReader, symbol: string): boolean {
  const found = atSymbol(reader, symbol)
  if (found) advance(reader)
  return found
}

/** `expected` completes the message `Expected ...`. */
export function expectSymbol(reader: TokenReader, symbol: string, expected: string, hint?: string): void {
  if (!takeSymbol(reader, symbol)) throw unexpectedToken(reader, expected, { hint })
}

/** The problem of an unexpected next token; `keywords` are candidates for a "did you mean". */
export function unexpectedToken(
  reader: TokenReader,
  expected: string,
  { keywords = [], hint }: { keywords?: readonly string[]; hint?: string | undefined } = {},
) {
  const advice = followsText(reader) ? DOUBLED_QUOTE : (hint ?? hintFor(reader.token, keywords))
  return unexpected(here(reader), expected, describe(reader.token), advice)
}

/** Whether a word or number follows a text without a blank: `'O'Hare'`. */
const followsText = ({ token, input, end }: TokenReader): boolean =>
  token.span.start === end && input[end - 1] === "'" && /[\p{L}\p{N}_]/u.test(token.text[0] ?? '')

function describe({ kind, text }: Token): string {
  switch (kind) {
    case 'end':
      return 'the end of the value'
    case 'text':
    case 'unterminated-text':
      return `the text ${quoted(text)}`
    case 'number':
      return `the number ${quoted(text)}`
    case 'malformed-number':
    case 'word':
    case 'symbol':
      return quoted(text)
  }
}

/** Symbols of other languages, and what to write here. */
const translations: ReadonlyMap<string, string> = new Map([
  ['=', 'write eq'],
  ['==', 'write eq'],
  ['===', 'write eq'],
  ['!=', 'write ne'],
  ['!==', 'write ne'],
  ['<>', 'write ne'],
  ['=>', 'write ge'],
  ['=<', 'write le'],
  ['>', 'write gt'],
  ['>=', 'write ge'],
  ['<', 'write lt'],
  ['<=', 'write le'],
  ['&', 'write and'],
  ['&&', 'write and'],
  ['|', 'write or'],
  ['||', 'write or'],
  ['!', 'write not'],
  ['/', 'the names of a path are joined by a dot'],
  ['+', 'a number carries no plus sign'],
  ['%', 'the value seems to be percent-encoded twice'],
  ['-', 'write the minus sign directly before the digits'],
  [';', 'conditions are joined by and, sort clauses by a comma'],
  ['^', 'write eq, ne, gt, ge, lt, le, in, nin or contains; carets belong to version 1'],
  ...['"', '`', '\u2018', '\u2019', '\u201c', '\u201d'].map((quote): [string, string] => [
    quote,
    "write a text in straight single quotes, as in 'Sydney'",
  ]),
])

function hintFor(token: Token, keywords: readonly string[]): string | undefined {
  if (token.kind === 'symbol') return translations.get(token.text)
  if (token.kind !== 'word') return undefined
  const nearest = closest(token.text, keywords)
  return nearest && `did you mean ${nearest}?`
}
