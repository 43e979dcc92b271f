/**
 * One request for records from start to end: parse, open, bind, plan, execute. The principal is an argument, so no code below
 * can choose another client. One snapshot is taken at the start and used to the end. The edge writes the answer.
 */
import { hash } from 'node:crypto'
import type { ClientData, Engine } from '../engine/engine.ts'
import { OverBudget, type Overrun } from '../engine/work-budget.ts'
import type { WritableRecords } from '../engine/writers/write-records.ts'
import type { Cancellation } from '../kernel/cancellation.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import type { Observe, Stage } from '../observe/observation.ts'
import type { Paging } from '../query/ast.ts'
import type { UnknownLabels } from '../query/bind/resolve-path.ts'
import type { QueryLimits } from '../query/limits.ts'
import { refuseLabels } from '../query/odata/label-parameters.ts'
import type { Page } from '../query/odata/parameters.ts'
import type { ListName } from '../schema/datasets.ts'
import type { RecordFormat } from '../schema/record-formats.ts'
import type { QueryMeta } from '../schema/shapes.ts'
import type { Catalogue, Hold, ServedSnapshot, Snapshot } from '../snapshot/snapshot.ts'
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
import { bindRequest, type Question } from './question.ts'

export type DataRequest = {
  readonly version: ApiVersion
  readonly list: ListName
  readonly principal: Principal
  /** The snapshot of an earlier answer, to read from it again; undefined for the current one. */
  readonly snapshotId?: string | undefined
  /** The query part of the address as it was sent, the key of the plan cache. Null when there was no address. */
  readonly query: string | null
  /**
   * The parameters of the query in their order, repetitions included. Names are decoded, and so are the values of version 2.
   * Values of version 1 are raw, because its language is split before it is decoded. Called only for queries that are not
   * cached.
   */
  readonly parameters: () => Parameters
  /** Called before a query that is not cached is parsed; rejects when there is no time for it. */
  readonly mayRead?: () => Promise<never> | null
}

export type Answer = {
  readonly version: ApiVersion
  readonly list: ListName
  readonly clientNumber: string
  readonly snapshotId: string
  /** When the source was extracted. */
  readonly lastModified: Date
  /** Since when the data has been what callers get; null when it replaces damaged data of the snapshot. */
  readonly currentSince: Date | null
  /**
   * A strong validator in double quotes: changes with the data of the client and with the meaning of the query. It is for the
   * JSON answer; other formats have to extend it.
   */
  readonly etag: string
  /** Name of the array in JSON: that of the list, or `groups` for an aggregation. */
  readonly member: ListName | 'groups'
  /** The format that the query names; null when the edge decides. Version 1 always has JSON. */
  readonly format: RecordFormat | null
  /** Names of ignored parameters in version 1; empty in version 2. */
  readonly ignored: readonly string[]
  /** The requested page; null without paging by pages, and in version 1. */
  readonly page: Page | null
  /** Only a list of changes has it: names the data that the answer was made from. */
  readonly changesToken?: string
  /** The requested part by $top and $skip; null without them, and in version 1. */
  readonly slice: Paging | null
  /** Null in version 1, and when no known query parameter was given (specification 2.6). */
  readonly meta: (result: WritableRecords) => QueryMeta | null
  /**
   * Runs the query until it is done or cancelled. Not called when the copy of the caller is still valid.
   *
   * @throws Problem or QueryProblem QRY when it is certain to exceed the budget, SRV241 when it exceeds it while it runs
   */
  readonly execute: (cancellation?: Cancellation) => Promise<WritableRecords>
  /** Whether executing is cheap, because the rows that it selects are cached. */
  readonly isRemembered: () => boolean
  /** Keeps the data in memory while a result is written later. @returns a function that ends this */
  readonly hold: Hold
}

/** `Served`: the snapshots that the engine can open. */
export type AnswerDeps<Served extends ServedSnapshot = Snapshot> = {
  readonly catalogue: Catalogue<Served>
  readonly engine: Engine<Served>
  readonly limits: QueryLimits
  /** By default they are refused. */
  readonly unknownLabels?: UnknownLabels
  readonly observe: Observe
}

