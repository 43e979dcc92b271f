/**
 * Parses field paths of $filter and $orderby. Reserved words and names with special characters are written in brackets:
 *
 *     path    = step { "." step | bracket }
 *     step    = word | bracket                  a word is a letter or _, then letters, digits and _ of any script
 *     bracket = "[" text "]"                    ['Cost centre'], ['and'], ['O''Hare']
 */
import type { FieldPath, PathName } from '../ast.ts'
import { quoted, reservedWord } from '../problems.ts'
import { adviceForTextAsField } from './other-forms.ts'
import {
  advance,
  atSymbol,
  expectSymbol,
  here,
  type TokenReader,
  takeSymbol,
  unexpectedToken,
} from './token-reader.ts'

/** Accepts `bookingDate`, `lineItems.lineType`, `customDataFields['Cost centre']`; refuses `and`, `'text'`, `a..b`. */
export function parsePath(reader: TokenReader, reserved: ReadonlySet<string>): FieldPath {
  const first = parseStep(reader, reserved)
  const names = [first]
  for (;;) {
    if (takeSymbol(reader, '.')) names.push(parseStep(reader, reserved))
    else if (atSymbol(reader, '[')) names.push(parseBracket(reader))
    else return { names, span: { start: first.span.start, end: reader.end } }
  }
}

function parseStep(reader: TokenReader, reserved: ReadonlySet<string>): PathName {
  const { token } = reader
  if (atSymbol(reader, '[')) return parseBracket(reader)
  if (token.kind === 'word') {
    if (reserved.has(token.lower)) throw reservedWord(here(reader), token.text)
    advance(reader)
    return { name: token.text, quoted: false, span: token.span }
  }
  if (token.kind === 'text') {
    const hint = adviceForTextAsField(
      token.text,
      reader.input.slice(token.span.end),
      reader.parameter === '$filter',
    )
    throw unexpectedToken(reader, 'a field name', { hint })
  }
  const startsLikeNumber = token.kind === 'malformed-number' || token.kind === 'number'
  const hint = startsLikeNumber
    ? `a name that does not begin with a letter is written [${quoted(token.text)}]`
    : undefined
  throw unexpectedToken(reader, 'a field name', { hint })
}

function parseBracket(reader: TokenReader): PathName {
  const { start } = advance(reader).span
  const { token } = reader
  if (token.kind !== 'text') {
    throw unexpectedToken(reader, 'a name in single quotes', { hint: "write it like ['Cost centre']" })
  }
  advance(reader)
  expectSymbol(reader, ']', "']' after the name")
  return { name: token.text, quoted: true, span: { start, end: reader.end } }
}
