/**
 * The rows of an answer as JSON: finished record bytes copied one after another, with commas between them or a line feed
 * after each. Nothing is serialised. A booking is the front part of the stored itinerary, closed with a brace.
 */
import type { DatasetName } from '../../../schema/datasets.ts'
import type { Partition, RecordBytes } from '../../../snapshot/partition.ts'
import type { PageRows } from '../selection.ts'
import { bufferOver } from './byte-writer.ts'
import type { ChunkRoom } from './chunk-room.ts'

/** `array`: the inside of a JSON array. `lines`: newline-delimited JSON. */
type Layout = 'array' | 'lines'

export const jsonRecords =
  (layout: Layout) =>
  ({ records }: Partition, dataset: DatasetName, rows: PageRows, room: ChunkRoom) => {
    const fronts = dataset === 'bookings' || dataset === 'bookings-v1' ? records.bookingLengths : null
    return chunksOf({ records, fronts, rows, layout }, room)
  }

type JsonRecords = {
  readonly records: RecordBytes
  /** The bytes of each booking without its brace; null where records are written whole. */
  readonly fronts: Int32Array | null
  readonly rows: PageRows
  readonly layout: Layout
}

function* chunksOf(
  written: JsonRecords,
  { chunkBytes, memory }: ChunkRoom,
): Generator<Uint8Array, void, undefined> {
  const source = bufferOver(written.records.bytes)
  for (let next = 0; next < written.rows.count; ) {
    const { end, size } = chunkFrom(written, next, chunkBytes)
    yield writeChunk(source, memory.take(size), written, { next, end })
    next = end
  }
}

const COMMA = 0x2c
const LINE_FEED = 0x0a
const CLOSING_BRACE = 0x7d

/** As many records as fit, but at least one. In an array each but the answer's first is preceded by a comma. */
function chunkFrom(
  { records: { offsets }, fronts, rows: { ids, from, count }, layout }: JsonRecords,
  next: number,
  chunkBytes: number,
): { end: number; size: number } {
  let size = 0
  let end = next
  while (end < count) {
    const row = ids === null ? from + end : ids[from + end]!
    const length = fronts === null ? offsets[row + 1]! - offsets[row]! : fronts[row]! + 1
    const grown = size + length + (end === 0 && layout === 'array' ? 0 : 1)
    if (grown > chunkBytes && end > next) break
    size = grown
    end++
  }
  return { end, size }
}

function writeChunk(
  source: Buffer,
  target: Buffer,
  { records: { offsets }, fronts, rows: { ids, from }, layout }: JsonRecords,
  { next, end }: { readonly next: number; readonly end: number },
): Uint8Array {
  const inLines = layout === 'lines'
  let at = 0
  for (let i = next; i < end; i++) {
    if (i > 0 && !inLines) target[at++] = COMMA
    const row = ids === null ? from + i : ids[from + i]!
    const begin = offsets[row]!
    const length = fronts === null ? offsets[row + 1]! - begin : fronts[row]!
    source.copy(target, at, begin, begin + length)
    at += length
    if (fronts !== null) target[at++] = CLOSING_BRACE
    if (inLines) target[at++] = LINE_FEED
  }
  return target
}
