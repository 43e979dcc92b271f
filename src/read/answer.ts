/**
 * One request for records, start to end: parse, open, bind, plan, execute. It is handed a principal, so no code below this line
 * can choose another client. One snapshot is taken at the start and used to the end. Writing the answer is the edge's
 * business.
 */
import { hash } from 'node:crypto'
import type { ClientData, Engine } from '../engine/engine.ts'
import { OverBudget, type Overrun } from '../engine/work-budget.ts'
import { type WritableRecords, writable } from '../engine/writers/write-records.ts'
import type { Cancellation } from '../kernel/cancellation.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import type { Observe, Stage } from '../observe/observation.ts'
import { bindQuery } from '../query/bind/bind-query.ts'
import type { QueryLimits } from '../query/limits.ts'
import type { Page } from '../query/odata/parameters.ts'
import { planKey } from '../query/plan/plan-key.ts'
import type { QueryPlan } from '../query/plan/plan-nodes.ts'
import { planQuery } from '../query/plan/plan-query.ts'
import type { ListName } from '../schema/datasets.ts'
import type { RecordFormat } from '../schema/record-formats.ts'
import type { QueryMeta } from '../schema/shapes.ts'
import type { Catalogue, Hold, Snapshot } from '../snapshot/snapshot.ts'
import {
  type ApiVersion,
  datasetOf,
  languages,
  overBudget,
  type Parameters,
  type ParsedRequest,
} from './languages.ts'
import { planCache } from './plan-cache.ts'
import { notReady, stopped } from './problems.ts'

export type DataRequest = {
  readonly version: ApiVersion
  readonly list: ListName
  readonly principal: Principal
  /** Of an earlier answer, to stay with its snapshot; undefined for the current one. */
  readonly snapshotId?: string | undefined
  /** The query part of the address as it was sent: equal texts ask the same. Null where there was no address. */
  readonly query: string | null
  /**
   * What it says, in the order given, repetitions included. Names are decoded; so are the values of version 2, while those
   * of version 1 are as they stood in the address: its language is split before it is decoded. Asked for only when the
   * query is not known yet.
   */
  readonly parameters: () => Parameters
  /** Asked before a query is read that is not known yet; rejects when there is no time for it. */
  readonly mayRead?: () => Promise<never> | null
}

export type Answer = {
  readonly version: ApiVersion
  readonly list: ListName
  readonly clientNumber: string
  readonly snapshotId: string
  /** When the source was extracted. */
  readonly lastModified: Date
  /**
   * A strong validator in double quotes: changes with the client's data and with the meaning of the query. It is that of
   * the JSON; each other way to write the same answer has to add to it.
   */
  readonly etag: string
  /** As the query says; null where it is left to whoever writes the answer. Version 1 knows nothing but JSON. */
  readonly format: RecordFormat | null
  /** Parameters of the request that mean nothing to version 1, by name; version 2 never ignores what it should tell. */
  readonly ignored: readonly string[]
  /** Null in version 1, and when no query parameter of ours was given (specification 2.6). */
  readonly meta: (result: WritableRecords) => QueryMeta | null
  /**
   * Runs the query, until nobody waits for it. Not called when the caller's copy is still good.
   *
   * @throws Problem or QueryProblem QRY when it is certain to cost more than a request may, SRV241 when it turned out so
   */
  readonly execute: (cancellation?: Cancellation) => Promise<WritableRecords>
  /** Whether executing it is hardly any work, because what it selects is known from before. */
  readonly isRemembered: () => boolean
  /** For as long as it takes to write a result that is not written at once. @returns what ends that */
  readonly hold: Hold
}

export type AnswerDeps = {
  readonly catalogue: Catalogue
  /** It opens the snapshots of the catalogue. */
  readonly engine: Engine<Snapshot>
  readonly limits: QueryLimits
  readonly observe: Observe
}

/**
 * @throws Problem SRV201 while no snapshot is ready, SNP305 when the snapshot that was asked for is gone
 * @throws Problem or QueryProblem QRY when the query cannot be understood
 * @throws whatever `mayRead` rejects with
 */
