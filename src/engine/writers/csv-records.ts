/**
 * Writes records as CSV: a byte order mark, by which Excel recognises UTF-8, a header line, and a line per record. The columns
 * have the order of the record's members; each custom label is a column, and a nested collection is one column with its JSON.
 */
import { csvCell, csvLine } from '../../kernel/csv.ts'
import { bufferOver, type EncodedCollection, type RowNumbers } from '../encoded-records.ts'
import type { RecordKind } from '../engine.ts'
import { membersOf, type RecordMember } from '../record-members.ts'
import { ByteWriter } from './byte-writer.ts'
import { fullLength } from './chunk-room.ts'
import { appendLine, cellsOf, elementCells, nestedCells, type WriteCell } from './csv-cells.ts'
import { DayTexts } from './day-texts.ts'
import { columnNamed, type OpenWriter } from './record-writer.ts'
import { elementsPart } from './selected/elements-part.ts'

const BYTE_ORDER_MARK = '\ufeff'

export const csvWriter: OpenWriter = (of, room) => csvWriterOf(columnsOf)(of, room)

/** @param columnsOf the columns of the records, or more */
export const csvWriterOf =
  (columnsOf: (of: RecordKind) => readonly CsvColumn[]): OpenWriter =>
  (of, room) => {
    const newChunk = () => new ByteWriter(room.memory.take(room.chunkBytes))
    const days = new DayTexts()
    /** Made with the first chunk, so that nothing is written before it is needed. */
    let columns: readonly CsvColumn[] | null = null
    const begin = (chunk: ByteWriter): readonly CsvColumn[] => {
      const begun = columnsOf(of)
      chunk.text(BYTE_ORDER_MARK + csvLine(begun.map(({ name }) => csvCell(name))))
      return begun
    }
    return {
      *batch(records) {
        const chunk = newChunk()
        columns ??= begin(chunk)
        const { collection, rows } = records
        const cells = columns.map(({ open }) => open(collection, rows.count, days))
        yield* linesOf(rows, cells, chunk, newChunk, fullLength(room))
      },
      *end() {
        if (columns !== null) return
        const chunk = newChunk()
        columns = begin(chunk)
        yield chunk.written()
      },
    }
  }

function* linesOf(
  { ids, from, count }: RowNumbers,
  cells: readonly WriteCell[],
  first: ByteWriter,
  newChunk: () => ByteWriter,
  full: number,
): Generator<Uint8Array, void, undefined> {
  let chunk = first
  for (let i = 0; i < count; i++) {
    if (chunk.length >= full) {
      yield chunk.written()
      chunk = newChunk()
    }
    appendLine(cells, ids === null ? from + i : ids[from + i]!, chunk)
  }
  yield chunk.written()
}

export type CsvColumn = {
  readonly name: string
  readonly open: (collection: EncodedCollection, rowCount: number, days: DayTexts) => WriteCell
}

export function columnsOf(of: RecordKind): readonly CsvColumn[] {
  return membersOf(of).flatMap((member) => columnsOfMember(member, of))
}

function columnsOfMember(member: RecordMember, of: RecordKind): readonly CsvColumn[] {
  const { name } = member
  switch (member.kind) {
    case 'field':
      return [
        {
          name,
          open: ({ columns }, rowCount, days) => cellsOf(columnNamed(columns, name), rowCount, days),
        },
      ]
    case 'elements':
      return [{ name, open: (collection, rowCount) => cellsOfElements(member, collection, rowCount) }]
    case 'labels':
      return member.labels.map((label) => ({
        name: `${name}.${label}`,
        open: ({ custom }, rowCount, days) => cellsOf(columnNamed(custom, label), rowCount, days),
      }))
    case 'list':
      throw new Error(`Records of ${of.dataset} cannot be written as CSV: ${name}`)
  }
}

function cellsOfElements(
  member: Extract<RecordMember, { kind: 'elements' }>,
  collection: EncodedCollection,
  rowCount: number,
): WriteCell {
  return member.isAsSpecified
    ? nestedCells(bufferOver(collection.json.bytes), collection.nestedJson())
    : elementCells(elementsPart(member, { ahead: '', behind: '' }, collection, rowCount))
}
