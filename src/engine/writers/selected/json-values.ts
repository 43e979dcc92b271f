/**
 * Writes the values of a column as JSON, each behind the same prefix: the name of its member. The bytes are those of finished
 * records, with the same escapes and the same numbers. A text that comes often is encoded once, together with the prefix.
 */
import { NULL_INTEGER } from '../../../schema/field.ts'
import type { EncodedColumn, EncodedTexts } from '../../encoded-records.ts'
import type { ByteWriter } from '../byte-writer.ts'
import type { DayTexts } from '../day-texts.ts'
import { type AppendText, isWorthKeeping } from '../encoded-texts.ts'
import { amountBytes, integerBytes } from './number-bytes.ts'
import { pieceWriter, TextPieces } from './text-pieces.ts'

/** Appends what belongs to a row. */
export type WriteRow = (row: number, to: ByteWriter) => void

/** @param rowCount how many rows will be written in all */
export function valueWriter(
  column: EncodedColumn,
  prefix: string,
  rowCount: number,
  days: DayTexts,
): WriteRow {
  switch (column.type) {
    case 'text':
      return textWriter(column, prefix, rowCount)
    case 'date':
      return quotedDays(column.values, prefix, (day, to) => days.date(day, to))
    case 'minute':
      return quotedDays(column.values, prefix, (minute, to) => days.minute(minute, to))
    case 'wide-minute':
      return quotedDays(column.values, prefix, (minute, to) => days.minute(minute, to))
    case 'integer':
      return integerWriter(column.values, prefix)
    case 'decimal':
      return amountWriter(column.values, prefix)
    case 'boolean':
      return booleanWriter(column.bits, prefix)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20

function quotedDays(
  values: Int32Array | Float64Array,
  prefix: string,
  write: (value: number, to: ByteWriter) => void,
): WriteRow {
  const [open, none] = [pieceWriter(`${prefix}"`), pieceWriter(`${prefix}null`)]
  return (row, to) => {
    const value = values[row]!
    if (value === NULL_INTEGER || Number.isNaN(value)) {
      none(to)
      return
    }
    open(to)
    write(value, to)
    to.byte(QUOTE)
  }
}

function integerWriter(values: Int32Array, prefix: string): WriteRow {
  const [name, none] = [pieceWriter(prefix), pieceWriter(`${prefix}null`)]
  return (row, to) => {
    const value = values[row]!
    if (value === NULL_INTEGER) {
      none(to)
      return
    }
    name(to)
    integerBytes(value, to)
  }
}

function amountWriter(values: Float64Array, prefix: string): WriteRow {
  const [name, none] = [pieceWriter(prefix), pieceWriter(`${prefix}null`)]
  return (row, to) => {
    const value = values[row]!
    if (Number.isNaN(value)) {
      none(to)
      return
    }
    name(to)
    amountBytes(value, to)
  }
}

function booleanWriter(bits: Uint8Array, prefix: string): WriteRow {
  const [yes, no] = [pieceWriter(`${prefix}true`), pieceWriter(`${prefix}false`)]
  return (row, to) => {
    if ((bits[row >> 3]! >> (row & 7)) & 1) yes(to)
    else no(to)
  }
}

function textWriter(column: EncodedTexts, prefix: string, rowCount: number): WriteRow {
  const { codes, dictionary } = column
  const { size } = dictionary
  const none = pieceWriter(`${prefix}null`)
  const append = jsonTexts(column, prefix, rowCount)
  return (row, to) => {
    const code = codes[row]!
    if (code === size) none(to)
    else append(code, to)
  }
}

/** Appends the prefix and the text of a code, which must be a code of the dictionary. */
export function jsonTexts(column: EncodedTexts, prefix: string, rowCount: number): AppendText {
  const { dictionary } = column
  const encode = (code: number) => prefix + JSON.stringify(dictionary.text(code))
  if (isWorthKeeping(column, rowCount)) {
    const pieces = new TextPieces(dictionary.size)
    return (code, to) => {
      if (!pieces.has(code)) pieces.add(code, encode(code))
      pieces.write(code, to)
    }
  }
  const { utf8 } = dictionary
  if (utf8 === undefined) return (code, to) => to.text(encode(code))
  const { bytes, offsets } = utf8
  const open = pieceWriter(`${prefix}"`)
  return (code, to) => {
    const start = to.length
    open(to)
    if (copyPlain(bytes, offsets[code]!, offsets[code + 1]!, to)) return
    to.length = start
    to.text(encode(code))
  }
}

/** Copies a text and a quote. False when it has a character that JSON escapes. */
function copyPlain(source: Uint8Array, begin: number, end: number, to: ByteWriter): boolean {
  to.reserve(end - begin + 1)
  const { bytes } = to
  let at = to.length
  for (let from = begin; from < end; from++) {
    const byte = source[from]!
    if (byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH) return false
    bytes[at++] = byte
  }
  bytes[at++] = QUOTE
  to.length = at
  return true
}
