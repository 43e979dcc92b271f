/**
 * Writes the values of a column as JSON, each behind the same prefix: the name of its member. The bytes are those of finished
 * records, with the same escapes and the same numbers. A text that comes often is encoded once, together with the prefix.
 */
import { NULL_INTEGER } from '../../schema/field.ts'
import type { EncodedColumn, EncodedTexts } from '../encoded-records.ts'
import type { ByteWriter } from './byte-writer.ts'
import type { DayTexts } from './day-texts.ts'
import { type AppendText, encodedTexts, isWorthKeeping } from './encoded-texts.ts'
import { amountBytes, integerBytes } from './number-bytes.ts'

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
      return integerWriter(
        column.values,
        prefix,
        quoted((day, to) => days.date(day, to)),
      )
    case 'minute':
      return integerWriter(
        column.values,
        prefix,
        quoted((minute, to) => days.minute(minute, to)),
      )
    case 'wide-minute':
      return doubleWriter(
        column.values,
        prefix,
        quoted((minute, to) => days.minute(minute, to)),
      )
    case 'integer':
      return integerWriter(column.values, prefix, integerBytes)
    case 'decimal':
      return doubleWriter(column.values, prefix, amountBytes)
    case 'boolean':
      return booleanWriter(column.bits, prefix)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20

type WriteNumber = (value: number, to: ByteWriter) => void

const quoted =
  (write: WriteNumber): WriteNumber =>
  (value, to) => {
    to.byte(QUOTE)
    write(value, to)
    to.byte(QUOTE)
  }

function integerWriter(values: Int32Array, prefix: string, write: WriteNumber): WriteRow {
  const [name, none] = [Buffer.from(prefix), Buffer.from(`${prefix}null`)]
  return (row, to) => {
    const value = values[row]!
    if (value === NULL_INTEGER) {
      to.copy(none, 0, none.length)
      return
    }
    to.copy(name, 0, name.length)
    write(value, to)
  }
}

function doubleWriter(values: Float64Array, prefix: string, write: WriteNumber): WriteRow {
  const [name, none] = [Buffer.from(prefix), Buffer.from(`${prefix}null`)]
  return (row, to) => {
    const value = values[row]!
    if (Number.isNaN(value)) {
      to.copy(none, 0, none.length)
      return
    }
    to.copy(name, 0, name.length)
    write(value, to)
  }
}

function booleanWriter(bits: Uint8Array, prefix: string): WriteRow {
  const [yes, no] = [Buffer.from(`${prefix}true`), Buffer.from(`${prefix}false`)]
  return (row, to) => {
    const text = (bits[row >> 3]! >> (row & 7)) & 1 ? yes : no
    to.copy(text, 0, text.length)
  }
}

function textWriter(column: EncodedTexts, prefix: string, rowCount: number): WriteRow {
  const { codes, dictionary } = column
  const none = Buffer.from(`${prefix}null`)
  const append = jsonTexts(column, prefix, rowCount)
  return (row, to) => {
    const code = codes[row]!
    if (code === dictionary.size) to.copy(none, 0, none.length)
    else append(code, to)
  }
}

/** Appends the prefix and the text of a code, which must be a code of the dictionary. */
export function jsonTexts(column: EncodedTexts, prefix: string, rowCount: number): AppendText {
  const { dictionary } = column
  const encode = (text: string) => prefix + JSON.stringify(text)
  const { utf8 } = dictionary
  if (utf8 === undefined || isWorthKeeping(column, rowCount)) return encodedTexts(column, rowCount, encode)
  const name = Buffer.from(prefix)
  return (code, to) => {
    const start = to.length
    to.copy(name, 0, name.length)
    if (copyPlain(utf8.bytes, utf8.offsets[code]!, utf8.offsets[code + 1]!, to)) return
    to.length = start
    to.text(encode(dictionary.text(code)))
  }
}

/** Copies a text with quotes around it. False when it has a character that JSON escapes; then some of it was written. */
function copyPlain(source: Uint8Array, begin: number, end: number, to: ByteWriter): boolean {
  to.reserve(end - begin + 2)
  const { bytes } = to
  let at = to.length
  bytes[at++] = QUOTE
  for (let from = begin; from < end; from++) {
    const byte = source[from]!
    if (byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH) return false
    bytes[at++] = byte
  }
  bytes[at++] = QUOTE
  to.length = at
  return true
}
