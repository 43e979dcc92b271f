/**
 * Writes values as compact JSON with keys in order (language reference, 1.1 and 10.5). Refuses values that JSON cannot express,
 * values that contain themselves, and output over the limit of bytes; all of this before the text is made.
 */
import { ScriptFailure } from '../failure.ts'
import { numberToText } from './number-text.ts'
import { refuseSequence } from './only-foreach.ts'
import { narrowed } from './part-of-text.ts'
import { ScriptArray, ScriptObject, type Value } from './value.ts'
import { MOST_LEVELS, type Notation, nestedTooDeeply, type Sink, ValueWalk } from './value-walk.ts'

type WriteOptions = {
  readonly work: (units: number) => void
  /** Counts the memory of the text while it grows. */
  readonly allocate?: (bytes: number) => void
  /** Limit of the text in UTF-8 bytes. */
  readonly mostBytes?: number
  /** `to-json`: plain ASCII that is harmless in markup, as function `ToJson` returns it. `plain`: as JSON.stringify. */
  readonly escapes: 'to-json' | 'plain'
}

/** JavaScript texts cannot be much longer, in UTF-16 units. */
const LONGEST_TEXT = 500_000_000

/** Whether {@link writeJson} refused the value itself: JSON cannot express it, or it is over the limit of bytes. */
export const isUnwritable = (cause: unknown): cause is ScriptFailure =>
  cause instanceof ScriptFailure && (cause.code === 'JM5002' || cause.limit === 'outputBytes')

/** @throws ScriptFailure JM5002 for a value that JSON cannot express, JM5911 over the limit of bytes */
export function writeJson(value: Value, options: WriteOptions): string {
  const { work } = options
  const short = writeShort(value, options)
  if (short !== null) return short
  const finish = (walk: ValueWalk): void => {
    do work(UNITS_PER_LOOK)
    while (!walk.run(UNITS_PER_LOOK))
  }
  const length = new Length(options)
  finish(new ValueWalk(value, notations[options.escapes], length))
  const bytes = new Bytes(length.written)
  finish(new ValueWalk(value, notations[options.escapes], bytes))
  return bytes.text()
}

/**
 * As {@link writeJson}, but other work gets its turn while a long text is written.
 *
 * @param pause called after some work; resolves when it is this writer's turn again; throws to end the writing
 */
export async function writeJsonInSlices(
  value: Value,
  options: WriteOptions,
  pause: () => Promise<void> | undefined,
): Promise<string> {
  const short = writeShort(value, options)
  if (short !== null) return short
  const finish = async (walk: ValueWalk): Promise<void> => {
    do {
      await pause()
      options.work(UNITS_PER_LOOK)
    } while (!walk.run(UNITS_PER_LOOK))
  }
  const length = new Length(options)
  await finish(new ValueWalk(value, notations[options.escapes], length))
  const bytes = new Bytes(length.written)
  await finish(new ValueWalk(value, notations[options.escapes], bytes))
  return bytes.text()
}

/** Units of work between two pauses: a millisecond or less. */
const UNITS_PER_LOOK = 5000

/** The unit of long texts: bytes where they are limited, UTF-16 units where only memory counts. */
const lengthOf = ({ escapes, mostBytes }: WriteOptions): ((text: string) => number) =>
  escapes === 'plain' && mostBytes !== undefined ? Buffer.byteLength : (text) => text.length

/** Measures the text before any of it is made. */
class Length implements Sink {
  written = 0
  readonly #most: number
  readonly #allocate: ((bytes: number) => void) | undefined

  constructor({ mostBytes = LONGEST_TEXT, allocate }: WriteOptions) {
    this.#most = Math.min(mostBytes, LONGEST_TEXT)
    this.#allocate = allocate
  }

  readonly put = (piece: string): void => this.#add(Buffer.byteLength(piece))
  readonly putMark = (mark: string): void => this.#add(mark.length)
  readonly repeat = (start: number, end: number): void => this.#add(end - start)

  #add(bytes: number): void {
    this.written += bytes
    if (this.written > this.#most) throw tooLong(this.#most)
    this.#allocate?.(2 * bytes)
  }
}

/** UTF-16 units that are gathered before they are encoded as bytes. */
const GATHERED = 8192

/** Writes the text itself, whose length is known. */
class Bytes implements Sink {
  written = 0
  readonly #bytes: Buffer
  #copied = 0
  #gathered = ''

  constructor(length: number) {
    // Not from a pool, because it may be kept for a while.
    this.#bytes = Buffer.allocUnsafeSlow(length)
  }

  readonly put = (piece: string): void => this.#add(piece, Buffer.byteLength(piece))
  readonly putMark = (mark: string): void => this.#add(mark, mark.length)
  readonly repeat = (start: number, end: number): void => {
    this.#flush()
    this.#bytes.copyWithin(this.#copied, start, end)
    this.#copied += end - start
    this.written = this.#copied
  }

  text(): string {
    this.#flush()
    return this.#bytes.toString('utf8', 0, this.#copied)
  }

  #add(piece: string, bytes: number): void {
    this.written += bytes
    this.#gathered += piece
    if (this.#gathered.length >= GATHERED) this.#flush()
  }

  #flush(): void {
    this.#copied += this.#bytes.write(this.#gathered, this.#copied)
    this.#gathered = ''
  }
}

