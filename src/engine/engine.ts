/**
 * The engine contract. An engine opens the data of one client in a snapshot and executes plans on what it has opened; through
 * the contract no other client's records can be requested. Where the records are stored (in memory, in a database) is up to
 * the engine. It returns records; the writers (`writers/`) turn them into bytes.
 */
import type { Cancellation } from '../kernel/cancellation.ts'
import type { AggregationPlan } from '../query/aggregation.ts'
import type { QueryPlan } from '../query/plan/plan-nodes.ts'
import type { RecordShape } from '../query/record-shape.ts'
import type { DatasetName } from '../schema/datasets.ts'
import type { FieldValue } from '../schema/field.ts'
import type { Hold } from '../snapshot/snapshot.ts'
import type { EncodedJson, EncodedRecords } from './encoded-records.ts'
import type { GroupSet } from './group-set.ts'
import type { KeyedRecords } from './keyed-records.ts'

/** What every engine gets to know about a snapshot. An engine that reads snapshot files needs more. */
export type SnapshotRef = { readonly id: string; readonly extractedAt: Date }

export interface Engine<Source extends SnapshotRef = SnapshotRef> {
  /**
   * Opens the data of one dataset of a client. A client that the snapshot does not know has no records.
   *
   * @throws Problem when there is no intact data to answer from
   */
  readonly open: (snapshot: Source, clientNumber: string, dataset: DatasetName) => Promise<ClientData>
}

export interface ClientData {
  /** Changes exactly when the client's data does. ETags are made from it. */
  readonly version: string
  /** The custom labels of the client, in their order. Names in queries are bound to them. */
  readonly labels: readonly string[]
  /** The snapshot that the data comes from: an older one when the file of the requested snapshot is damaged. */
  readonly snapshotId: string
  readonly extractedAt: Date
  /**
   * @param cancellation applies until the last record has been read
   * @throws the reason when the request is cancelled before there is a result
   * @throws OverBudget when the request costs more than a request may
   */
  execute(plan: QueryPlan, cancellation?: Cancellation): Promise<ResultSet>
  /**
   * Groups records or elements.
   *
   * @throws the reason when the request is cancelled before there is a result
   * @throws OverBudget when the request costs more than a request may, OverGroupLimit when there are too many groups
   */
  aggregate(plan: AggregationPlan, cancellation?: Cancellation): Promise<GroupSet>
  /** Reads records by their identity, for lists of changes of version 2. */
  keyed(): KeyedRecords
  /** Whether the engine already knows what the plan selects or groups, so that executing it costs little. */
  remembers(plan: QueryPlan | AggregationPlan): boolean
  /** Holds the data in memory while an answer is streamed from it. @returns a function that releases it */
  readonly hold: Hold
}

/** What a plan selects. Holding a result costs little memory: records are read on demand. */
export type ResultSet = RecordKind & {
  /** Records after filtering, before paging. */
  readonly total: number
  /** Records in this result: those of the page, or all. */
  readonly count: number
  /** Encoded records are finished bytes and columns, which are written without conversion and without waiting. */
  readonly records: EncodedRecords | FinishedRecords | RecordRows
}

/** What the writers must know about records besides their values. */
export type RecordKind = {
  readonly dataset: DatasetName
  readonly clientNumber: string
  /** All labels of the client. */
  readonly labels: readonly string[]
  /** The members that the records have; null: the record as specified. `record-members.ts` lists them. */
  readonly shape: RecordShape | null
}

/** Finished JSON of whole records that comes from elsewhere in batches. JSON is copied; other formats read the values from it. */
export type FinishedRecords = {
  readonly kind: 'finished'
  /**
   * The records in final order, which can be read once; synchronous when they are all there. A reader that stops early must end
   * the iteration, so that the engine releases what it holds open.
   */
  readonly batches: () => Iterable<FinishedBatch> | AsyncIterable<FinishedBatch>
}

export type FinishedBatch = { readonly count: number; readonly json: EncodedJson }

export type RecordRows = {
  readonly kind: 'rows'
  /**
   * The rows in final order, in batches of any size; they can be read once. A reader that stops early must end the iteration,
   * so that the engine releases what it holds open.
   */
  readonly batches: () => AsyncIterable<readonly RecordRow[]>
}

/**
 * The values of one record, whose fields, labels and collections are those of `partsOf` (record-members.ts). Texts are as they are;
 * days, minutes and scaled amounts are integers ({@link FieldValue}).
 */
export type RecordRow = {
  /** In the order of the record's fields. */
  readonly values: readonly FieldValue[]
  /** In the order of the record's labels; null when the label has no value. */
  readonly custom: readonly (string | null)[]
  /** The elements of each collection of the record in their order, each in the order of the collection's fields. */
  readonly collections: readonly (readonly (readonly FieldValue[])[])[]
  /** Finished JSON of the members that queries cannot reach (version 1 only), in the order of the record's shape. */
  readonly lists: readonly string[]
}
