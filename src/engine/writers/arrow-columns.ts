/**
 * Turns some rows of a collection into Arrow columns, in types that every reader has: plain texts, days, timestamps without a
 * zone, and exact decimals.
 */
import {
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Int32,
  makeData,
  TimestampMillisecond,
  Utf8,
} from 'apache-arrow'
import { instantOfMinute } from '../../kernel/calendar.ts'
import { DECIMAL_PLACES } from '../../kernel/decimal.ts'
import { type FieldType, NULL_INTEGER } from '../../schema/field.ts'
import type { EncodedColumn, EncodedTexts } from '../encoded-records.ts'
import { ByteWriter } from './byte-writer.ts'
import { encodedTexts } from './encoded-texts.ts'

/** An amount needs 16 digits; readers with 64-bit decimals accept 18. */
const DECIMAL_DIGITS = 18

export const arrowTypes: { readonly [T in FieldType]: DataType } = {
  text: new Utf8(),
  date: new DateDay(),
  minute: new TimestampMillisecond(),
  integer: new Int32(),
  decimal: new Decimal(DECIMAL_PLACES, DECIMAL_DIGITS),
  boolean: new Bool(),
}

/** Returns the values of the rows in order. They are valid until the next call, which uses the same memory. */
export type Gather = (rows: Int32Array) => Data<DataType>

/** @param rowCount how many rows will be requested in all */
export function gatherer(column: EncodedColumn, rowCount: number): Gather {
  switch (column.type) {
    case 'text':
      return gatherTexts(column, rowCount)
    case 'date':
      return gatherIntegers(column.values, arrowTypes.date)
    case 'integer':
      return gatherIntegers(column.values, arrowTypes.integer)
    case 'minute':
      return gatherMinutes(column.values)
    case 'wide-minute':
      return gatherMinutes(column.values)
    case 'decimal':
      return gatherDecimals(column.values)
    case 'boolean':
      return gatherBooleans(column.bits)
  }
}

/** Zeros in memory that is reused; it grows with the longest batch. */
function zeros(): (length: number) => Int32Array {
  let kept = new Int32Array(0)
  return (length) => {
    if (kept.length < length) kept = new Int32Array(length)
    return kept.subarray(0, length).fill(0)
  }
}

const bytesFor = (bits: number): number => (bits + 7) >> 3

/** A bit for each value that is not null, least significant first. */
class Validity {
  #bits = new Uint8Array(0)
  #byteLength = 0
  #nullCount = 0

  /** Begins with `length` values, none of which is null. */
  reset(length: number): void {
    this.#byteLength = bytesFor(length)
    if (this.#bits.length < this.#byteLength) this.#bits = new Uint8Array(this.#byteLength)
    this.#bits.fill(0xff, 0, this.#byteLength)
    this.#nullCount = 0
  }

  markNull(i: number): void {
    this.#bits[i >> 3]! &= ~(1 << (i & 7))
    this.#nullCount++
  }

  /** Columns without nulls have no bitmap. */
  get properties(): { nullCount: number; nullBitmap?: Uint8Array } {
    if (this.#nullCount === 0) return { nullCount: 0 }
    return { nullCount: this.#nullCount, nullBitmap: this.#bits.subarray(0, this.#byteLength) }
  }
}

function gatherTexts(column: EncodedTexts, rowCount: number): Gather {
  const { codes, dictionary } = column
  const append = encodedTexts(column, rowCount, (text) => text)
  const validity = new Validity()
  const zeroOffsets = zeros()
  const bytes = new ByteWriter(Buffer.alloc(0))
  return (rows) => {
    validity.reset(rows.length)
    const valueOffsets = zeroOffsets(rows.length + 1)
    bytes.length = 0
    for (let i = 0; i < rows.length; i++) {
      const code = codes[rows[i]!]!
      if (code === dictionary.size) validity.markNull(i)
      else append(code, bytes)
      valueOffsets[i + 1] = bytes.length
    }
    const properties = { ...validity.properties, length: rows.length, valueOffsets, data: bytes.written() }
    return makeData({ type: arrowTypes.text as Utf8, ...properties })
  }
}

function gatherIntegers(values: Int32Array, type: DataType): Gather {
  const validity = new Validity()
  const zeroValues = zeros()
  return (rows) => {
    validity.reset(rows.length)
    const data = zeroValues(rows.length)
    for (let i = 0; i < rows.length; i++) {
      const value = values[rows[i]!]!
      if (value === NULL_INTEGER) validity.markNull(i)
      else data[i] = value
    }
    return makeData({ type: type as Int32, ...validity.properties, length: rows.length, data })
  }
}

const WORD = 2 ** 32

/** Writes each value as two words: a BigInt per value would cost more than all the rest. */
function gatherMinutes(values: Int32Array | Float64Array): Gather {
  const validity = new Validity()
  const zeroWords = zeros()
  return (rows) => {
    validity.reset(rows.length)
    const words = zeroWords(2 * rows.length)
    for (let i = 0; i < rows.length; i++) {
      const minute = values[rows[i]!]!
      if (minute === NULL_INTEGER || Number.isNaN(minute)) {
        validity.markNull(i)
        continue
      }
      const instant = instantOfMinute(minute)
      words[2 * i] = instant
      words[2 * i + 1] = Math.floor(instant / WORD)
    }
    const data = new BigInt64Array(words.buffer, 0, rows.length)
    const type = arrowTypes.minute as TimestampMillisecond
    return makeData({ type, ...validity.properties, length: rows.length, data })
  }
}

/** Writes 128 bits in two's complement: an amount fits into 54 bits, and the others repeat its sign. */
function gatherDecimals(values: Float64Array): Gather {
  const validity = new Validity()
  const zeroWords = zeros()
  return (rows) => {
    validity.reset(rows.length)
    const words = zeroWords(4 * rows.length)
    for (let i = 0; i < rows.length; i++) {
      const scaled = values[rows[i]!]!
      if (Number.isNaN(scaled)) {
        validity.markNull(i)
        continue
      }
      words[4 * i] = scaled
      words[4 * i + 1] = Math.floor(scaled / WORD)
      if (scaled < 0) words.fill(-1, 4 * i + 2, 4 * i + 4)
    }
    const data = new Uint32Array(words.buffer, 0, words.length)
    return makeData({
      type: arrowTypes.decimal as Decimal,
      ...validity.properties,
      length: rows.length,
      data,
    })
  }
}

function gatherBooleans(bits: Uint8Array): Gather {
  return (rows) => {
    const data = new Uint8Array(bytesFor(rows.length))
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      if ((bits[row >> 3]! >> (row & 7)) & 1) data[i >> 3]! |= 1 << (i & 7)
    }
    return makeData({ type: arrowTypes.boolean as Bool, nullCount: 0, length: rows.length, data })
  }
}
