/**
 * Runs one job from request to record: the program (compiled once), `Data`, the run itself, the response, and the record for the
 * history. run-states.ts draws the states. A failing script is a result; only what keeps a script from running at all is thrown.
 */
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import type { Secrets } from '../../directory/secrets/secrets.ts'
import type { Cancellation } from '../../kernel/cancellation.ts'
import { heldSince, isTurnDue, turn } from '../../kernel/turns.ts'
import type { Tenant } from '../../schema/directory-shapes.ts'
import type { LogEntry } from '../../schema/execution-shapes.ts'
import { type Limits, serviceLimits } from '../../script/problems.ts'
import {
  type FinishedRun,
  HEAP_SHORT,
  type HeapPlace,
  type LiveCounts,
  type RunPlace,
  runWith,
  type SharedHeap,
} from '../../script/script.ts'
import { JsonFault } from '../../script/values.ts'
import { FormFault, requestData } from '../endpoint/request-data.ts'
import { REJECTED, rejectedRunRecord } from '../history/refused-record.ts'
import { type OutboundServices, openOutbound } from '../host/outbound/run-outbound.ts'
import type { OpenRecords, RunRecords } from '../host/query-records.ts'
import type { RunHost } from '../host/run-host.ts'
import { waitedTooLong } from '../problems.ts'
import { hideCredentials, hideFields } from '../redaction/hide-credentials.ts'
import { createRedaction } from '../redaction/redaction.ts'
import { endedByDefect, endedByProblems, endedRun, RETRY_AFTER_SECONDS, rejectedBody } from './ended-run.ts'
import { createPrograms, type Programs, type ReadyScript } from './programs.ts'
import { type RecordingDeps, recordRun } from './record-run.ts'
import { RunLog } from './run-log.ts'
import { type ReadName, RunReads } from './run-reads.ts'
import type { AnsweredRun, EndedRun, RecordedRun, RejectedRun, RunJob } from './run-states.ts'
import { openRunStores, type RunStores, type ServiceStores } from './run-stores.ts'

export type ScriptRunnerDeps = ServiceStores &
  RecordingDeps & {
    readonly store: {
      readonly endpoints: Pick<Endpoints, 'version' | 'modulesOf'>
      readonly secrets: Pick<Secrets, 'read'>
      readonly tenant: () => Promise<Tenant>
    }
    readonly records: OpenRecords
    readonly outbound: OutboundServices
    /** The memory that the runs of this thread share; by default each has its own limit only. */
    readonly heap?: SharedHeap | undefined
    /** The most different keys that the body of a request may have. */
    readonly bodyKeys?: number | undefined
    /** Milliseconds since 1970; by default the clock of the machine. */
    readonly now?: () => number
  }

/** Between a run and those who watch or cancel it while it runs. */
export type RunControl = Cancellation & {
  /** Set while the script pauses: what it has counted so far. */
  run?: LiveCounts | undefined
  /** Set by the run before its script begins. */
  log?: Pick<RunLog, 'lineCount'> | undefined
  /** Takes the name of each client and secret before the run gets its first answer from it. */
  readonly onRead?: ((read: ReadName) => void) | undefined
  /** Set while somebody watches: takes each line of the log, without the credentials that the run has read so far. */
  readonly onLogLine?: ((line: LogEntry) => void) | undefined
}

export type RunCounts = {
  readonly statements: number
  readonly loops: number
  readonly logLines: number
  readonly hostCalls: number
}

/** A `RunScript` that can be cancelled: the run then ends soon, and is recorded as cancelled with the reason. */
export type ScriptRunner = (job: RunJob, control?: RunControl) => Promise<RecordedRun>

/** @throws Problem END110 when the version of the endpoint was deleted before the run began */
export function createScriptRunner(deps: ScriptRunnerDeps): ScriptRunner {
  const answer = createScriptAnswerer(deps)
  return async (job, control) => (await answer(job, control)).record()
}

/** Answers before the record is made, so that the caller does not wait for it. @throws as {@link createScriptRunner} */
export function createScriptAnswerer(
  deps: ScriptRunnerDeps,
  programs: Programs = createPrograms(deps.store.endpoints),
): (job: RunJob, control?: RunControl, place?: RunPlace) => Promise<AnsweredRun> {
  const { now = Date.now } = deps
  return async (job, control, place) => {
    const startedAt = now()
    const script = await programs(job)
    const stores = openRunStores(job, deps)
    const { id: owner } = job.endpoint
    // Looking for credentials in many large bodies, one after the other, would hold the thread as long as all of them together.
    if (isTurnDue(owner)) await turn(owner)
    const began = performance.now()
    const host = hostFor(job, stores, deps, { now, control })
    heldSince(began, owner)
    const run = await runJob(job, script, host, { control, place, heap: deps.heap, bodyKeys: deps.bodyKeys })
    const durationMs = run.status === 'Rejected' ? 0 : run.usedMs
    const times = { startedAt, completedAt: now(), durationMs }
    const { response } = run
    const record = async (): Promise<RecordedRun> => {
      try {
        if (run.status === 'Rejected') {
          const execution = rejectedRunRecord(job, run, times, host.redaction)
          return { status: run.status, response, execution, dryRunWrites: [] }
        }
        return await recordRun(job, { ended: run, host, stores, times }, deps)
      } finally {
        await stores.close()
      }
    }
    const size = (job.request.rawBody?.length ?? 0) + (response.body?.length ?? 0) + host.log.size
    const code = run.status === 'Rejected' ? REJECTED : run.failure?.code
    return { status: run.status, response, code, size, record }
  }
}

