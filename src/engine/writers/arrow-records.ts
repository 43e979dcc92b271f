/**
 * Writes the rows of an answer as an Arrow IPC stream: the schema, record batches gathered from the columns, and the end. The
 * fields have the order of the record's members; custom labels are the fields of a struct, a nested collection is a list of
 * structs. Answers without records are streams too.
 */
import {
  AsyncByteQueue,
  type Data,
  type DataType,
  Field,
  List,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Utf8,
} from 'apache-arrow'
import type { ShapeCollection } from '../../query/record-shape.ts'
import type { Field as SchemaField } from '../../schema/field.ts'
import { type EncodedCollection, elementsNamed, type RowNumbers } from '../encoded-records.ts'
import type { RecordKind } from '../engine.ts'
import { membersOf, partsOf, type RecordMember } from '../record-members.ts'
import { arrowTypes, type Gather, gatherer } from './arrow-columns.ts'
import type { ChunkMemory } from './chunk-room.ts'
import { columnNamed, type OpenWriter } from './record-writer.ts'
import { BATCH_CELLS, BATCH_ROWS, cellCounter } from './writable-batches.ts'

export const arrowWriter: OpenWriter = (of, room) => arrowWriterOf(columnsOf)(of, room)

/** @param columnsOf the columns of the records, or more */
export const arrowWriterOf =
  (columnsOf: (of: RecordKind) => readonly ArrowColumn[]): OpenWriter =>
  (of, { memory }) => {
    const written = new WrittenBytes()
    const cellsOf = cellCounter(of)
    const { collections } = partsOf(of)
    /** Opened with the first chunk, so that nothing is written before it is needed. */
    let opened: OpenStream | null = null
    const open = (): OpenStream => {
      opened ??= openStream(of, columnsOf(of), written)
      return opened
    }
    return {
      *batch({ collection, rows }) {
        const { columns, schema, writer } = open()
        const gathers = columns.map((column) => column.open(collection, rows.count))
        const offsets = collections.map(({ name }) => elementsNamed(collection, name).offsets)
        const cellsOfRow = (row: number) => cellsOf((at) => offsets[at]![row + 1]! - offsets[at]![row]!)
        for (let next = 0; next < rows.count; ) {
          const numbers = nextBatch(rows, next, cellsOfRow)
          writer.write(new RecordBatch(schema, structOf(schema.fields, gathers, numbers)))
          yield written.take(memory)
          next += numbers.length
        }
      },
      *end() {
        open().writer.close()
        yield written.take(memory)
      },
    }
  }

type OpenStream = {
  readonly columns: readonly ArrowColumn[]
  readonly schema: Schema
  readonly writer: RecordBatchStreamWriter
}

function openStream(of: RecordKind, columns: readonly ArrowColumn[], written: WrittenBytes): OpenStream {
  const metadata = new Map([
    ['tripfolio.clientNumber', of.clientNumber],
    ['tripfolio.list', of.dataset],
  ])
  const schema = new Schema(fieldsOf(columns), metadata)
  const writer = new RecordBatchStreamWriter({ autoDestroy: false }).reset(written, schema)
  return { columns, schema, writer }
}

/** The bytes that the writer has written since the last read. Its own queue can only be read asynchronously. */
class WrittenBytes extends AsyncByteQueue {
  #parts: Uint8Array[] = []

  override write(part: Uint8Array): void {
    this.#parts.push(part)
  }

