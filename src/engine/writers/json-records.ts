/**
 * Writes records as JSON: copies finished record bytes one after another, with commas between them or a line feed after each.
 * Nothing is serialised. A record that is the first part of stored bytes is closed with a brace.
 */
import { bufferOver, type EncodedRecords } from '../encoded-records.ts'
import type { ChunkRoom } from './chunk-room.ts'
import type { OpenWriter } from './record-writer.ts'

/** `array`: the inside of a JSON array. `lines`: newline-delimited JSON. */
export type JsonLayout = 'array' | 'lines'

export const jsonWriter =
  (layout: JsonLayout): OpenWriter =>
  (_of, room) => {
    // In an array a comma precedes each record except the first one of the answer.
    let isBehindOthers = false
    return {
      batch: (records) => {
        const written = { records, layout, isBehindOthers }
        if (records.rows.count > 0) isBehindOthers = true
        return chunksOf(written, room)
      },
    }
  }

type WrittenBatch = {
  readonly records: EncodedRecords
  readonly layout: JsonLayout
  readonly isBehindOthers: boolean
}

function* chunksOf(
  written: WrittenBatch,
  { chunkBytes, memory }: ChunkRoom,
): Generator<Uint8Array, void, undefined> {
  const { collection, rows } = written.records
  const source = bufferOver(collection.json.bytes)
  for (let next = 0; next < rows.count; ) {
    const { end, size } = chunkFrom(written, next, chunkBytes)
    yield writeChunk(source, memory.take(size), written, { next, end })
    next = end
  }
}

const COMMA = 0x2c
const LINE_FEED = 0x0a
const CLOSING_BRACE = 0x7d

/** A chunk with as many records as fit, at least one. */
function chunkFrom(
  { records, layout, isBehindOthers }: WrittenBatch,
  next: number,
  chunkBytes: number,
): { end: number; size: number } {
  const { offsets, fronts } = records.collection.json
  const { ids, from, count } = records.rows
  let size = 0
  let end = next
  while (end < count) {
    const row = ids === null ? from + end : ids[from + end]!
    const length = fronts === null ? offsets[row + 1]! - offsets[row]! : fronts[row]! + 1
    const grown = size + length + (end === 0 && layout === 'array' && !isBehindOthers ? 0 : 1)
    if (grown > chunkBytes && end > next) break
    size = grown
    end++
  }
  return { end, size }
}

function writeChunk(
  source: Buffer,
  target: Buffer,
  { records, layout, isBehindOthers }: WrittenBatch,
  { next, end }: { readonly next: number; readonly end: number },
): Uint8Array {
  const { offsets, fronts } = records.collection.json
  const { ids, from } = records.rows
  const inLines = layout === 'lines'
  let at = 0
  for (let i = next; i < end; i++) {
    if (!inLines && (i > 0 || isBehindOthers)) target[at++] = COMMA
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
