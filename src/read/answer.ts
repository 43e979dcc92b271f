/**
 * One request for records, start to end: parse, load, bind, plan, execute. It is handed a principal, so no code below this line
 * can choose another client. One snapshot is taken at the start and used to the end. Writing the answer is the edge's
 * business.
 */
import { hash } from 'node:crypto'
import type { Engine, ResultSet } from '../engine/engine.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Observe, Stage } from '../observe/observation.ts'
import type { ParsedQuery } from '../query/ast.ts'
import { bindQuery } from '../query/bind/bind-query.ts'
import { parseVersion1Parameters } from '../query/caret/parameters.ts'
import type { QueryLimits } from '../query/limits.ts'
import { type Page, parseParameters } from '../query/odata/parameters.ts'
import { planKey } from '../query/plan/plan-key.ts'
import { planQuery } from '../query/plan/plan-query.ts'
import { type Dataset, datasets, type ListName, version1Datasets } from '../schema/datasets.ts'
import type { QueryMeta } from '../schema/shapes.ts'
import type { Catalogue } from '../snapshot/snapshot.ts'
import { notReady } from './problems.ts'

/** The version decides over query language, records and envelope. */
export type ApiVersion = 1 | 2

export type DataRequest = {
  readonly version: ApiVersion
  readonly list: ListName
  readonly principal: Principal
  /**
   * Query parameters in the order they were given, repetitions included. Names are decoded; so are the values of version
   * 2, while those of version 1 are as they stood in the address: its language is split before it is decoded.
   */
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

export type Answer = {
  readonly version: ApiVersion
  readonly list: ListName
  readonly clientNumber: string
  readonly snapshotId: string
  /** When the source was extracted. */
  readonly lastModified: Date
  /** A strong validator in double quotes: changes with the client's data and with the meaning of the query. */
  readonly etag: string
  /** Parameters of the request that mean nothing to version 1, by name; version 2 never ignores what it should tell. */
  readonly ignored: readonly string[]
  /** Null in version 1, and when no query parameter of ours was given (specification 2.6). */
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
  const { version, list } = request
  const { clientNumber } = request.principal
  const timed = stageTimer(deps.observe)

  const parsed = timed('parse', () => languages[version](request, deps.limits))
  const { dataset } = parsed
  const { partition, snapshotId, extractedAt } = await timed('load', () =>
    snapshot.partition(clientNumber, dataset.stored),
  )
  const bound = timed('bind', () =>
    bindQuery(parsed.query, dataset, [...partition.custom.keys()], parsed.texts),
  )

  const plan = timed('plan', () => planQuery(bound))

  return {
    version,
    list,
    clientNumber,
    snapshotId,
    lastModified: extractedAt,
    etag: etagOf(partition.version, planKey(plan), parsed.hasMeta, parsed.page),
    ignored: parsed.ignored,
    meta: (result) => (parsed.hasMeta ? metaOf(result.total, parsed.page) : null),
    execute: (signal) => timed('execute', () => deps.engine.execute(plan, partition, signal)),
  }
}

/** What was asked for, whichever language it was asked in. */
type Parsed = {
  readonly dataset: Dataset
  readonly query: ParsedQuery
  /** The values as given, so that binding can say what it refuses. */
  readonly texts: { readonly filter: string | undefined; readonly orderBy: string | undefined }
  readonly page: Page | null
  readonly hasMeta: boolean
  readonly ignored: readonly string[]
}

const languages: {
  readonly [Version in ApiVersion]: (request: DataRequest, limits: QueryLimits) => Parsed
} = {
  1: ({ list, parameters }, limits) => {
    const dataset = version1Datasets[list]
    const { query, unknown } = parseVersion1Parameters(parameters, dataset, limits)
    const texts = { filter: undefined, orderBy: undefined }
    return { dataset, query, texts, page: null, hasMeta: false, ignored: unknown }
  },
  2: ({ list, parameters }, limits) => {
    const { query, texts, page, given } = parseParameters(parameters, limits)
    return { dataset: datasets[list], query, texts, page, hasMeta: given, ignored: [] }
  },
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
