/**
 * How host functions ask for bookings, invoices and itineraries: the same question as one of version 2, put by whoever wires
 * the service. A script names the client: endpoints are written by operators, who may read all of them.
 */
import type { Cancellation } from '../../kernel/cancellation.ts'
import type { ListName } from '../../schema/datasets.ts'
import type { QueryMeta } from '../../schema/shapes.ts'

export type RecordsQuestion = {
  readonly list: ListName
  readonly clientNumber: string
  /** Parameters of version 2 by name, decoded, in order. */
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

export type FoundRecords = {
  /** Records in this answer. */
  readonly count: number
  readonly meta: QueryMeta | null
  /**
   * The records as JSON, cut between records into chunks of about so many bytes, each built when it is asked for: what they
   * are once joined is the inside of an array.
   */
  readonly chunks: (chunkBytes: number) => Iterable<Uint8Array> | AsyncIterable<Uint8Array>
}

/** What one run asks: all of it is answered from the snapshot that was current when the run began. */
export type RunRecords = {
  readonly query: QueryRecords
  /** When the source of that snapshot was extracted; null when there was none. */
  readonly dataAsOf: Date | null
}

/** For a run that begins. */
export type OpenRecords = () => RunRecords

/**
 * @throws QueryProblem, or another Problem, when the question cannot be answered
 * @throws the reason when it is cancelled before the answer is there
 */
export type QueryRecords = (question: RecordsQuestion, cancellation: Cancellation) => Promise<FoundRecords>
