/**
 * The rows of an answer as CSV: a byte order mark, by which Excel knows UTF-8, a header line, and a line per record. The
 * columns stand in the order of the record's members; each custom label has one of its own, and a nested collection is a
 * single one that holds its JSON.
 */
import { type DatasetName, datasetsByName } from '../../../schema/datasets.ts'
import type { Partition } from '../../../snapshot/partition.ts'
import type { PageRows } from '../selection.ts'
import { ByteWriter, bufferOver } from './byte-writer.ts'
import type { ChunkRoom } from './chunk-room.ts'
import { cellsOf, csvText, nestedCells, type WriteCell } from './csv-cells.ts'
import { DayTexts } from './day-texts.ts'
import { findNested } from './nested-json.ts'

const BYTE_ORDER_MARK = '\ufeff'
const LINE_END = '\r\n'
const COMMA = 0x2c

/** So that the last record of a chunk seldom makes it grow. */
const SPARE_BYTES = 4096

export function* csvRecords(
  partition: Partition,
  dataset: DatasetName,
  { ids, from, count }: PageRows,
  { chunkBytes, memory }: ChunkRoom,
): Generator<Uint8Array, void, undefined> {
  const columns = columnsOf(partition, dataset, count)
  const cells = columns.map(({ write }) => write)
  let chunk = new ByteWriter(memory.take(chunkBytes + SPARE_BYTES))
  chunk.text(BYTE_ORDER_MARK + columns.map(({ name }) => csvText(name)).join(',') + LINE_END)
  for (let i = 0; i < count; i++) {
    if (chunk.length >= chunkBytes) {
      yield chunk.written()
      chunk = new ByteWriter(memory.take(chunkBytes + SPARE_BYTES))
    }
    const row = ids === null ? from + i : ids[from + i]!
    for (let c = 0; c < cells.length; c++) {
      if (c > 0) chunk.byte(COMMA)
      cells[c]!(row, chunk)
    }
    chunk.text(LINE_END)
  }
  yield chunk.written()
}

type CsvColumn = { readonly name: string; readonly write: WriteCell }

function columnsOf(partition: Partition, dataset: DatasetName, rowCount: number): readonly CsvColumn[] {
  const { record, nested } = datasetsByName[dataset]
  const days = new DayTexts()
  return Object.keys(record.properties).flatMap((name): CsvColumn[] => {
    const column = partition.columns.get(name)
    if (column !== undefined) return [{ name, write: cellsOf(column, rowCount, days) }]
    if (name === nested?.name) {
      return [{ name, write: nestedCells(bufferOver(partition.records.bytes), findNested(partition)) }]
    }
    if (name !== 'customDataFields')
      throw new Error(`Records of ${dataset} cannot be written as CSV: ${name}`)
    return [...partition.custom].map(([label, texts]) => ({
      name: `${name}.${label}`,
      write: cellsOf(texts, rowCount, days),
    }))
  })
}
