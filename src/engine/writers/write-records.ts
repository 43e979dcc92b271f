/**
 * Writes a result set as bytes, in any format. Encoded records are written directly, without waiting; rows are encoded batch
 * by batch, and written by the same writers. Finished JSON is copied, and read as rows for other formats.
 */
import type { RecordFormat } from '../../schema/record-formats.ts'
import type { EncodedRecords } from '../encoded-records.ts'
import type { FinishedBatch, FinishedRecords, RecordKind, RecordRows, ResultSet } from '../engine.ts'
import { arrowWriter } from './arrow-records.ts'
import { type ChunkMemory, type ChunkRoom, freshMemory } from './chunk-room.ts'
import { csvWriter } from './csv-records.ts'
import { encodeRows } from './encode-rows.ts'
import { finishedRecords, rowReader } from './finished-rows.ts'
import { jsonWriter } from './json-records.ts'
import type { OpenWriter, RecordWriter } from './record-writer.ts'
import { selectedJsonWriter } from './selected/selected-json.ts'
import { writableBatches } from './writable-batches.ts'

/** The selection of a plan, ready to be written. */
export interface WritableRecords {
  /** Records after filtering, before paging. */
  readonly total: number
  /** Records in this answer: those of the page, or all. */
  readonly count: number
  /**
   * The records, cut at record boundaries into chunks of about `chunkBytes` (a larger record makes a larger chunk).
   * Chunks are built on demand, and are asynchronous only when the engine is. The joined chunks are:
   *
   * - `json`: UTF-8 JSON objects separated by commas, the inside of an array;
   * - `ndjson`: the same objects, each ended by a line feed;
   * - `csv`: UTF-8 with a byte order mark, a header line and a line per record, each ended by CRLF;
   * - `arrow`: an Arrow IPC stream from its schema to its end.
   *
   * Records of version 1 can only be written as `json` and `ndjson`.
   */
  chunks(format: RecordFormat, chunkBytes: number, memory?: ChunkMemory): Chunks
}

export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

export function writable(result: ResultSet): WritableRecords {
  const { total, count, records } = result
  return {
    total,
    count,
    chunks: (format, chunkBytes, memory = freshMemory) => {
      const room = { chunkBytes, memory }
      if (records.kind === 'encoded') return writeEncoded(records, result, format, room)
      if (records.kind === 'rows') return writeRows(records, result, format, room)
      return format === 'json' || format === 'ndjson'
        ? writeFinished(records, result, format, room)
        : writeRows(rowsOf(records, result), result, format, room)
    },
  }
}

const writers: { readonly [Format in RecordFormat]: OpenWriter } = {
  json: jsonWriter('array'),
  ndjson: jsonWriter('lines'),
  csv: csvWriter,
  arrow: arrowWriter,
}

/** Selected members are not finished: they are written from the columns. Rows were selected before they were encoded. */
const selectedWriters: typeof writers = {
  ...writers,
  json: selectedJsonWriter('array'),
  ndjson: selectedJsonWriter('lines'),
}

function writeEncoded(
  records: EncodedRecords,
  of: RecordKind,
  format: RecordFormat,
  room: ChunkRoom,
): Iterable<Uint8Array> {
  const writer = (of.shape === null ? writers : selectedWriters)[format](of, room)
  return writer.end === undefined ? writer.batch(records) : withEnd(writer, records)
}

function* withEnd(
  { batch, end }: RecordWriter,
  records: EncodedRecords,
): Generator<Uint8Array, void, undefined> {
  yield* batch(records)
  if (end !== undefined) yield* end()
}

function writeFinished(
  { batches }: FinishedRecords,
  of: RecordKind,
  format: RecordFormat,
  room: ChunkRoom,
): Chunks {
  const { batch } = writers[format](of, room)
  const found = batches()
  return Symbol.asyncIterator in found ? lateChunks(found, batch) : chunksNow(found, batch)
}

function* chunksNow(
  batches: Iterable<FinishedBatch>,
  write: RecordWriter['batch'],
): Generator<Uint8Array, void, undefined> {
  for (const batch of batches) yield* write(finishedRecords(batch))
}

async function* lateChunks(
  batches: AsyncIterable<FinishedBatch>,
  write: RecordWriter['batch'],
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const batch of batches) yield* write(finishedRecords(batch))
}

function rowsOf({ batches }: FinishedRecords, of: RecordKind): RecordRows {
  const read = rowReader(of)
  return {
    kind: 'rows',
    async *batches() {
      for await (const batch of batches()) yield read(batch)
    },
  }
}

async function* writeRows(
  { batches }: RecordRows,
  of: RecordKind,
  format: RecordFormat,
  room: ChunkRoom,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { batch, end } = writers[format](of, room)
  for await (const rows of writableBatches(batches(), of)) yield* batch(encodeRows(rows, of))
  if (end !== undefined) yield* end()
}
