/**
 * The contract by which host functions query bookings, invoices and itineraries, with the parameters of version 2. The
 * composition root implements it. A script may name any client, because operators write the scripts and may read all records.
 */
import type { Cancellation } from '../../kernel/cancellation.ts'
import type { UnknownLabels } from '../../query/bind/resolve-path.ts'
import type { ListName } from '../../schema/datasets.ts'
import type { QueryMeta } from '../../schema/shapes.ts'

export type RecordsQuestion = {
  readonly list: ListName
  readonly clientNumber: string
  /** Parameters of version 2 by name, decoded, in order. */
  readonly parameters: readonly (readonly [name: string, value: string])[]
  /** What labels do that the client does not have; by default what the setting says. */
  readonly unknownLabels?: UnknownLabels
}

export type FoundRecords = {
  /** The number of records in this answer, or of groups when the question has `$apply`. */
  readonly count: number
  readonly meta: QueryMeta | null
  /**
   * The records or groups as JSON, in chunks of about `chunkBytes` that end between records. A chunk is built when it is needed. Joined,
   * the chunks are the content of an array, without its brackets.
   */
  readonly chunks: (chunkBytes: number) => Iterable<Uint8Array> | AsyncIterable<Uint8Array>
}

/** The records of one run. All its queries read the snapshot that was current when the run began. */
export type RunRecords = {
  readonly query: QueryRecords
  /** Null when there was none. */
  readonly snapshot: RunSnapshot | null
}

export type RunSnapshot = {
  readonly id: string
  /** When its source was extracted. */
  readonly extractedAt: Date
  readonly publishedAt: Date
  /** Sorted by client number. @throws Problem when it cannot be read */
  readonly clients: () => Promise<readonly RecordedClient[]>
}

/** A client, and how many records there are of it. */
type RecordedClient = {
  readonly clientNumber: string
  readonly name: string
  readonly bookings: number
  readonly invoices: number
}

/** Called when a run begins. */
export type OpenRecords = () => RunRecords

/**
 * @throws QueryProblem, or another Problem, when the query cannot be answered
 * @throws the reason of the cancellation when it comes before the answer
 */
export type QueryRecords = (question: RecordsQuestion, cancellation: Cancellation) => Promise<FoundRecords>
