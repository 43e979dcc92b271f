/**
 * Finds the values of a column as JSON, each between the same bytes: ahead of it is the name of its member. Values have the bytes of
 * finished records, with the same escapes and the same numbers. A text that comes often is encoded once, with what is around it.
 */
import { formatDate, MINUTES_PER_DAY } from '../../../kernel/calendar.ts'
import { DECIMAL_SCALE, formatScaled } from '../../../kernel/decimal.ts'
import { NULL_INTEGER } from '../../../schema/field.ts'
import type { EncodedColumn } from '../../encoded-records.ts'
import { BEYOND } from '../byte-writer.ts'
import { BYTES_PER_TIME, TIME_BYTES, timesOfDay } from '../day-texts.ts'
import { type Around, BlockPieces, LATE, type ValueColumn } from './blocks.ts'
import { amountBytes, integerBytes, MOST_NUMBER_BYTES, MOST_WHOLE } from './number-bytes.ts'
import { textColumn } from './text-columns.ts'
import { newTexts, TextPieces } from './text-pieces.ts'

/**
 * The columns whose pieces make up the values of a column, one behind the other.
 *
 * @param rowCount how many rows will be written in all
 */
export function valueColumns(
  column: EncodedColumn,
  around: Around,
  rowCount: number,
): readonly ValueColumn[] {
  const { ahead, behind } = around
  switch (column.type) {
    case 'text':
      return [textColumn(column, around, `${ahead}null${behind}`, rowCount)]
    case 'date':
      return [dayColumn(column.values, 1, around, rowCount)]
    case 'minute':
    case 'wide-minute': {
      const columns = [
        dayColumn(column.values, MINUTES_PER_DAY, { ahead, behind: '' }, rowCount),
        timeColumn(column.values),
      ]
      return behind === '' ? columns : [...columns, constantColumn(behind)]
    }
    case 'integer':
      return [numberColumn(column.values, around, integers)]
    case 'decimal':
      return [numberColumn(column.values, around, amounts)]
    case 'boolean':
      return [booleanColumn(column.bits, around)]
  }
}

/** Days are close together: the text of a day is found by the last bits of its number. More than eleven years; a power of two. */
const MOST_DAY_SLOTS = 4096

/** Days that lie far apart take each other's slots; with so many bytes of texts, all are forgotten before the next block. */
const MOST_DAY_BYTES = 2 ** 17

/** No day has this number. */
const NO_DAY = NULL_INTEGER

/**
 * @param perDay how many of the values make a day; if they are more than one, the time follows in a column of its own, and what is behind a
 *   value behind that
 */
function dayColumn(
  values: Int32Array | Float64Array,
  perDay: number,
  { ahead, behind }: Around,
  rowCount: number,
): ValueColumn {
  const none = nullOf(values)
  const slots = Math.min(2 ** (32 - Math.clz32(2 * rowCount)), MOST_DAY_SLOTS)
  const texts = newTexts()
  texts.text(`${ahead}null${behind}`)
  const nullBytes = texts.length
  const textOf = (day: number): string => `${ahead}"${formatDate(day)}${perDay === 1 ? `"${behind}` : ''}`
  const dayBytes = Buffer.byteLength(textOf(0))
  const days = new Int32Array(slots).fill(NO_DAY)
  const dayBegins = new Int32Array(slots)
  const pieces = new BlockPieces()
  return {
    pieces,
    find(rows, count) {
      if (texts.length > MOST_DAY_BYTES) {
        texts.length = nullBytes
        days.fill(NO_DAY)
      }
      const { begins, byteLengths } = pieces.begin(count)
      for (let place = 0; place < count; place++) {
        const value = values[rows[place]!]!
        if (isNull(value, none)) {
          begins[place] = 0
          byteLengths[place] = nullBytes
          continue
        }
        const day = perDay === 1 ? value : Math.floor(value / perDay)
        const slot = day & (slots - 1)
        if (days[slot] !== day) {
          days[slot] = day
          dayBegins[slot] = texts.length
          texts.text(textOf(day))
        }
        begins[place] = dayBegins[slot]!
        byteLengths[place] = dayBytes
      }
      pieces.source = texts.asSource()
    },
  }
}

