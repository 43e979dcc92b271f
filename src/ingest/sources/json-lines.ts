/**
 * Rewrites lines of JSON so that every number is in quotes. The database reads JSON numbers as binary doubles, which would
 * round amounts before the rules check them; as text they arrive digit for digit. Refuses only control characters, which the
 * database cannot read here. Broken JSON stays broken, and the database finds it.
 */
import type { Judge } from './walk-records.ts'

const LF = 10
const CR = 13
const TAB = 9
const SPACE = 32
const QUOTE = 34
const MINUS = 45
const BACKSLASH = 92

/** Each line is a record; whether it is JSON is checked later. Lines of white space are blank. */
export const lineJudge: Judge = (bytes, start, end, last) => {
  let blank = true
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === LF) return { kind: blank ? 'blank' : 'record', end: at + 1, lineEnd: 'lf' }
    // JSON escapes control characters inside strings. A carriage return that no line feed follows might be inside one.
    const endsLine = byte === CR && (at + 1 === end || bytes[at + 1] === LF)
    if (byte < SPACE && byte !== TAB && !endsLine) {
      return { kind: 'malformed', reason: `there is a control character (code ${byte})` }
    }
    if (byte > SPACE) blank = false
  }
  if (!last) return { kind: 'incomplete' }
  return { kind: blank ? 'blank' : 'record', end, lineEnd: 'none' }
}

/**
 * Writes the line with quoted numbers and a line feed to `target`, from `to` on. A single digit becomes three bytes.
 *
 * @returns the place after the last byte written
 */
export function quoteNumbers(bytes: Buffer, start: number, end: number, target: Buffer, to: number): number {
  let at = start
  while (at < end) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      const after = afterString(bytes, at + 1, end)
      while (at < after) target[to++] = bytes[at++] as number
    } else if (byte === MINUS || isDigit(byte)) {
      const after = afterNumber(bytes, at, end)
      const quoted = after > at
      if (quoted) target[to++] = QUOTE
      else target[to++] = bytes[at++] as number
      while (at < after) target[to++] = bytes[at++] as number
      if (quoted) target[to++] = QUOTE
    } else if (isLetter(byte)) {
      const after = afterLetters(bytes, at, end)
      // NaN and Infinity are not JSON, but the database would read them, so they are broken here.
      if (!LITERALS.has(bytes.toString('latin1', at, after))) target[to++] = BANG
      while (at < after) target[to++] = bytes[at++] as number
    } else {
      // A tab between values is white space and becomes a space.
      target[to++] = Math.max(byte, SPACE)
      at++
    }
  }
  target[to++] = LF
  return to
}

/** @param from the place after the opening quote @returns the place after the closing quote, or `end` without one */
export function afterString(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end) {
    const byte = bytes[at] as number
    if (byte === QUOTE) return at + 1
    at += byte === BACKSLASH ? 2 : 1
  }
  return end
}

/** The place after a JSON number, or `from` when there is none: `01` and `1.` must stay broken. */
function afterNumber(bytes: Buffer, from: number, end: number): number {
  let at = bytes[from] === MINUS ? from + 1 : from
  const whole = afterDigits(bytes, at, end)
  if (whole === at || (bytes[at] === ZERO && whole > at + 1)) return from
  at = whole
  if (at < end && bytes[at] === POINT) {
    const fraction = afterDigits(bytes, at + 1, end)
    if (fraction === at + 1) return from
    at = fraction
  }
  if (at < end && (bytes[at] === LOWER_E || bytes[at] === UPPER_E)) {
    const sign = bytes[at + 1] === MINUS || bytes[at + 1] === PLUS ? 1 : 0
    const power = afterDigits(bytes, at + 1 + sign, end)
    if (power === at + 1 + sign) return from
    at = power
  }
  return at
}

const ZERO = 48
const POINT = 46
const PLUS = 43
const UPPER_E = 69
const LOWER_E = 101

const BANG = 33
const LITERALS = new Set(['true', 'false', 'null'])
const isLetter = (byte: number): boolean => (byte | 32) >= 97 && (byte | 32) <= 122

function afterLetters(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && isLetter(bytes[at] as number)) at++
  return at
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= 57

function afterDigits(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && isDigit(bytes[at] as number)) at++
  return at
}
