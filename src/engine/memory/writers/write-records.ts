/**
 * The rows of an answer as a result set: each format has a writer of its own, which builds a chunk when it is asked for
 * one. Nothing is written before.
 */

import type { DatasetName } from '../../../schema/datasets.ts'
import type { RecordFormat } from '../../../schema/record-formats.ts'
import type { Partition } from '../../../snapshot/partition.ts'
import { freshMemory, type ResultSet } from '../../engine.ts'
import type { PageRows } from '../selection.ts'
import { arrowRecords } from './arrow-records.ts'
import type { ChunkRoom } from './chunk-room.ts'
import { csvRecords } from './csv-records.ts'
import { jsonRecords } from './json-records.ts'

export function resultSet(
  partition: Partition,
  dataset: DatasetName,
  total: number,
  rows: PageRows,
): ResultSet {
  const chunks: ResultSet['chunks'] = (format, chunkBytes, memory = freshMemory) =>
    writers[format](partition, dataset, rows, { chunkBytes, memory })
  return { total, count: rows.count, chunks }
}

type Writer = (
  partition: Partition,
  dataset: DatasetName,
  rows: PageRows,
  room: ChunkRoom,
) => Iterable<Uint8Array>

const writers: { readonly [Format in RecordFormat]: Writer } = {
  json: jsonRecords('array'),
  ndjson: jsonRecords('lines'),
  csv: csvRecords,
  arrow: arrowRecords,
}
