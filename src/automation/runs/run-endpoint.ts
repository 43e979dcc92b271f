/**
 * Runs one job from request to record: the program (compiled once), `Data`, the run itself, the response, and what is kept of
 * it in the history. A script that fails is an outcome; only what keeps it from running at all is thrown.
 */
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import type { Secrets } from '../../directory/secrets/secrets.ts'
import type { Cancellation } from '../../kernel/cancellation.ts'
import { heldSince, isTurnDue, turn } from '../../kernel/turns.ts'
import type { Observe } from '../../observe/observation.ts'
import type { Tenant } from '../../schema/directory-shapes.ts'
import { type Limits, serviceLimits } from '../../script/problems.ts'
import { type FinishedRun, runWith } from '../../script/script.ts'
import { JsonFault } from '../../script/values.ts'
import { requestData } from '../endpoint/request-data.ts'
import { recordOf } from '../history/run-record.ts'
import type { OpenRecords } from '../host/query-records.ts'
import type { RunHost } from '../host/run-host.ts'
import { hideCredentials } from '../redaction/hide-credentials.ts'
import { createRedaction } from '../redaction/redaction.ts'
import { createPrograms, type ReadyScript } from './programs.ts'
import { tellOf } from './report-run.ts'
import type { HeldWrite, RunJob, RunReport, ScriptResponse } from './run-job.ts'
import { RunLog } from './run-log.ts'
import { malformedBody, type Outcome, outcomeOf, outcomeOfDefect, outcomeOfProblems } from './run-outcome.ts'
import { openRunStores, type RunStores, type ServiceStores } from './run-stores.ts'

export type ScriptRunnerDeps = ServiceStores & {
  readonly store: {
    readonly endpoints: Pick<Endpoints, 'version'>
    readonly secrets: Pick<Secrets, 'read'>
    readonly tenant: () => Promise<Tenant>
  }
  readonly records: OpenRecords
  readonly observe: Observe
  /** How much of a body is recorded. */
  readonly historyBodyBytes: number
  /** Milliseconds since 1970; the clock of the machine unless given. */
  readonly now?: () => number
}

/** Is a {@link RunScript}. A run whose cancellation is asked for ends soon, and is recorded as cancelled for that reason. */
export type ScriptRunner = (job: RunJob, cancellation?: Cancellation) => Promise<RunReport>

/** The response as soon as it is known; the report is what is still to be done, exactly once. */
export type AnsweredRun = {
  readonly response: ScriptResponse
  /** Characters of what is held for the report, as far as they can be many. */
  readonly size: number
  readonly report: () => Promise<RunReport>
}

/** @throws Problem END110 when the version of the endpoint was deleted meanwhile */
export function createScriptRunner(deps: ScriptRunnerDeps): ScriptRunner {
  const answer = createScriptAnswerer(deps)
  return async (job, cancellation) => (await answer(job, cancellation)).report()
}

/** For callers that should not have to wait for the record. @throws as {@link createScriptRunner} */
export function createScriptAnswerer(
  deps: ScriptRunnerDeps,
): (job: RunJob, cancellation?: Cancellation) => Promise<AnsweredRun> {
  const programs = createPrograms(deps.store.endpoints)
  const { now = Date.now } = deps
  return async (job, cancellation) => {
    const startedAt = now()
    const began = performance.now()
    const script = await programs(job)
    const stores = openRunStores(job, deps)
    const host = hostFor(job, stores, deps, now)
    const outcome = await outcomeFor(job, script, host, cancellation)
    const times = { startedAt, completedAt: now(), milliseconds: performance.now() - began }
    const response = 'refusal' in outcome ? outcome.refusal : outcome.response
    const report = async (): Promise<RunReport> => {
      try {
        if ('refusal' in outcome) return { response, execution: null, heldWrites: [] }
        const ended = { ...outcome, ...times, log: await host.log.entries(host.redaction.text) }
        const execution = recordOf(job, ended, host.redaction, deps.historyBodyBytes)
        tellOf(execution, host.defects, deps.observe)
        return { response, execution, heldWrites: await cleaned(await stores.heldWrites(), host) }
      } finally {
        await stores.close()
      }
    }
    const size = (job.request.rawBody?.length ?? 0) + (response.body?.length ?? 0) + host.log.size
    return { response, size, report }
  }
}

function hostFor(
  job: RunJob,
  stores: RunStores,
  { store, records }: ScriptRunnerDeps,
  now: () => number,
): RunHost {
  const { executionId, endpoint, request, signatureHeaders } = job
  const redaction = createRedaction(signatureHeaders)
  hideCredentials(request, redaction)
  return {
    ...stores,
    executionId,
    endpointId: endpoint.id,
    user: request.user,
    now,
    actor: `endpoint:${endpoint.name} for ${request.user.principalId || 'anonymous'}`,
    log: new RunLog(now),
    redaction,
    secrets: store.secrets,
    tenant: store.tenant,
    records: records(),
    written: { notepads: 0, notepadBytes: 0, notifications: 0 },
    defects: [],
  }
}

/** What was held back is shown to whoever tests, who may write scripts and not know the secrets. */
async function cleaned(writes: readonly HeldWrite[], { redaction }: RunHost): Promise<readonly HeldWrite[]> {
  const clean = (value: unknown): unknown => JSON.parse(redaction.body(JSON.stringify(value), 'json'))
  const shown: HeldWrite[] = []
  for (const write of writes) {
    if (isTurnDue()) await turn()
    const began = performance.now()
    shown.push({ ...write, before: clean(write.before), after: clean(write.after) })
    heldSince(began)
  }
  return shown
}

async function outcomeFor(
  job: RunJob,
  { text, compilation }: ReadyScript,
  host: RunHost,
  cancellation: Cancellation | undefined,
): Promise<Outcome> {
  const { executionId, endpoint, request } = job
  if (compilation.program === null) return outcomeOfProblems(executionId, text, compilation.problems)
  const limits = limitsOf(endpoint.limits)
  let finished: FinishedRun
  try {
    finished = await runWith(
      compilation.program,
      { limits, cancellation, host, owner: endpoint.id },
      (context) => requestData(request, context),
    )
  } catch (cause) {
    if (cause instanceof JsonFault) return malformedBody(cause, request.rawBody ?? '')
    host.defects.push(cause)
    return outcomeOfDefect(executionId)
  }
  return await outcomeOf({ executionId, text, finished, limits, cancellation, owner: endpoint.id })
}

function limitsOf({ concurrency: _concurrency, ...given }: RunJob['endpoint']['limits']): Limits {
  return { ...serviceLimits, ...given }
}
