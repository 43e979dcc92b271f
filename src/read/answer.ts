/**
 * One request for records, start to end: parse, load, bind, execute. It is handed a principal, so no code below this line
 * can choose another client. Writing the answer is the edge's business.
 */
import type { Engine, ResultSet } from '../engine/engine.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Observe } from '../observe/observation.ts'
import type { QueryLimits } from '../query/limits.ts'
import type { DatasetName } from '../schema/datasets.ts'
import type { QueryMeta } from '../schema/shapes.ts'
import type { Catalogue } from '../snapshot/snapshot.ts'

export type DataRequest = {
  readonly dataset: DatasetName
  readonly principal: Principal
  /** Decoded query parameters in the order they were given, repetitions included. */
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

export type Answer = {
  readonly dataset: DatasetName
  readonly clientNumber: string
  readonly snapshotId: string
  /** When the source was extracted. */
  readonly lastModified: Date
  /** A strong validator in double quotes: changes with the client's data and with the meaning of the query. */
  readonly etag: string
  /** Present exactly when a query parameter of ours was given. */
  readonly meta: (result: ResultSet) => QueryMeta | null
  /** Runs the query. Not called when the caller's copy is still good. */
  readonly execute: () => Promise<ResultSet>
}

export type AnswerDeps = {
  readonly catalogue: Catalogue
  readonly engine: Engine
  readonly limits: QueryLimits
  readonly observe: Observe
}

export declare function answer(request: DataRequest, deps: AnswerDeps): Promise<Answer>
