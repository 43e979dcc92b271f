/**
 * Writes values as JSON, compactly and with keys in order (language reference, 1.1 and 10.5). Refuses what JSON cannot say,
 * values that contain themselves, and more bytes than allowed; all of that before the text has been made.
 */
import { ScriptFailure } from '../failure.ts'
import { MOST_LEVELS, nestedTooDeeply } from './nesting.ts'
import { numberToText } from './number-text.ts'
import { ScriptArray, ScriptObject, type Value } from './value.ts'

type WriteOptions = {
  readonly work: (units: number) => void
  /** Counts the memory of the text while it grows. */
  readonly allocate?: (bytes: number) => void
  /** Of the text in UTF-8. */
  readonly mostBytes?: number
  /** `to-json`: plain ASCII that does no harm in markup, as function `ToJson` answers it. `plain`: as JSON.stringify. */
  readonly escapes: 'to-json' | 'plain'
}

/** JavaScript's texts cannot be much longer. */
const LONGEST_TEXT = 500_000_000

/** Long texts are escaped and counted in pieces of so many units. */
const PIECE = 10_000

type Writer = {
  readonly work: (units: number) => void
  readonly allocate: ((bytes: number) => void) | undefined
  readonly mostBytes: number
  readonly escape: (text: string) => string
  readonly bytesOf: (text: string) => number
  written: string
  bytes: number
}

/** @throws ScriptFailure JM5002 for what JSON cannot say, JM5911 over the limit of bytes */
export function writeJson(value: Value, { work, allocate, mostBytes, escapes }: WriteOptions): string {
  const writer: Writer = {
    work,
    allocate,
    mostBytes: Math.min(mostBytes ?? LONGEST_TEXT, LONGEST_TEXT),
    escape: escapes === 'plain' ? escapePlainly : escapeToAscii,
    bytesOf: escapes === 'plain' && mostBytes !== undefined ? Buffer.byteLength : (text) => text.length,
    written: '',
    bytes: 0,
  }
  write(writer, value, 0)
  return writer.written
}

function write(writer: Writer, value: Value, level: number): void {
  writer.work(1)
  if (typeof value === 'string') writeText(writer, value)
  else if (typeof value === 'number') put(writer, jsonNumber(value))
  else if (value === null || typeof value === 'boolean') put(writer, String(value))
  else if (value instanceof ScriptArray) writeArray(writer, value, level)
  else if (value instanceof ScriptObject) writeObject(writer, value, level)
  else writeText(writer, '<function>')
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
  // Slots of an object that was wide may be empty.
  writer.work(slots.length)
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
  if (text.length <= PIECE) {
    putText(writer, `"${writer.escape(text)}"`)
    return
  }
  put(writer, '"')
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at)
    putText(writer, writer.escape(text.slice(at, end)))
    at = end
  }
  put(writer, '"')
}

const putText = (writer: Writer, piece: string): void => put(writer, piece, writer.bytesOf(piece))

/** Not between the two halves of a surrogate pair: alone they would be escaped. */
function pieceEnd(text: string, start: number): number {
  const end = Math.min(start + PIECE, text.length)
  return isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length ? end + 1 : end
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800

function put(writer: Writer, piece: string, bytes: number = piece.length): void {
  if (piece.length > 100) writer.work(Math.ceil(piece.length / 100))
  writer.bytes += bytes
  if (writer.bytes > writer.mostBytes) {
    throw new ScriptFailure('JM5911', `The JSON is longer than ${writer.mostBytes} bytes`, 'outputBytes')
  }
  writer.allocate?.(2 * piece.length)
  writer.written += piece
}

/** Whole numbers with all their digits as long as 64 bits hold them, everything else as texts have it. */
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

const escapeToAscii = (text: string): string =>
  NOT_ASCII_OR_HARMFUL.test(text) ? text.replace(EACH_SUCH, escapeUnit) : text

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
