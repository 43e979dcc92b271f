/**
 * One request for records, start to end: parse, load, bind, plan, execute. It is handed a principal, so no code below this line
 * can choose another client. One snapshot is taken at the start and used to the end. Writing the answer is the edge's
 * business.
 */
import { hash } from 'node:crypto'
import type { Engine, ResultSet } from '../engine/engine.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Observe, Stage } from '../observe/observation.ts'
import type { Paging } from '../query/ast.ts'
import { bindQuery } from '../query/bind/bind-query.ts'
import type { QueryLimits } from '../query/limits.ts'
import { parseParameters } from '../query/odata/parameters.ts'
import { planKey } from '../query/plan/plan-key.ts'
import { planQuery } from '../query/plan/plan-query.ts'
import { type DatasetName, datasets } from '../schema/datasets.ts'
import type { QueryMeta } from '../schema/shapes.ts'
import type { Catalogue } from '../snapshot/snapshot.ts'
import { notReady } from './problems.ts'

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
  /** Null when no query parameter of ours was given (specification 2.6). */
  readonly meta: (result: ResultSet) => QueryMeta | null
  /** Runs the query, until the signal says that nobody waits for it. Not called when the caller's copy is still good. */
  readonly execute: (signal?: AbortSignal) => Promise<ResultSet>
}

export type AnswerDeps = {
  readonly catalogue: Catalogue
  readonly engine: Engine
  readonly limits: QueryLimits
  readonly observe: Observe
}

/**
 * @throws Problem SRV201 while no snapshot is ready
 * @throws QueryProblem when a parameter cannot be understood
 */
export async function answer(request: DataRequest, deps: AnswerDeps): Promise<Answer> {
  const snapshot = deps.catalogue.current()
  if (snapshot === null) throw notReady()
  const dataset = datasets[request.dataset]
  const { clientNumber } = request.principal
  const timed = stageTimer(deps.observe)

  const parsed = timed('parse', () => parseParameters(request.parameters, deps.limits))
  const { partition, snapshotId, extractedAt } = await timed('load', () =>
    snapshot.partition(clientNumber, dataset.stored),
  )
  const bound = timed('bind', () =>
    bindQuery(parsed.query, dataset, [...partition.custom.keys()], parsed.texts),
  )

  const plan = timed('plan', () => planQuery(bound))

  return {
    dataset: request.dataset,
    clientNumber,
    snapshotId,
    lastModified: extractedAt,
    etag: etagOf(partition.version, planKey(plan), parsed.given),
    meta: (result) => (parsed.given ? metaOf(result.total, plan.paging) : null),
    execute: (signal) => timed('execute', () => deps.engine.execute(plan, partition, signal)),
  }
}

/** The order of members is that of the specification's table. */
function metaOf(total: number, paging: Paging | null): QueryMeta {
  if (paging === null) return { total, filteredCount: total }
  const { page, pageSize } = paging
  return { page, pageSize, total, totalPages: Math.ceil(total / pageSize), filteredCount: total }
}

function etagOf(version: string, key: string, withMeta: boolean): string {
  const digest = hash('sha256', `${version}\n${withMeta}\njson\n${key}`, 'base64url')
  return `"${digest.slice(0, 27)}"`
}

/** Times a stage from outside, up to the end of its promise if it gives one. */
function stageTimer(observe: Observe) {
  return <T>(stage: Stage, run: () => T): T => {
    const started = performance.now()
    const report = () => observe({ kind: 'stage-timed', stage, milliseconds: performance.now() - started })
    const result = run()
    if (result instanceof Promise) result.then(report, () => undefined)
    else report()
    return result
  }
}
