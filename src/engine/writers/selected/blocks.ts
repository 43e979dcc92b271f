/**
 * Records are written in blocks of rows. The texts of a block's values are found first, column by column, and copied afterwards, row by
 * row: two short loops are several times faster than one that does both.
 */
import { BEYOND, type ByteWriter } from '../byte-writer.ts'

/** Values that are found at once, of all columns together: a reader that stops holds their texts. */
const MOST_VALUES = 2048
const MOST_ROWS = 512
/** With fewer rows, beginning a block would cost more than writing it. */
const LEAST_ROWS = 4

export const rowsPerBlock = (columnCount: number): number =>
  Math.max(LEAST_ROWS, Math.min(MOST_ROWS, Math.floor(MOST_VALUES / Math.max(1, columnCount))))

/** A part of each record, such as some of its members. */
export type RecordPart = {
  /** How many columns are read for a whole block; elements have blocks of their own. */
  readonly columnCount: number
  /** Begins a block with the first `count` of these rows, which stay as they are until the next block. */
  readonly begin: (rows: Int32Array, count: number) => void
  /** Appends the part of the row at a place of the block. Each place is written once, in their order. */
  readonly write: (place: number, to: ByteWriter) => void
}

/** A column, and where the texts of the current block are. */
export type ValueColumn = {
  readonly pieces: BlockPieces
  /** Begins a block with the first `count` of these rows. */
  readonly find: (rows: Int32Array, count: number) => void
}

/** What is ahead of each value or record, and behind it. */
export type Around = { readonly ahead: string; readonly behind: string }

/** Where the texts of a column are, by the place of the row in the block. */
export class BlockPieces {
  /** Can be read {@link BEYOND} the last text. */
  source: DataView
  begins: Int32Array = noPlaces
  /** 0 where there is nothing to write; {@link LATE} for a text that {@link late} writes: then `begins` has what is passed to it. */
  byteLengths: Int32Array = noPlaces
  late: (codeOrRow: number, to: ByteWriter) => void = noneIsLate

  constructor(source: DataView = nothing) {
    this.source = source
  }

  /** Makes room for a block of so many rows. */
  begin(count: number): this {
    if (count > this.begins.length) {
      this.begins = new Int32Array(count)
      this.byteLengths = new Int32Array(count)
    }
    return this
  }
}

export const LATE = -1

const nothing = new DataView(new ArrayBuffer(0))
const noPlaces = new Int32Array(0)

function noneIsLate(): never {
  throw new Error('This column has no text that is written late')
}

/**
 * Appends the texts of some places of the block, each column behind the other. It does what {@link ByteWriter.piece} does, with local
 * variables, which takes half of the time of a call for each text.
 */
export function writePlaces(
  columns: readonly BlockPieces[],
  first: number,
  count: number,
  to: ByteWriter,
): void {
  let { length: at, view } = to
  let room = to.bytes.length
  for (let place = first; place < first + count; place++) {
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!
      const byteLength = column.byteLengths[place]!
      const end = at + byteLength
      if (byteLength === LATE || end + BEYOND > room) {
        to.length = at
        if (byteLength === LATE) column.late(column.begins[place]!, to)
        else to.piece(column.source, column.begins[place]!, byteLength)
        ;({ length: at, view } = to)
        room = to.bytes.length
        continue
      }
      const { source } = column
      for (let from = column.begins[place]!; at < end; from += 8, at += 8) {
        view.setBigInt64(at, source.getBigInt64(from, true), true)
      }
      at = end
    }
  }
  to.length = at
}