/** Limits of what is written at once: most values are shorter, and for longer ones the attempt costs little. */
const SHORT_BYTES = 128 * 1024
const SHORT_WORK = 20_000

type Writer = {
  readonly escape: (text: string) => string
  readonly bytesOf: (text: string) => number
  readonly mostBytes: number
  workLeft: number
  written: string
  bytes: number
}

/** Returns null when the text is not short. */
function writeShort(value: Value, options: WriteOptions): string | null {
  const { work, allocate, mostBytes = LONGEST_TEXT, escapes } = options
  const writer: Writer = {
    escape: escapers[escapes],
    bytesOf: lengthOf(options),
    mostBytes: Math.min(mostBytes, SHORT_BYTES),
    workLeft: SHORT_WORK,
    written: '',
    bytes: 0,
  }
  try {
    write(writer, value, 0)
  } catch (cause) {
    if (cause !== notShort) throw cause
    work(SHORT_WORK - writer.workLeft)
    return null
  }
  work(SHORT_WORK - writer.workLeft)
  allocate?.(2 * writer.written.length)
  // Reading a unit makes the text flat: a text that still consists of its pieces takes many times the memory.
  writer.written.charCodeAt(0)
  return writer.written
}

const notShort = new Error('The JSON is not short')

function write(writer: Writer, value: Value, level: number): void {
  if (--writer.workLeft < 0) throw notShort
  if (typeof value === 'string') writeText(writer, value)
  else if (value instanceof ScriptArray) writeArray(writer, value, level)
  else if (value instanceof ScriptObject) writeObject(writer, value, level)
  else put(writer, plainLeaf(value, writer.escape))
}

function writeArray(writer: Writer, { items }: ScriptArray, level: number): void {
  if (level >= MOST_LEVELS) throw nestedTooDeeply()
  put(writer, '[')
  for (let i = 0; i < items.length; i++) {
    if (i > 0) put(writer, ',')
    write(writer, items[i]!, level + 1)
  }
  put(writer, ']')
}

function writeObject(writer: Writer, { keys, slots }: ScriptObject, level: number): void {
  if (level >= MOST_LEVELS) throw nestedTooDeeply()
  // An object that once had many keys may have empty slots.
  writer.workLeft -= slots.length
  put(writer, '{')
  let first = true
  for (let place = 0; place < keys.length; place++) {
    const key = keys[place]
    if (key === undefined) continue
    if (!first) put(writer, ',')
    first = false
    writeText(writer, key)
    put(writer, ':')
    write(writer, slots[place]!, level + 1)
  }
  put(writer, '}')
}

function writeText(writer: Writer, text: string): void {
  if (text.length > writer.mostBytes) throw notShort
  const piece = `"${writer.escape(text)}"`
  put(writer, piece, writer.bytesOf(piece))
}

function put(writer: Writer, piece: string, bytes: number = piece.length): void {
  if (piece.length > 100) writer.workLeft -= Math.ceil(piece.length / 100)
  writer.bytes += bytes
  if (writer.bytes > writer.mostBytes) throw notShort
  writer.written += piece
}

const tooLong = (mostBytes: number): ScriptFailure =>
  new ScriptFailure('JM5911', `The JSON is longer than ${mostBytes} bytes`, 'outputBytes')

/** Writes values other than arrays, objects and texts. */
const plainLeaf = (value: Value, escaped: (text: string) => string): string => {
  if (typeof value === 'number') return jsonNumber(value)
  if (value === null || typeof value === 'boolean') return String(value)
  refuseSequence(value)
  return `"${escaped('<function>')}"`
}

/** Writes integers of up to 64 bits with all digits, other numbers as in texts. */
export function jsonNumber(value: number): string {
  if (!Number.isFinite(value)) {
    throw new ScriptFailure('JM5002', `JSON has no number ${numberToText(value)}`)
  }
  if (Number.isSafeInteger(value)) return String(value)
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63
    ? String(BigInt(value))
    : numberToText(value)
}

const NOT_PLAIN = /["\\\p{Cc}\p{Cs}]/u

/** JSON.stringify escapes lone surrogates too. */
const escapePlainly = (text: string): string =>
  NOT_PLAIN.test(text) ? JSON.stringify(text).slice(1, -1) : text

const NOT_ASCII_OR_HARMFUL = /[^ -~]|["&'+<>`\\]/
const EACH_SUCH = /[^ -~]|["&'+<>`\\]/g

/** V8 would keep two bytes for each character of a text that had characters beyond U+00FF. */
const escapeToAscii = (text: string): string =>
  NOT_ASCII_OR_HARMFUL.test(text) ? narrowed(text.replace(EACH_SUCH, escapeUnit), text) : text

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
])

const escapeUnit = (unit: string): string =>
  shortEscapes.get(unit) ?? `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`

const escapers = { plain: escapePlainly, 'to-json': escapeToAscii } as const

const notation = (escaped: (text: string) => string): Notation => {
  const quoted = (text: string) => `"${escaped(text)}"`
  return {
    separator: ',',
    afterKey: ':',
    key: quoted,
    leaf: (value) => (typeof value === 'string' ? quoted(value) : plainLeaf(value, escaped)),
    text: { quote: '"', piece: escaped },
  }
}

const notations = { plain: notation(escapePlainly), 'to-json': notation(escapeToAscii) } as const
