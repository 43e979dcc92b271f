/** Reads what follows a backslash, inside and outside character classes. */
import { digitUnits, namedUnits, whiteUnits, wordUnits } from './categories.ts'
import type { PatternReader } from './reader.ts'
import { hasUnit, keptComplement, type UnitSet } from './units.ts'

/**
 * Reads `\d \D \w \W \s \S \p{name} \P{name}`, with the reader behind the backslash. Returns null for anything else, and the
 * reader stays.
 */
export function readNamedSet(reader: PatternReader): UnitSet | null {
  switch (reader.peek()) {
    case 'd':
      return take(reader, digitUnits())
    case 'D':
      return take(reader, keptComplement(digitUnits()))
    case 'w':
      return take(reader, wordUnits())
    case 'W':
      return take(reader, keptComplement(wordUnits()))
    case 's':
      return take(reader, whiteUnits())
    case 'S':
      return take(reader, keptComplement(whiteUnits()))
    case 'p':
      return take(reader, readProperty(reader))
    case 'P':
      return take(reader, keptComplement(readProperty(reader)))
  }
  return null
}

function take(reader: PatternReader, units: UnitSet): UnitSet {
  reader.at++
  reader.spend(units.length)
  return units
}

/** Leaves the reader at the last character. */
function readProperty(reader: PatternReader): UnitSet {
  const end = reader.peek(1) === '{' ? reader.pattern.indexOf('}', reader.at) : -1
  if (end < 0) throw reader.fault("'\\p' needs the name of a category in braces")
  const name = reader.pattern.slice(reader.at + 2, end)
  if (reader.options.ignoreCase && (name === 'Lu' || name === 'Ll' || name === 'Lt')) {
    throw reader.refusal(`The category '${name}' is not supported while case is ignored`)
  }
  const units = namedUnits(name)
  if (units === null) throw reader.refusal(`'${name.slice(0, 40)}' is not a supported category or block`)
  reader.at = end
  return units
}

const controls = new Map([
  ['a', 0x07],
  ['e', 0x1b],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
  ['v', 0x0b],
])

/** Reads a single unit, with the reader behind the backslash: `\n`, `\x41`, `\u0041`, `\cA`, `\101`, `\.`. */
export function readUnitEscape(reader: PatternReader): number {
  if (reader.atEnd) throw reader.fault('The pattern ends with a backslash')
  if (isOctal(reader.peek())) return readOctal(reader)
  const letter = reader.next()
  const control = controls.get(letter)
  if (control !== undefined) return control
  if (letter === 'x') return readHex(reader, 2)
  if (letter === 'u') return readHex(reader, 4)
  if (letter === 'c') return readControl(reader)
  const unit = letter.charCodeAt(0)
  if (hasUnit(wordUnits(), unit) || unit === 0x200c || unit === 0x200d) {
    throw reader.fault(`'\\${letter}' means nothing`, reader.at - 2)
  }
  return unit
}

function readHex(reader: PatternReader, length: number): number {
  const digits = reader.pattern.slice(reader.at, reader.at + length)
  if (digits.length < length || !/^[0-9A-Fa-f]+$/.test(digits)) {
    throw reader.fault(`${length} hexadecimal digits are missing`)
  }
  reader.at += length
  return Number.parseInt(digits, 16)
}

/** Reads at most three digits; only the lowest eight bits of the value count. */
function readOctal(reader: PatternReader): number {
  let value = 0
  for (let digits = 0; digits < 3 && isOctal(reader.peek()); digits++)
    value = value * 8 + Number(reader.next())
  return value & 0xff
}

function readControl(reader: PatternReader): number {
  const letter = reader.next().toUpperCase()
  if (!/^[@-_]$/.test(letter)) throw reader.fault("'\\c' needs the letter of a control character")
  return letter.charCodeAt(0) - 0x40
}

const isOctal = (digit: string): boolean => digit >= '0' && digit <= '7' && digit !== ''