  take(memory: ChunkMemory): Uint8Array {
    const chunk = memory.take(this.#parts.reduce((bytes, part) => bytes + part.byteLength, 0))
    let at = 0
    for (const part of this.#parts) {
      chunk.set(part, at)
      at += part.byteLength
    }
    this.#parts = []
    return chunk
  }
}

/** The numbers of as many rows as fit into a batch, at least one. */
function nextBatch(
  { ids, from, count }: RowNumbers,
  begin: number,
  cellsOfRow: (row: number) => number,
): Int32Array {
  const rows = new Int32Array(Math.min(BATCH_ROWS, count - begin))
  let length = 0
  for (let cells = 0; length < rows.length; length++) {
    const row = ids === null ? from + begin + length : ids[from + begin + length]!
    cells += cellsOfRow(row)
    if (cells > BATCH_CELLS && length > 0) break
    rows[length] = row
  }
  return rows.subarray(0, length)
}

export type ArrowColumn = {
  readonly field: Field
  /** @param rowCount how many rows are going to be asked for altogether */
  readonly open: (collection: EncodedCollection, rowCount: number) => Gather
}

export function columnsOf(of: RecordKind): readonly ArrowColumn[] {
  return membersOf(of).flatMap((member) => columnsOfMember(member, of))
}

function columnsOfMember(member: RecordMember, of: RecordKind): readonly ArrowColumn[] {
  switch (member.kind) {
    case 'field':
      return [scalarColumn(member.field)]
    case 'elements':
      return [listColumn(member)]
    case 'labels':
      return customColumn(member.name, member.labels)
    case 'list':
      throw new Error(`Records of ${of.dataset} cannot be written as Arrow: ${member.name}`)
  }
}

function scalarColumn({ name, type, nullable }: SchemaField): ArrowColumn {
  return {
    field: new Field(name, arrowTypes[type], nullable),
    open: ({ columns }, rowCount) => gatherer(columnNamed(columns, name), rowCount),
  }
}

/** No column when the client has no labels: some readers do not understand a struct without fields. */
function customColumn(name: string, labels: readonly string[]): readonly ArrowColumn[] {
  if (labels.length === 0) return []
  const fields = labels.map((label) => new Field(label, new Utf8(), true))
  const open: ArrowColumn['open'] = ({ custom }, rowCount) => {
    const gathers = labels.map((label) => gatherer(columnNamed(custom, label), rowCount))
    return (rows) => structOf(fields, gathers, rows)
  }
  return [{ field: new Field(name, new Struct(fields), false), open }]
}

function listColumn({ name, fields: elementFields }: ShapeCollection): ArrowColumn {
  const fields = elementFields.map((field) => new Field(field.name, arrowTypes[field.type], field.nullable))
  const type = new List(new Field('item', new Struct(fields), false))
  const open: ArrowColumn['open'] = (collection) => {
    const { columns, elementCount, offsets } = elementsNamed(collection, name)
    const gathers = elementFields.map((field) => gatherer(columnNamed(columns, field.name), elementCount))
    return (rows) => {
      const { valueOffsets, elements } = elementsOf(rows, offsets)
      const child = structOf(fields, gathers, elements)
      return makeData({ type, length: rows.length, nullCount: 0, valueOffsets, child })
    }
  }
  return { field: new Field(name, type, false), open }
}

/** The elements of the rows, one after another, and where the elements of each row begin. */
function elementsOf(
  rows: Int32Array,
  offsets: Int32Array,
): { readonly valueOffsets: Int32Array; readonly elements: Int32Array } {
  const valueOffsets = new Int32Array(rows.length + 1)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    valueOffsets[i + 1] = valueOffsets[i]! + offsets[row + 1]! - offsets[row]!
  }
  const elements = new Int32Array(valueOffsets[rows.length]!)
  for (let i = 0, at = 0; i < rows.length; i++) {
    const end = offsets[rows[i]! + 1]!
    for (let element = offsets[rows[i]!]!; element < end; element++) elements[at++] = element
  }
  return { valueOffsets, elements }
}

const fieldsOf = (columns: readonly ArrowColumn[]): Field[] => columns.map(({ field }) => field)

function structOf(fields: readonly Field[], gathers: readonly Gather[], rows: Int32Array): Data<Struct> {
  const children: Data<DataType>[] = gathers.map((gather) => gather(rows))
  return makeData({ type: new Struct([...fields]), length: rows.length, nullCount: 0, children })
}
