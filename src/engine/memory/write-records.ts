/**
 * The rows of an answer as JSON: finished record bytes copied one after another with commas between them. Nothing is
 * serialised. A booking is the front part of the stored itinerary, closed with a brace.
 */
import type { DatasetName } from '../../schema/datasets.ts'
import type { Partition, RecordBytes } from '../../snapshot/partition.ts'
import type { ResultSet } from '../engine.ts'
import type { PageRows } from './selection.ts'

export function resultSet(
  { records }: Partition,
  dataset: DatasetName,
  total: number,
  rows: PageRows,
): ResultSet {
  const fronts = dataset === 'bookings' || dataset === 'bookings-v1' ? records.bookingLengths : null
  return { total, count: rows.count, jsonChunks: (chunkBytes) => chunksOf(records, fronts, rows, chunkBytes) }
}

function* chunksOf(
  records: RecordBytes,
  fronts: Int32Array | null,
  rows: PageRows,
  chunkBytes: number,
): Generator<Uint8Array, void, undefined> {
  const { bytes } = records
  // A Buffer's copy is several times faster than a typed array's out of shared memory.
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let next = 0; next < rows.count; ) {
    const { end, size } = chunkFrom(records, fronts, rows, next, chunkBytes)
    yield writeChunk(source, records, fronts, rows, { next, end, size })
    next = end
  }
}

type Chunk = { readonly next: number; readonly end: number; readonly size: number }

const COMMA = 0x2c
const CLOSING_BRACE = 0x7d

/** As many records as fit, but at least one. Each but the answer's first is preceded by a comma. */
function chunkFrom(
  { offsets }: RecordBytes,
  fronts: Int32Array | null,
  { ids, from, count }: PageRows,
  next: number,
  chunkBytes: number,
): { end: number; size: number } {
  let size = 0
  let end = next
  while (end < count) {
    const row = ids === null ? from + end : ids[from + end]!
    const length = fronts === null ? offsets[row + 1]! - offsets[row]! : fronts[row]! + 1
    const grown = size + length + (end === 0 ? 0 : 1)
    if (grown > chunkBytes && end > next) break
    size = grown
    end++
  }
  return { end, size }
}

function writeChunk(
  source: Buffer,
  { offsets }: RecordBytes,
  fronts: Int32Array | null,
  { ids, from }: PageRows,
  { next, end, size }: Chunk,
): Uint8Array {
  const target = Buffer.allocUnsafe(size)
  let at = 0
  for (let i = next; i < end; i++) {
    if (i > 0) target[at++] = COMMA
    const row = ids === null ? from + i : ids[from + i]!
    const begin = offsets[row]!
    const length = fronts === null ? offsets[row + 1]! - begin : fronts[row]!
    source.copy(target, at, begin, begin + length)
    at += length
    if (fronts !== null) target[at++] = CLOSING_BRACE
  }
  return target
}
