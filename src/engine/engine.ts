/**
 * The engine contract: a plan and the snapshot of one client in, a result out. Engines are handed that client's partition
 * only; there is nothing in the contract through which another client's rows could be asked for.
 */
import type { Cancellation } from '../kernel/cancellation.ts'
import type { QueryPlan } from '../query/plan/plan-nodes.ts'
import type { RecordFormat } from '../schema/record-formats.ts'
import type { Partition } from '../snapshot/partition.ts'

export interface Engine {
  /**
   * @throws the reason when it is cancelled before the result is there
   * @throws OverBudget when the request costs more than one may
   */
  execute(plan: QueryPlan, partition: Partition, cancellation?: Cancellation): Promise<ResultSet>
  /** Whether what the plan selects is known from before, so that executing it is hardly any work. Without it nothing is. */
  remembers?(plan: QueryPlan, partition: Partition): boolean
}

/** What a plan selects, ready to be written out. Holding one costs the row numbers, not the records. */
export interface ResultSet {
  /** Records after filtering, before paging. */
  readonly total: number
  /** Records in this answer: those of the page, or all of them. */
  readonly count: number
  /**
   * The records, cut at record boundaries into chunks of about `chunkBytes` (a larger record makes a larger chunk).
   * Pull-driven: a chunk is built when it is asked for. What the chunks are once joined:
   *
   * - `json`: UTF-8 JSON objects separated by commas, the inside of an array;
   * - `ndjson`: the same objects, each ended by a line feed;
   * - `csv`: UTF-8 with a byte order mark, a header line and a line per record, each ended by CRLF;
   * - `arrow`: an Arrow IPC stream from its schema to its end.
   *
   * Records of version 1 can be written as `json` and `ndjson` only.
   */
  chunks(format: RecordFormat, chunkBytes: number, memory?: ChunkMemory): Iterable<Uint8Array>
}

/** Where chunks are written, for readers that use memory again: each chunk begins at the beginning of what was taken for it. */
export type ChunkMemory = {
  /** Arbitrary content. */
  readonly take: (byteLength: number) => Buffer
}

export const freshMemory: ChunkMemory = { take: (byteLength) => Buffer.allocUnsafe(byteLength) }
