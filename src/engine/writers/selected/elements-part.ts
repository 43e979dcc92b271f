/** The elements of records with some of their fields, as JSON. Elements have blocks of their own: a record may have any number of them. */
import { type EncodedCollection, elementsNamed } from '../../encoded-records.ts'
import type { RecordMember } from '../../record-members.ts'
import { columnNamed } from '../record-writer.ts'
import { type Around, type RecordPart, rowsPerBlock, writePlaces } from './blocks.ts'
import { pieceWriter } from './text-pieces.ts'
import { valueColumns } from './value-columns.ts'

type Elements = Pick<Extract<RecordMember, { kind: 'elements' }>, 'name' | 'fields'>

const OPENING_BRACKET = 0x5b

/** @param rowCount how many rows will be written in all */
export function elementsPart(
  { name, fields }: Elements,
  { ahead, behind }: Around,
  collection: EncodedCollection,
  rowCount: number,
): RecordPart {
  const { offsets, columns, elementCount } = elementsNamed(collection, name)
  const expectedCount = Math.ceil((rowCount * elementCount) / Math.max(1, offsets.length - 1))
  const values = fields.flatMap((field, i) => {
    const around = {
      ahead: `${i === 0 ? ',{' : ','}${JSON.stringify(field.name)}:`,
      behind: i === fields.length - 1 ? '}' : '',
    }
    return valueColumns(columnNamed(columns, field.name), around, expectedCount)
  })
  const pieces = values.map((column) => column.pieces)
  const [open, close] = [pieceWriter(ahead), pieceWriter(`]${behind}`)]
  const elements = new Int32Array(rowsPerBlock(pieces.length))
  let rows: Int32Array = new Int32Array(0)
  let blockCount = 0
  /** The place of the row and the element of it that comes next, after those whose values were found. */
  let [nextPlace, nextElement] = [0, 0]
  /** Of the elements whose values were found: how many there are, and how many were written. */
  let [found, written] = [0, 0]

  const findNext = (): void => {
    found = 0
    written = 0
    while (nextPlace < blockCount && found < elements.length) {
      const row = rows[nextPlace]!
      const first = offsets[row]! + nextElement
      const count = Math.min(offsets[row + 1]! - first, elements.length - found)
      for (let i = 0; i < count; i++) elements[found++] = first + i
      if (first + count === offsets[row + 1]!) {
        nextPlace++
        nextElement = 0
      } else nextElement += count
    }
    for (const { find } of values) find(elements, found)
  }

  return {
    columnCount: 0,
    begin(blockRows, count) {
      rows = blockRows
      blockCount = count
      nextPlace = 0
      nextElement = 0
      found = 0
      written = 0
    },
    write(place, to) {
      open(to)
      const start = to.length
      const row = rows[place]!
      for (let left = offsets[row + 1]! - offsets[row]!; left > 0; ) {
        if (written === found) findNext()
        const count = Math.min(left, found - written)
        writePlaces(pieces, written, count, to)
        written += count
        left -= count
      }
      // The comma in front of the first one becomes the bracket.
      if (to.length === start) to.byte(OPENING_BRACKET)
      else to.bytes[start] = OPENING_BRACKET
      close(to)
    },
  }
}
