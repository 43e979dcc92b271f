/**
 * The rows of an answer as an Arrow IPC stream: the schema, record batches gathered from the columns, and the end. The
 * fields stand in the order of the record's members; custom labels are the fields of a struct, a nested collection is a
 * list of structs. Answers without records are streams too.
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
import { type DatasetName, datasetsByName, type NestedCollection } from '../../../schema/datasets.ts'
import type { NestedColumns, Partition } from '../../../snapshot/partition.ts'
import type { ChunkMemory } from '../../engine.ts'
import type { PageRows } from '../selection.ts'
import { arrowTypes, type Gather, gatherer } from './arrow-columns.ts'
import type { ChunkRoom } from './chunk-room.ts'

/**
 * A batch is one chunk, of so many rows at most, and of fewer where they have many labels or elements. Large enough that
 * describing it costs little, small enough that nobody waits for it.
 */
const BATCH_ROWS = 1024
const BATCH_CELLS = 24_576

export function* arrowRecords(
  partition: Partition,
  dataset: DatasetName,
  rows: PageRows,
  { memory }: ChunkRoom,
): Generator<Uint8Array, void, undefined> {
  const columns = columnsOf(partition, dataset, rows.count)
  const metadata = new Map([
    ['tripfolio.clientNumber', partition.clientNumber],
    ['tripfolio.list', dataset],
  ])
  const schema = new Schema(fieldsOf(columns), metadata)
  const written = new WrittenBytes()
  const writer = new RecordBatchStreamWriter({ autoDestroy: false }).reset(written, schema)
  const cellsOf = cellCounter(partition, dataset)
  for (let next = 0; next < rows.count; ) {
    const batch = nextBatch(rows, next, cellsOf)
    writer.write(new RecordBatch(schema, structOf(columns, batch)))
    yield written.take(memory)
    next += batch.length
  }
  writer.close()
  yield written.take(memory)
}

/** What the writer has put out since the last look. Its own queue could only be read asynchronously. */
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

/** The numbers of as many rows as fit into a batch, but of one at least. */
function nextBatch(
  { ids, from, count }: PageRows,
  begin: number,
  cellsOf: (row: number) => number,
): Int32Array {
  const rows = new Int32Array(Math.min(BATCH_ROWS, count - begin))
  let length = 0
  for (let cells = 0; length < rows.length; length++) {
    const row = ids === null ? from + begin + length : ids[from + begin + length]!
    cells += cellsOf(row)
    if (cells > BATCH_CELLS && length > 0) break
    rows[length] = row
  }
  return rows.subarray(0, length)
}

/** Values of a row, those of its elements included: what it costs to write, whatever stands in it. */
function cellCounter({ columns, custom, nested }: Partition, dataset: DatasetName): (row: number) => number {
  const own = columns.size + custom.size
  if (nested === null || datasetsByName[dataset].nested === null) return () => own
  const { offsets } = nested
  return (row) => own + nested.columns.size * (offsets[row + 1]! - offsets[row]!)
}

type ArrowColumn = { readonly field: Field; readonly gather: Gather }

function columnsOf(partition: Partition, dataset: DatasetName, rowCount: number): readonly ArrowColumn[] {
  const { record, fields, nested } = datasetsByName[dataset]
  const scalars = new Map(scalarColumns(fields, partition.columns, rowCount).map((c) => [c.field.name, c]))
  return Object.keys(record.properties).flatMap((name): readonly ArrowColumn[] => {
    const scalar = scalars.get(name)
    if (scalar !== undefined) return [scalar]
    if (name === nested?.name && partition.nested !== null) return [listColumn(nested, partition.nested)]
    if (name !== 'customDataFields')
      throw new Error(`Records of ${dataset} cannot be written as Arrow: ${name}`)
    return customColumn(name, partition, rowCount)
  })
}

function scalarColumns(
  fields: NestedCollection['fields'],
  columns: Partition['columns'],
  rowCount: number,
): readonly ArrowColumn[] {
  return fields.map(({ name, type, nullable }) => {
    const column = columns.get(name)
    if (column === undefined) throw new Error(`The collection has no column ${name}`)
    return { field: new Field(name, arrowTypes[type], nullable), gather: gatherer(column, rowCount) }
  })
}

/** None where the client has no labels: a struct without fields is more than some readers understand. */
function customColumn(name: string, { custom }: Partition, rowCount: number): readonly ArrowColumn[] {
  if (custom.size === 0) return []
  const columns = [...custom].map(([label, column]) => ({
    field: new Field(label, new Utf8(), true),
    gather: gatherer(column, rowCount),
  }))
  const type = new Struct(fieldsOf(columns))
  return [{ field: new Field(name, type, false), gather: (rows) => structOf(columns, rows) }]
}

function listColumn({ name, fields }: NestedCollection, nested: NestedColumns): ArrowColumn {
  const columns = scalarColumns(fields, nested.columns, nested.elementCount)
  const type = new List(new Field('item', new Struct(fieldsOf(columns)), false))
  const gather: Gather = (rows) => {
    const { valueOffsets, elements } = elementsOf(rows, nested.offsets)
    const child = structOf(columns, elements)
    return makeData({ type, length: rows.length, nullCount: 0, valueOffsets, child })
  }
  return { field: new Field(name, type, false), gather }
}

/** The elements of the rows one after another, and where those of each row begin. */
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

function structOf(columns: readonly ArrowColumn[], rows: Int32Array): Data<Struct> {
  const children: Data<DataType>[] = columns.map(({ gather }) => gather(rows))
  return makeData({ type: new Struct(fieldsOf(columns)), length: rows.length, nullCount: 0, children })
}
