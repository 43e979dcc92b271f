/**
 * Parses literals, the only operands on the right side of an operator:
 *
 *     literal = text | number | "true" | "false" | "null"
 *     text    = "'" { any character but "'" | "''" } "'"
 *     number  = ["-"] digits ["." digits] ["e" ["+" | "-"] digits]
 */
import { hasModestExponent } from '../../kernel/decimal.ts'
import type { Literal } from '../ast.ts'
import { malformedNumber, nameInsteadOfLiteral } from '../problems.ts'
import { adviceForValue } from './other-forms.ts'
import { advance, here, type TokenReader, unexpectedToken } from './token-reader.ts'

/** `where` completes a message, e.g. `after eq`. Accepts `'O''Hare'`, `-1.5e3`, `NULL`; refuses `dueDate`, `2026-01-01`. */
export function parseLiteral(reader: TokenReader, where: string): Literal {
  const { token } = reader
  switch (token.kind) {
    case 'text':
      advance(reader)
      return { kind: 'text', value: token.text, span: token.span }
    case 'number':
      if (!hasModestExponent(token.text)) {
        throw malformedNumber(here(reader), token.text, 'the exponent lies between -9999 and 9999')
      }
      advance(reader)
      return { kind: 'number', text: token.text, span: token.span }
    case 'malformed-number':
      throw malformedNumber(here(reader), token.text, malformedNumberHint(token.text))
    case 'word':
      return parseWord(reader, where)
    default:
      throw unexpectedLiteral(reader, where)
  }
}

function parseWord(reader: TokenReader, where: string): Literal {
  const { token } = reader
  const { span } = token
  switch (token.text.toLowerCase()) {
    case 'true':
      advance(reader)
      return { kind: 'boolean', value: true, span }
    case 'false':
      advance(reader)
      return { kind: 'boolean', value: false, span }
    case 'null':
      advance(reader)
      return { kind: 'null', span }
    default:
      throw nameInsteadOfLiteral(
        here(reader),
        token.text,
        where,
        adviceForValue(token.text, reader.input.slice(span.end)),
      )
  }
}

function unexpectedLiteral(reader: TokenReader, where: string) {
  const hint = reader.token.kind === 'symbol' ? misplacedSymbols.get(reader.token.text) : undefined
  return unexpectedToken(reader, `a text, a number, true, false or null ${where}`, { hint })
}

const misplacedSymbols: ReadonlyMap<string, string> = new Map([
  ['.', 'a number begins with a digit, as in 0.5'],
  ['(', 'a list follows in or nin, and a single value has no parentheses'],
])

function malformedNumberHint(text: string): string {
  return /^\d{4}-\d{2}-\d{2}/.test(text) ? 'write a date in single quotes' : 'write a text in single quotes'
}
