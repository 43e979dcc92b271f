/**
 * Reads numbers and strings (language reference, 2.3 and 2.4):
 *
 *     decimal = digits ["." {digit}] [("e" | "E") ["+" | "-"] digits]
 *     hex     = "0x" hexDigits          64 bits in two's complement
 *     binary  = "0b" binaryDigits       the same
 *     string  = '"' {any but '"' and "\", or an escape} '"'       likewise with "'"
 *     escape  = "\" ("n" | "r" | "t" | "0" | "\" | '"' | "'" | "u" with four hex digits)
 *
 * A number ends where its pattern ends: letters after it are the next token.
 */
import type { ScriptProblem } from '../script-problem.ts'
import { isDigit, isHexDigit } from './characters.ts'

type Read<V> = { readonly value: V; readonly end: number; readonly problem: null } | Refused
type Refused = { readonly end: number; readonly problem: ScriptProblem }

/** `start` is the offset of a digit. Accepts `5.`, `007`, `1e-3`, `0xFF`; refuses `1e`, `0xZ`, `0X1`. */
export function readNumber(text: string, start: number): Read<number> {
  if (text.charCodeAt(start) === 0x30) {
    const letter = text[start + 1]
    if (letter === 'x')
      return readInteger(text, start, isHexDigit, 'a hex number has 1 to 16 digits, as in 0xFF', 16)
    if (letter === 'b')
      return readInteger(text, start, isBit, 'a binary number has 1 to 64 digits, as in 0b101', 64)
    if (letter === 'X') return refused(start, start + 2, 'A hex number begins with 0x in lower case')
  }
  let end = endOf(text, start, isDigit)
  if (text[end] === '.') end = endOf(text, end + 1, isDigit)
  if (text[end] === 'e' || text[end] === 'E') {
    const sign = text[end + 1] === '+' || text[end + 1] === '-' ? 1 : 0
    const digits = end + 1 + sign
    end = endOf(text, digits, isDigit)
    if (end === digits) {
      const written = text.slice(start, digits)
      return refused(start, digits, `The number '${shortened(written)}' lacks the digits of its exponent`)
    }
  }
  return { value: Number(text.slice(start, end)), end, problem: null }
}

function readInteger(
  text: string,
  start: number,
  isOfBase: (unit: number) => boolean,
  rule: string,
  mostDigits: number,
): Read<number> {
  const end = endOf(text, start + 2, isOfBase)
  const digits = end - start - 2
  if (digits === 0 || digits > mostDigits) {
    const found = digits === 0 ? `'${text.slice(start, end)}' has no digits` : `There are ${digits} digits`
    return refused(start, end, `${found}; ${rule}`)
  }
  return { value: Number(BigInt.asIntN(64, BigInt(text.slice(start, end)))), end, problem: null }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['0', '\0'],
  ['\\', '\\'],
  ['"', '"'],
  ["'", "'"],
])

/** `start` is the offset of the quote. Line ends inside read as LF. */
export function readString(text: string, start: number): Read<string> {
  const quote = text[start]
  const parts: string[] = []
  let from = start + 1
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === quote) {
      parts.push(text.slice(from, at))
      return { value: parts.length === 1 ? (parts[0] ?? '') : parts.join(''), end: at + 1, problem: null }
    }
    if (character === '\r') {
      parts.push(text.slice(from, at), '\n')
      if (text[at + 1] === '\n') at++
      from = at + 1
    } else if (character === '\\') {
      const read = readEscape(text, at)
      if (read.problem !== null) return read
      parts.push(text.slice(from, at), read.value)
      from = read.end
      at = read.end - 1
    }
  }
  return refused(start, text.length, `The string that begins here is not closed: its ${quote} is missing`)
}

function readEscape(text: string, at: number): Read<string> {
  const letter = text[at + 1]
  if (letter === undefined) return refused(at, at + 1, "The script ends after '\\', within a string")
  const value = escapes.get(letter)
  if (value !== undefined) return { value, end: at + 2, problem: null }
  if (letter === 'u') {
    const end = endOf(text, at + 2, isHexDigit, at + 6)
    if (end < at + 6) return refused(at, end, "'\\u' needs exactly four hex digits, as in '\\u00e9'")
    return { value: String.fromCharCode(Number.parseInt(text.slice(at + 2, end), 16)), end, problem: null }
  }
  const written = letter === '\n' || letter === '\r' ? "'\\' before a line end" : `'\\${letter}'`
  const advice = letter === '\n' || letter === '\r' ? '' : `, as in '\\\\${letter}'`
  return refused(at, at + 2, `Unknown escape ${written}: a backslash itself is written twice${advice}`)
}

function endOf(text: string, at: number, belongs: (unit: number) => boolean, limit = text.length): number {
  while (at < limit && belongs(text.charCodeAt(at))) at++
  return at
}

const isBit = (unit: number): boolean => unit === 0x30 || unit === 0x31

const refused = (at: number, end: number, message: string): Refused => ({
  end,
  problem: { code: 'JM2000', message, at },
})

/** Shortens a text of the script for a message. */
export const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 37)}...` : text)