function hostFor(
  job: RunJob,
  stores: RunStores,
  { store, records, outbound, cardNumbers }: ScriptRunnerDeps,
  { now, control }: { readonly now: () => number; readonly control: RunControl | undefined },
): RunHost {
  const { executionId, endpoint, request, signatureHeaders, recording } = job
  const redaction = createRedaction(signatureHeaders, { maskedFields: recording?.maskedFields, cardNumbers })
  hideCredentials(request, redaction)
  hideFields(request, redaction)
  const reads = new RunReads(control?.onRead)
  const isWatchable = control !== undefined && (recording?.record ?? 'full') === 'full'
  return {
    ...stores,
    executionId,
    endpointId: endpoint.id,
    user: request.user,
    now,
    actor: `endpoint:${endpoint.name} for ${request.user.principalId || 'anonymous'}`,
    log: new RunLog(now, isWatchable ? { control, clean: redaction.text } : undefined),
    redaction,
    ...watchedBy(reads, store.secrets, records()),
    reads,
    tenant: store.tenant,
    outbound: openOutbound(job, outbound, limitsOf(endpoint.limits)),
    written: { notepads: 0, notepadBytes: 0, notifications: 0 },
    cancelled: null,
    unavailable: null,
    waitingSince: null,
    defects: [],
  }
}

/** The one place that all records of clients and all secrets pass on their way to a script. */
function watchedBy(
  reads: RunReads,
  secrets: RunHost['secrets'],
  { snapshot, query }: RunRecords,
): Pick<RunHost, 'secrets' | 'records'> {
  return {
    secrets: {
      read: async (name) => {
        const value = await secrets.read(name)
        if (value !== null) reads.addSecret(name, value)
        return value
      },
    },
    records: {
      snapshot,
      query: (question, cancellation) => {
        reads.add('client', question.clientNumber)
        return query(question, cancellation)
      },
    },
  }
}

type RunMeans = Pick<ScriptRunnerDeps, 'heap' | 'bodyKeys'> & {
  readonly control: RunControl | undefined
  readonly place: RunPlace | undefined
}

/** @throws RunProblem END102 when the memory of the thread has no room for the run in time */
async function runJob(
  job: RunJob,
  script: ReadyScript,
  host: RunHost,
  { heap, ...means }: RunMeans,
): Promise<EndedRun | RejectedRun> {
  if (heap === undefined) return runInHeap(job, script, host, means)
  const { milliseconds } = limitsOf(job.endpoint.limits)
  const share = await heap.enter(milliseconds)
  if (share === null) throw waitedTooLong(milliseconds, RETRY_AFTER_SECONDS)
  try {
    return await runInHeap(job, script, host, { ...means, share })
  } finally {
    share.leave()
  }
}

async function runInHeap(
  job: RunJob,
  { text, compilation }: ReadyScript,
  host: RunHost,
  { control, place, bodyKeys, share }: Omit<RunMeans, 'heap'> & { readonly share?: HeapPlace },
): Promise<EndedRun | RejectedRun> {
  const { executionId, endpoint, request } = job
  if (compilation.program === null) return endedByProblems(executionId, text, compilation.problems)
  const limits = limitsOf(endpoint.limits)
  let finished: FinishedRun
  if (control !== undefined) control.log = host.log
  try {
    finished = await runWith(
      compilation.program,
      { limits, cancellation: control, host, owner: endpoint.id, place, watched: control, heap: share },
      (context) => requestData(request, context, bodyKeys),
    )
  } catch (cause) {
    if (cause instanceof JsonFault || cause instanceof FormFault)
      return rejectedBody(cause, request.rawBody ?? '')
    host.defects.push(cause)
    return endedByDefect(executionId)
  } finally {
    // The log keeps the control until the record is made; what the script worked with need not live as long.
    if (control !== undefined) control.run = undefined
  }
  const { cancelled } = host
  const unavailable = host.unavailable ?? slownessOf(host, finished) ?? shortageOf(finished)
  const ending = { executionId, text, finished, cancelled, unavailable, limits, cancellation: control }
  return await endedRun({ ...ending, owner: endpoint.id })
}

/** A script whose time ended while it waited this long for one function is not to blame: a database may not answer at all. */
const LONG_WAIT_MS = 2000

const slownessOf = ({ waitingSince }: RunHost, { limit }: FinishedRun): string | null =>
  limit === 'milliseconds' && waitingSince !== null && performance.now() - waitingSince > LONG_WAIT_MS
    ? 'the service took too long. Try again later.'
    : null

const shortageOf = ({ problem }: FinishedRun): string | null =>
  problem?.code === HEAP_SHORT ? 'the service is short of memory. Try again later.' : null

function limitsOf({ concurrency: _concurrency, ...given }: RunJob['endpoint']['limits']): Limits {
  return { ...serviceLimits, ...given }
}