/**
 * @throws Problem SRV201 while no snapshot is ready, SNP305 when the snapshot that was asked for is gone
 * @throws Problem or QueryProblem QRY when the query cannot be understood
 * @throws the rejection of `mayRead`
 */
export async function answer<Served extends ServedSnapshot = Snapshot>(
  request: DataRequest,
  deps: AnswerDeps<Served>,
): Promise<Answer> {
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
  // Before the client is loaded, so that a request with a mistake is refused without waiting for that.
  const parsed = known === undefined ? parse() : null
  const dataset = datasetOf(version, list).name
  const data = await timed('load', () => deps.engine.open(snapshot, clientNumber, dataset))
  const prepared =
    known !== undefined && known.version === data.version
      ? known
      : prepare(parsed ?? parse(), data, { timed, unknownLabels: deps.unknownLabels }, (made, size) =>
          plans.keep(request, made, size),
        )
  const { question, etag, format, ignored, page, slice, hasMeta } = prepared

  return {
    version,
    list,
    clientNumber,
    snapshotId: data.snapshotId,
    lastModified: data.extractedAt,
    currentSince: data.snapshotId === snapshot.id ? snapshot.currentSince : null,
    etag,
    member: question.member ?? list,
    format,
    ignored,
    page,
    slice,
    meta: (result) => (hasMeta ? metaOf(result.total, page) : null),
    execute: (cancellation) =>
      timed('execute', () => question.execute(data, cancellation)).catch((cause: unknown) => {
        throw cause instanceof OverBudget ? refusalOf(cause.overrun, request, deps.limits) : cause
      }),
    isRemembered: () => question.isRemembered(data),
    hold: data.hold,
  }
}

function refusalOf(overrun: Overrun, request: DataRequest, limits: QueryLimits): Problem {
  if (overrun.kind !== 'certain') return stopped(overrun)
  return overBudget[request.version](request, limits, overrun.rowsScanned, overrun.limit)
}

/** The result of preparing a query text, valid as long as the data of the client stays the same. */
type Prepared = Pick<ParsedRequest, 'ignored' | 'page' | 'slice' | 'hasMeta' | 'format'> & {
  /** Version of the data that the query was bound to. */
  readonly version: string
  readonly question: Question
  readonly etag: string
}

function prepare(
  parsed: ParsedRequest,
  { version, labels }: ClientData,
  { timed, unknownLabels }: { timed: StageTimer; unknownLabels: UnknownLabels | undefined },
  keep: (prepared: Prepared, size: number) => Prepared,
): Prepared {
  const { ignored, unknown, page, slice, hasMeta, format } = parsed
  refuseLabels(unknown, labels)
  const bound = timed('bind', () => bindRequest(parsed, labels, unknownLabels))
  const question = timed('plan', () => bound.plan())
  const { key } = question
  const etag = etagOf(version, key, hasMeta, page)
  return keep({ ignored, page, slice, hasMeta, format, version, question, etag }, key.length)
}

/** The members have the order of the table in specification 2.6. */
export function metaOf(total: number, page: Page | null): QueryMeta {
  if (page === null) return { total, filteredCount: total }
  const { page: number, pageSize } = page
  return { page: number, pageSize, total, totalPages: Math.ceil(total / pageSize), filteredCount: total }
}

/** Includes the page: pages far beyond the end may have the same offset in the key, but different `_meta`. */
function etagOf(version: string, key: string, hasMeta: boolean, page: Page | null): string {
  const digest = hash('sha256', `${version}\n${hasMeta}${page?.page ?? ''}\njson\n${key}`, 'base64url')
  return `"${digest.slice(0, 27)}"`
}

type StageTimer = <T>(stage: Stage, run: () => T) => T

/** Times a stage from outside; a stage that returns a promise ends when it is fulfilled. */
export function stageTimer(observe: Observe): StageTimer {
  return (stage, run) => {
    const started = performance.now()
    const report = () => observe({ kind: 'stage-timed', stage, milliseconds: performance.now() - started })
    const result = run()
    if (result instanceof Promise) result.then(report, () => undefined)
    else report()
    return result
  }
}
