/**
 * The columns of a collection as Arrow columns of some of its rows, in types that every reader has: plain texts, days,
 * timestamps without a zone, and exact decimals.
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

/** What an amount needs is 16 digits; 18 are what readers with 64-bit decimals take. */
const DECIMAL_DIGITS = 18

export const arrowTypes: { readonly [T in FieldType]: DataType } = {
  text: new Utf8(),
  date: new DateDay(),
  minute: new TimestampMillisecond(),
  integer: new Int32(),
  decimal: new Decimal(DECIMAL_PLACES, DECIMAL_DIGITS),
  boolean: new Bool(),
}

/** The values of the rows, in their order: until the next ones are gathered, which are written to the same memory. */
export type Gather = (rows: Int32Array) => Data<DataType>

/** @param rowCount how many rows are going to be asked for altogether */
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

/** Zeros, in memory that is used again and again; it grows with the longest batch. */
function zeros(): (length: number) => Int32Array {
  let kept = new Int32Array(0)
  return (length) => {
    if (kept.length < length) kept = new Int32Array(length)
    return kept.subarray(0, length).fill(0)
  }
}

const bytesFor = (bits: number): number => (bits + 7) >> 3

/** Which values are there: a bit each, least significant first. */
class Validity {
  #bits = new Uint8Array(0)
  #byteLength = 0
  #nullCount = 0

  /** All of so many values are there. */
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

  /** Columns without nulls go without the bits. */
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

/** Written as two words each: a BigInt per value would cost more than all the rest. */
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

/** 128 bits in two's complement: an amount fits into 54 of them, and the rest repeat its sign. */
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
