/**
 * What every format implements: a writer that turns encoded records into chunks. An engine with encoded records hands in its
 * whole result at once; the rows of any other engine come batch by batch.
 */
import type { EncodedRecords } from '../encoded-records.ts'
import type { RecordKind } from '../engine.ts'
import type { ChunkRoom } from './chunk-room.ts'

/** Builds chunks on demand; nothing is written before. */
export type RecordWriter = {
  /** Called with the next batch once all chunks of the batch before have been taken. */
  readonly batch: (records: EncodedRecords) => Iterable<Uint8Array>
  /** What follows the last record; when there are no records, also what precedes the first. */
  readonly end?: () => Iterable<Uint8Array>
}

/** Opens a writer for one result, which is written once. */
export type OpenWriter = (of: RecordKind, room: ChunkRoom) => RecordWriter

export function columnNamed<Column>(columns: ReadonlyMap<string, Column>, name: string): Column {
  const column = columns.get(name)
  if (column === undefined) throw new Error(`The records have no column ${name}`)
  return column
}