/** The times of minutes and a quote, behind their days. */
function timeColumn(values: Int32Array | Float64Array): ValueColumn {
  const none = nullOf(values)
  const pieces = new BlockPieces(timesOfDay())
  return {
    pieces,
    find(rows, count) {
      const { begins, byteLengths } = pieces.begin(count)
      for (let place = 0; place < count; place++) {
        const minute = values[rows[place]!]!
        const isNone = isNull(minute, none)
        begins[place] = isNone
          ? 0
          : BYTES_PER_TIME * (minute - MINUTES_PER_DAY * Math.floor(minute / MINUTES_PER_DAY))
        byteLengths[place] = isNone ? 0 : TIME_BYTES + 1
      }
    },
  }
}

type NumberFormat = {
  /** Numbers beyond are written as texts. */
  readonly most: number
  readonly write: typeof integerBytes
  readonly text: (value: number) => string
}

const integers: NumberFormat = { most: MOST_WHOLE, write: integerBytes, text: String }
const amounts: NumberFormat = { most: MOST_WHOLE * DECIMAL_SCALE, write: amountBytes, text: formatScaled }

/** `null` as a word. */
const NULL_WORD = 0x6c6c756e

/** Each place of a block has a slot, in which what is ahead of numbers is written once. */
function numberColumn(
  values: Int32Array | Float64Array,
  { ahead, behind }: Around,
  { most, write, text }: NumberFormat,
): ValueColumn {
  const none = nullOf(values)
  const [aheadBytes, behindBytes] = [Buffer.from(ahead), Buffer.from(behind)]
  const slotBytes = aheadBytes.length + MOST_NUMBER_BYTES + behindBytes.length + BEYOND
  const pieces = new BlockPieces()
  pieces.late = (row, to) => to.text(ahead + text(values[row]!) + behind)
  return {
    pieces,
    find(rows, count) {
      const { begins, byteLengths } = pieces.begin(count)
      if (pieces.source.byteLength < count * slotBytes) pieces.source = slotsOf(count, slotBytes, aheadBytes)
      const { source } = pieces
      for (let place = 0; place < count; place++) {
        const value = values[rows[place]!]!
        if (Math.abs(value) > most && value !== none) {
          begins[place] = rows[place]!
          byteLengths[place] = LATE
          continue
        }
        const begin = place * slotBytes
        const numberBegin = begin + aheadBytes.length
        let end = numberBegin + 4
        if (isNull(value, none)) source.setInt32(numberBegin, NULL_WORD, true)
        else end = write(value, source, numberBegin)
        for (let i = 0; i < behindBytes.length; i++) source.setUint8(end++, behindBytes[i]!)
        begins[place] = begin
        byteLengths[place] = end - begin
      }
    },
  }
}

function slotsOf(count: number, slotBytes: number, ahead: Buffer): DataView {
  const slots = Buffer.alloc(count * slotBytes)
  for (let place = 0; place < count; place++) slots.set(ahead, place * slotBytes)
  return new DataView(slots.buffer, slots.byteOffset, slots.byteLength)
}

function booleanColumn(bits: Uint8Array, { ahead, behind }: Around): ValueColumn {
  const texts = new TextPieces(2)
  texts.add(0, `${ahead}false${behind}`)
  texts.add(1, `${ahead}true${behind}`)
  const pieces = new BlockPieces(texts.source())
  return {
    pieces,
    find(rows, count) {
      const { begins, byteLengths } = pieces.begin(count)
      for (let place = 0; place < count; place++) {
        const row = rows[place]!
        const bit = (bits[row >> 3]! >> (row & 7)) & 1
        begins[place] = texts.begins[bit]!
        byteLengths[place] = texts.byteLengths[bit]!
      }
    },
  }
}

/** The same text in each row. */
function constantColumn(text: string): ValueColumn {
  const texts = new TextPieces(1)
  texts.add(0, text)
  const pieces = new BlockPieces(texts.source())
  return {
    pieces,
    find(_rows, count) {
      const { begins, byteLengths } = pieces.begin(count)
      begins.fill(0, 0, count)
      byteLengths.fill(texts.byteLengths[0]!, 0, count)
    },
  }
}

/** What null is in these values, besides NaN. A decimal may be any number. */
const nullOf = (values: Int32Array | Float64Array): number =>
  values instanceof Int32Array ? NULL_INTEGER : Number.NaN

const isNull = (value: number, none: number): boolean => value === none || Number.isNaN(value)
