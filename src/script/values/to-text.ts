/**
 * Any value as text (language reference, 4.7): what `+`, `ToString`, `fail`, `exit` and text parameters of functions make of
 * it. Texts inside of arrays and objects stand without quotes.
 */
import { ScriptFailure } from '../failure.ts'
import { MOST_LEVELS, nestedTooDeeply } from './nesting.ts'
import { numberToText } from './number-text.ts'
import { TextPieces } from './text-pieces.ts'
import { ScriptArray, ScriptObject, type Value } from './value.ts'

/** Values that share parts can be written much longer than they are; this is half of what a service run may hold. */
const MOST_UNITS = 16 * 2 ** 20

/**
 * @param work counts as native functions do: a unit for each value and for each hundred characters
 * @throws ScriptFailure JM5002 for a value nested too deeply, JM5910 for a text too long
 */
export function toText(value: Value, work?: (units: number) => void): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return numberToText(value)
    case 'boolean':
      return value ? 'true' : 'false'
  }
  if (value === null) return 'null'
  if (!(value instanceof ScriptArray || value instanceof ScriptObject)) return '<function>'
  const writer = new TextWriter(work)
  writeCollection(value, 1, writer)
  return writer.end()
}

function writeCollection(value: ScriptArray | ScriptObject, level: number, writer: TextWriter): void {
  if (level > MOST_LEVELS) throw nestedTooDeeply()
  let separator = ''
  if (value instanceof ScriptArray) {
    writer.add('[')
    for (const item of value.items) {
      writer.add(separator)
      writeValue(item, level, writer)
      separator = ', '
    }
    writer.add(']')
    return
  }
  // Slots of an object that was wide may be empty.
  writer.count(value.slots.length)
  writer.add('{')
  for (const [key, member] of value.entries()) {
    writer.add(separator)
    writer.add(key)
    writer.add(': ')
    writeValue(member, level, writer)
    separator = ', '
  }
  writer.add('}')
}

function writeValue(value: Value, level: number, writer: TextWriter): void {
  writer.count(1)
  if (value instanceof ScriptArray || value instanceof ScriptObject) {
    writeCollection(value, level + 1, writer)
  } else writer.add(toText(value))
}

class TextWriter {
  readonly count: (units: number) => void
  readonly #pieces = new TextPieces()
  #length = 0

  constructor(work: ((units: number) => void) | undefined) {
    this.count = work ?? (() => {})
  }

  add(piece: string): void {
    this.#length += piece.length
    if (this.#length > MOST_UNITS) {
      throw new ScriptFailure('JM5910', `A text of more than ${MOST_UNITS} characters`, 'memoryBytes')
    }
    if (piece.length > 100) this.count(Math.floor(piece.length / 100))
    this.#pieces.add(piece)
  }

  end(): string {
    return this.#pieces.end()
  }
}
