/**
 * The engine contract. An engine opens the data of one client in a snapshot and executes plans on what it has opened; the
 * contract has nothing through which another client's records could be asked for. Where the records lie (in memory, in a
 * database) is the engine's own business. It gives records; the writers (`writers/`) turn them into bytes.
 */
import type { Cancellation } from '../kernel/cancellation.ts'
import type { QueryPlan } from '../query/plan/plan-nodes.ts'
import type { DatasetName } from '../schema/datasets.ts'
import type { FieldValue } from '../schema/field.ts'
import type { Hold } from '../snapshot/snapshot.ts'
import type { EncodedRecords } from './encoded-records.ts'

/** What every engine is told about a snapshot. An engine that reads snapshot files needs to know more of it. */
export type SnapshotRef = { readonly id: string; readonly extractedAt: Date }

export interface Engine<Source extends SnapshotRef = SnapshotRef> {
  readonly capabilities: EngineCapabilities
  /**
   * Opens the data that holds one dataset of a client. A client that the snapshot does not know has no records.
   *
   * @throws Problem when there is nothing intact to answer from
   */
  readonly open: (snapshot: Source, clientNumber: string, dataset: DatasetName) => Promise<ClientData>
}

/** The differences between engines that others may rely on. The conformance suite holds every engine to what it declares. */
type EngineCapabilities = {
  /** Results come as finished bytes and columns, and are written without a conversion and without waiting. */
  readonly encodedRecords: boolean
  /** The engine keeps what it selected, so that `remembers` can be true. */
  readonly remembersSelections: boolean
}

export interface ClientData {
  /** Changes exactly when the client's data does. ETags are made of it. */
  readonly version: string
  /** The custom labels of the client, in their order. Names in queries are bound to them. */
  readonly labels: readonly string[]
  /** The snapshot that the data is from: an older one where the file of the snapshot that was asked for is damaged. */
  readonly snapshotId: string
  readonly extractedAt: Date
  /**
   * @param cancellation holds until the last record was read
   * @throws the reason when it is cancelled before the result is there
   * @throws OverBudget when the request costs more than one may
   */
  execute(plan: QueryPlan, cancellation?: Cancellation): Promise<ResultSet>
  /** Whether the engine knows already what the plan selects, so that executing it is hardly any work. */
  remembers(plan: QueryPlan): boolean
  /** Keeps the data in place while an answer is written from it for longer than a moment. @returns what ends that */
  readonly hold: Hold
}

/** What a plan selects. Holding a result costs no records: they are read when they are asked for. */
export type ResultSet = RecordKind & {
  /** Records after filtering, before paging. */
  readonly total: number
  /** Records in this result: those of the page, or all of them. */
  readonly count: number
  /** Of the kind that the engine declares. */
  readonly records: EncodedRecords | RecordRows
}

/** What the writers have to know about records besides their values. */
export type RecordKind = {
  readonly dataset: DatasetName
  readonly clientNumber: string
  readonly labels: readonly string[]
}

export type RecordRows = {
  readonly kind: 'rows'
  /**
   * The rows in final order, in batches of any size, read once. Whoever stops early ends the iteration, and with it whatever
   * the engine holds open for it.
   */
  readonly batches: () => AsyncIterable<readonly RecordRow[]>
}

/** One record. Texts are as they are; days, minutes and scaled amounts are integers ({@link FieldValue}). */
export type RecordRow = {
  /** In the order of the dataset's fields. */
  readonly values: readonly FieldValue[]
  /** In the order of the labels; null where nothing was captured. */
  readonly custom: readonly (string | null)[]
  /** The nested collection in its order, each element in the order of the nested fields. Empty where the dataset has none. */
  readonly elements: readonly (readonly FieldValue[])[]
  /** Finished JSON of the members that no query reaches (version 1 only), in the order of the record's shape. */
  readonly lists: readonly string[]
}
