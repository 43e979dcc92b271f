/**
 * Writes the columns of a collection as CSV cells, by the rules of `kernel/csv.ts`: null as an empty cell and the empty text
 * as `""`. Dates, numbers and booleans are written as in JSON.
 */
import { csvCell, LINE_END, LONE_NULL } from '../../kernel/csv.ts'
import { formatScaled } from '../../kernel/decimal.ts'
import { NULL_INTEGER } from '../../schema/field.ts'
import type { ByteSpan, EncodedColumn, EncodedTexts, FindMember } from '../encoded-records.ts'
import { ByteWriter } from './byte-writer.ts'
import type { DayTexts } from './day-texts.ts'
import { encodedTexts } from './encoded-texts.ts'
import type { RecordPart } from './selected/blocks.ts'

/** Appends the cell of a row. */
export type WriteCell = (row: number, to: ByteWriter) => void

export function cellsOf(column: EncodedColumn, rowCount: number, days: DayTexts): WriteCell {
  switch (column.type) {
    case 'text':
      return textCells(column, rowCount)
    case 'date':
      return integerCells(column.values, (day, to) => days.date(day, to))
    case 'minute':
      return integerCells(column.values, (minute, to) => days.minute(minute, to))
    case 'wide-minute':
      return doubleCells(column.values, (minute, to) => days.minute(minute, to))
    case 'integer':
      return integerCells(column.values, (value, to) => to.text(String(value)))
    case 'decimal':
      return doubleCells(column.values, (scaled, to) => to.text(formatScaled(scaled)))
    case 'boolean':
      return (row, to) => to.text((column.bits[row >> 3]! >> (row & 7)) & 1 ? 'true' : 'false')
  }
}

const COMMA = 0x2c

/** Appends the line of a row. */
export function appendLine(cells: readonly WriteCell[], row: number, to: ByteWriter): void {
  const begin = to.length
  for (let c = 0; c < cells.length; c++) {
    if (c > 0) to.byte(COMMA)
    cells[c]!(row, to)
  }
  if (to.length === begin) to.text(LONE_NULL)
  to.text(LINE_END)
}

function textCells(column: EncodedTexts, rowCount: number): WriteCell {
  const { codes, dictionary } = column
  const append = encodedTexts(column, rowCount, csvCell)
  return (row, to) => {
    const code = codes[row]!
    if (code !== dictionary.size) append(code, to)
  }
}

type WriteNumber = (value: number, to: ByteWriter) => void

function integerCells(values: Int32Array, write: WriteNumber): WriteCell {
  return (row, to) => {
    const value = values[row]!
    if (value !== NULL_INTEGER) write(value, to)
  }
}

function doubleCells(values: Float64Array, write: WriteNumber): WriteCell {
  return (row, to) => {
    const value = values[row]!
    if (!Number.isNaN(value)) write(value, to)
  }
}

/** The JSON of elements with some of their members, quoted like that of whole ones. */
export function elementCells(elements: RecordPart): WriteCell {
  const json = new ByteWriter(Buffer.alloc(0))
  const rows = new Int32Array(1)
  const span: ByteSpan = { begin: 0, end: 0 }
  return (row, to) => {
    json.length = 0
    rows[0] = row
    elements.begin(rows, 1)
    elements.write(0, json)
    span.end = json.length
    if (span.end === EMPTY_LIST.length) to.text(EMPTY_LIST)
    else appendQuoted(json.bytes, span, to)
  }
}

const QUOTE = 0x22
const EMPTY_LIST = '[]'

/** JSON contains quotes, so the cell must be quoted, unless the list is empty. */
export function nestedCells(source: Buffer, find: FindMember): WriteCell {
  const span: ByteSpan = { begin: 0, end: 0 }
  return (row, to) => {
    find(row, span)
    if (span.end - span.begin === EMPTY_LIST.length) to.text(EMPTY_LIST)
    else appendQuoted(source, span, to)
  }
}

function appendQuoted(source: Buffer, { begin, end }: ByteSpan, to: ByteWriter): void {
  to.reserve(2 * (end - begin) + 2)
  const { bytes } = to
  let at = to.length
  bytes[at++] = QUOTE
  for (let from = begin; from < end; from++) {
    const byte = source[from]!
    bytes[at++] = byte
    if (byte === QUOTE) bytes[at++] = QUOTE
  }
  bytes[at++] = QUOTE
  to.length = at
}
