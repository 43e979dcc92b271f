/**
 * The engine over snapshot files in memory: opens a client's partition of a snapshot, and executes plans on its columns
 * (`plan-executor.ts`). Results are finished bytes of the partition.
 */
import type { Cancellation } from '../../kernel/cancellation.ts'
import type { AggregationPlan } from '../../query/aggregation.ts'
import type { QueryPlan } from '../../query/plan/plan-nodes.ts'
import { type DatasetName, datasetsByName } from '../../schema/datasets.ts'
import type { Partition } from '../../snapshot/partition.ts'
import type { Hold, LoadedPartition, Snapshot } from '../../snapshot/snapshot.ts'
import type { ClientData, Engine, ResultSet } from '../engine.ts'
import type { GroupSet } from '../group-set.ts'
import type { KeyedRecords } from '../keyed-records.ts'
import { type Aggregator, type AggregatorOptions, createAggregator } from './aggregation/aggregator.ts'
import { encodedCollection } from './encoded-partition.ts'
import { keyedPartition } from './keyed-partition.ts'
import { createPlanExecutor, type MemoryEngineOptions, type PlanExecutor } from './plan-executor.ts'

export function createMemoryEngine(options: MemoryEngineOptions & AggregatorOptions = {}): Engine<Snapshot> {
  const executor = createPlanExecutor(options)
  const aggregator = createAggregator(options)
  return {
    open: (snapshot, clientNumber, dataset) =>
      snapshot
        .partition(clientNumber, datasetsByName[dataset].stored)
        .then((loaded) => new OpenedPartition(loaded, dataset, { executor, aggregator })),
  }
}

/** A class, so that making one for every request is cheap. */
class OpenedPartition implements ClientData {
  readonly version: string
  readonly labels: readonly string[]
  readonly snapshotId: string
  readonly extractedAt: Date
  readonly hold: Hold
  readonly #partition: Partition
  readonly #dataset: DatasetName
  readonly #executor: PlanExecutor
  readonly #aggregator: Aggregator

  constructor(
    { partition, snapshotId, extractedAt, hold }: LoadedPartition,
    dataset: DatasetName,
    { executor, aggregator }: { readonly executor: PlanExecutor; readonly aggregator: Aggregator },
  ) {
    this.version = partition.version
    this.labels = partition.labels
    this.snapshotId = snapshotId
    this.extractedAt = extractedAt
    this.hold = hold
    this.#partition = partition
    this.#dataset = dataset
    this.#executor = executor
    this.#aggregator = aggregator
  }

  execute(plan: QueryPlan, cancellation?: Cancellation): Promise<ResultSet> {
    return this.#executor.execute(plan, this.#partition, cancellation)
  }

  keyed(): KeyedRecords {
    return keyedPartition(this.#partition, encodedCollection(this.#partition, this.#dataset).json)
  }

  aggregate(plan: AggregationPlan, cancellation?: Cancellation): Promise<GroupSet> {
    return this.#aggregator.aggregate(plan, this.#partition, cancellation)
  }

  remembers(plan: QueryPlan | AggregationPlan): boolean {
    if ('groupsOf' in plan) return this.#aggregator.remembers(plan, this.#partition)
    return this.#executor.remembers(plan, this.#partition)
  }
}