export async function answer(request: DataRequest, deps: AnswerDeps): Promise<Answer> {
  const current = deps.catalogue.current()
  if (current === null) throw notReady()
  const { snapshotId: wanted } = request
  const snapshot = wanted === undefined ? current : await deps.catalogue.retained(wanted)
  const { version, list } = request
  const { clientNumber } = request.principal
  const timed = stageTimer(deps.observe)

  const plans = planCache<Prepared>(snapshot)
  const known = plans.get(request)
  const refused = known === undefined ? request.mayRead?.() : null
  if (refused) await refused
  const parse = () => timed('parse', () => languages[version](request, deps.limits))
  // Before the client is loaded: nobody waits for that only to be told of a slip.
  const parsed = known === undefined ? parse() : null
  const dataset = datasetOf(version, list).name
  const data = await timed('load', () => deps.engine.open(snapshot, clientNumber, dataset))
  const prepared =
    known !== undefined && known.version === data.version
      ? known
      : prepare(parsed ?? parse(), data, timed, (made, size) => plans.keep(request, made, size))
  const { plan, etag, format, ignored, page, hasMeta } = prepared

  return {
    version,
    list,
    clientNumber,
    snapshotId: data.snapshotId,
    lastModified: data.extractedAt,
    etag,
    format,
    ignored,
    meta: (result) => (hasMeta ? metaOf(result.total, page) : null),
    execute: (cancellation) =>
      timed('execute', () => data.execute(plan, cancellation)).then(writable, (cause: unknown) => {
        throw cause instanceof OverBudget ? refusalOf(cause.overrun, request, deps.limits) : cause
      }),
    isRemembered: () => data.remembers(plan),
    hold: data.hold,
  }
}

function refusalOf(overrun: Overrun, request: DataRequest, limits: QueryLimits): Problem {
  if (overrun.kind !== 'certain') return stopped(overrun)
  return overBudget[request.version](request, limits, overrun.rowsScanned, overrun.limit)
}

/** What is worked out once for each query text, as long as the client's data stays the same. */
type Prepared = Pick<ParsedRequest, 'ignored' | 'page' | 'hasMeta' | 'format'> & {
  /** Of the data that it was bound to. */
  readonly version: string
  readonly plan: QueryPlan
  readonly etag: string
}

function prepare(
  { dataset, query, texts, ignored, page, hasMeta, format }: ParsedRequest,
  { version, labels }: ClientData,
  timed: StageTimer,
  keep: (prepared: Prepared, size: number) => Prepared,
): Prepared {
  const bound = timed('bind', () => bindQuery(query, dataset, labels, texts))
  const plan = timed('plan', () => planQuery(bound))
  const key = planKey(plan)
  const etag = etagOf(version, key, hasMeta, page)
  return keep({ ignored, page, hasMeta, format, version, plan, etag }, key.length)
}

/** The order of members is that of the specification's table. */
function metaOf(total: number, page: Page | null): QueryMeta {
  if (page === null) return { total, filteredCount: total }
  const { page: number, pageSize } = page
  return { page: number, pageSize, total, totalPages: Math.ceil(total / pageSize), filteredCount: total }
}

/** Pages far beyond the end may share an offset in the key, but `_meta` tells them apart. */
function etagOf(version: string, key: string, hasMeta: boolean, page: Page | null): string {
  const digest = hash('sha256', `${version}\n${hasMeta}${page?.page ?? ''}\njson\n${key}`, 'base64url')
  return `"${digest.slice(0, 27)}"`
}

type StageTimer = <T>(stage: Stage, run: () => T) => T

/** Times a stage from outside, up to the end of its promise if it gives one. */
function stageTimer(observe: Observe): StageTimer {
  return (stage, run) => {
    const started = performance.now()
    const report = () => observe({ kind: 'stage-timed', stage, milliseconds: performance.now() - started })
    const result = run()
    if (result instanceof Promise) result.then(report, () => undefined)
    else report()
    return result
  }
}
