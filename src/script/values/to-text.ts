/**
 * Writes any value as text (language reference, 4.7), for `+`, `ToString`, `fail`, `exit` and text parameters of functions.
 * Texts inside arrays and objects have no quotes.
 */
import { ScriptFailure } from '../failure.ts'
import { TextPieces } from './long-texts.ts'
import { numberToText } from './number-text.ts'
import { refuseSequence } from './only-foreach.ts'
import { ScriptArray, ScriptObject, type Value } from './value.ts'
import { MOST_LEVELS, type Notation, nestedTooDeeply, type Sink, ValueWalk } from './value-walk.ts'

/** The text of a value with shared parts can be much longer than the value; this is half the memory of a service run. */
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
  if (!(value instanceof ScriptArray || value instanceof ScriptObject)) {
    refuseSequence(value)
    return '<function>'
  }
  const writer = new TextWriter(value, work)
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
  // An object that once had many keys may have empty slots.
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

/** A longer text is measured as a whole before more of it is made. */
const SHORT_UNITS = 64 * 1024

class TextWriter {
  readonly count: (units: number) => void
  readonly #of: Value
  readonly #pieces = new TextPieces()
  #length = 0
  #isMeasured = false

  constructor(of: Value, work: ((units: number) => void) | undefined) {
    this.#of = of
    this.count = work ?? (() => {})
  }

  add(piece: string): void {
    this.#length += piece.length
    if (this.#length > SHORT_UNITS && !this.#isMeasured) {
      this.#isMeasured = true
      checkLength(this.#of, this.count)
    }
    if (piece.length > 100) this.count(Math.floor(piece.length / 100))
    this.#pieces.add(piece)
  }

  end(): string {
    return this.#pieces.end()
  }
}

/** @throws ScriptFailure JM5910 for a text too long */
function checkLength(value: Value, work: (units: number) => void): void {
  const walk = new ValueWalk(value, notation, new Length())
  do work(UNITS_PER_LOOK)
  while (!walk.run(UNITS_PER_LOOK))
}

const UNITS_PER_LOOK = 5000

const notation: Notation = {
  separator: ', ',
  afterKey: ': ',
  key: (key) => key,
  leaf: (value) => toText(value),
  text: { quote: '', piece: (piece) => piece },
}

class Length implements Sink {
  written = 0
  readonly put = (piece: string): void => this.#add(piece.length)
  readonly putMark = (mark: string): void => this.#add(mark.length)
  readonly repeat = (start: number, end: number): void => this.#add(end - start)

  #add(units: number): void {
    this.written += units
    if (this.written <= MOST_UNITS) return
    throw new ScriptFailure('JM5910', `A text of more than ${MOST_UNITS} characters`, 'memoryBytes')
  }
}
