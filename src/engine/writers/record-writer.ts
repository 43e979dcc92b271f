/**
 * What every format implements: encoded records in, chunks out. An engine with encoded records hands in its whole result at
 * once; the rows of any other engine come batch by batch.
 */
import type { EncodedRecords } from '../encoded-records.ts'
import type { RecordKind } from '../engine.ts'
import type { ChunkRoom } from './chunk-room.ts'

/** Chunks are built when they are asked for, and nothing is written before. */
export type RecordWriter = {
  /** Called again with what comes next, once all chunks of the batch before were taken. */
  readonly batch: (records: EncodedRecords) => Iterable<Uint8Array>
  /** What stands behind the last record, and before the first one where there was none. */
  readonly end?: () => Iterable<Uint8Array>
}

/** For one result, written once. */
export type OpenWriter = (of: RecordKind, room: ChunkRoom) => RecordWriter

export function columnNamed<Column>(columns: ReadonlyMap<string, Column>, name: string): Column {
  const column = columns.get(name)
  if (column === undefined) throw new Error(`The records have no column ${name}`)
  return column
}
