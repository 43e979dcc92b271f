/**
 * What operators do with endpoints besides changing them: publish a draft without problems, try a draft, rerun a recorded
 * request, and compare definitions. Refusals of the store pass through unchanged.
 */
import type { Deed } from '../../directory/audit/audit.ts'
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import { scriptDigest } from '../../directory/endpoints/text.ts'
import type { History } from '../../directory/history/history.ts'
import type { Modules } from '../../directory/modules/modules.ts'
import type { User } from '../../kernel/user.ts'
import { CALL_DEPTH_HEADER, callDepthOf } from '../../outbound/call-depth.ts'
import type { Endpoint, EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { nothingRead, type ReadByRun, TRIAL } from '../../schema/execution-shapes.ts'
import type { Module, PublishedModule } from '../../schema/module-shapes.ts'
import type { SampleRequest } from '../../schema/sample-request.ts'
import { unfinishedStatus } from '../history/unfinished-run-record.ts'
import { RunProblem } from '../problems.ts'
import { newExecutionId } from '../runs/execution-id.ts'
import { type RecordedRun, type RunJob, type RunScript, recordingOf } from '../runs/run-states.ts'
import { signatureHeaders } from '../webhooks/signature.ts'
import { type CheckScript, cachedCheck } from './check-cache.ts'
import type { PlacedProblem } from './check-endpoint.ts'
import type { Comparison, Side } from './compare-definitions.ts'
import type { UnsavedModule } from './find-modules.ts'
import {
  bodyWasCut,
  contentNotRecorded,
  draftWasRun,
  neverPublished,
  nothingRan,
  readingNotNoted,
  scriptHasProblems,
  unknownExecution,
} from './problems.ts'
import { recordedRequest, sampleRequest } from './script-request.ts'
import type { Script } from './script-to-check.ts'

export type EndpointOperationsDeps = {
  readonly endpoints: Pick<Endpoints, 'find' | 'publish' | 'version' | 'modulesOf'>
  readonly modules: Pick<Modules, 'get' | 'publish' | 'published'>
  readonly history: Pick<History, 'find' | 'record'>
  readonly run: RunScript
  /** Notes who started a trial or a rerun and what it has read, because the record of the run does not say who. */
  readonly audit: { readonly note: (deed: Deed) => Promise<void> }
  /** By default `checkEndpoint` in this thread. */
  readonly check?: CheckScript
  /** Milliseconds since 1970; by default the clock of the machine. */
  readonly now?: () => number
}

/** Who started the operation, and with which request. */
type Operator = {
  readonly user: User
  readonly requestId: string | null
  /** How many runs of scripts stand before the request; left out for none. */
  readonly callDepth?: number
}

/** The number of a published version, or the draft. */
type Edition = number | 'draft'

export type EndpointOperations = {
  /** The script must have no problems. */
  readonly warningsOf: (script: Script) => Promise<readonly PlacedProblem[]>
  /** A draft with problems can be saved but not published. Its imports are those that are published now. */
  readonly problemsOf: (script: Pick<Script, 'script' | 'moduleName'>) => Promise<readonly PlacedProblem[]>
  /** Publishes the draft of a module that was checked. */
  readonly publishModule: (
    name: string,
    by: string,
    options?: { readonly note?: string | null | undefined; readonly revision?: number | undefined },
  ) => Promise<Module>
  /** Publishes the draft that was checked. Refuses when the draft changes meanwhile, or is not of the given `revision`. */
  readonly publish: (
    id: string,
    by: string,
    options?: { readonly note?: string | null | undefined; readonly revision?: number | undefined },
  ) => Promise<Endpoint>
  /** By default `from` is the published version and `to` is the draft. */
  readonly compare: (
    id: string,
    from: Edition | undefined,
    to: Edition | undefined,
  ) => Promise<Comparison & { readonly from: Edition; readonly to: Edition }>
  /** Runs the draft, or a definition and modules that are not saved yet, as a dry run. */
  readonly trial: (
    id: string,
    sample: SampleRequest,
    operator: Operator,
    unsaved?: Unsaved,
  ) => Promise<RecordedRun>
  /** Runs a recorded request again, with the version that ran it or with the current one. Its writes stay. */
  readonly rerun: (
    executionId: string,
    version: 'original' | 'current',
    operator: Operator,
    batch?: RerunOfBatch,
  ) => Promise<RecordedRun>
}

type Unsaved = {
  readonly definition?: EndpointDefinition | undefined
  /** In place of the published modules of these names. */
  readonly modules?: readonly UnsavedModule[] | undefined
}

/** A rerun that belongs to a job: its id was given before, so that the job knows it whatever happens. */
type RerunOfBatch = { readonly executionId: string; readonly jobId: string }

/** Loaded with the first check, because the script language is a third of the code that a start would load. */
const loadChecks = () => import('./check-endpoint.ts')
const check = async (script: Script) => (await loadChecks()).checkEndpoint(script)

export function createEndpointOperations(deps: EndpointOperationsDeps): EndpointOperations {
  const cached = cachedCheck(deps.check ?? check)
  const withModules = async (
    { script, moduleName }: Pick<Script, 'script' | 'moduleName'>,
    unsaved: readonly UnsavedModule[] = [],
  ) => ({ script, moduleName, modules: await modulesFor(script, unsaved, deps.modules.published) })
  const problemsOf: EndpointOperations['problemsOf'] = async (script) => cached(await withModules(script))
  return {
    problemsOf,
    warningsOf: async (script) => (await loadChecks()).endpointWarnings(script),
    publish: async (id, by, { note = null, revision } = {}) => {
      const { id: fullId, draft, draftRevision } = await deps.endpoints.find(id)
      const script = await withModules(draft)
      refuseProblems(draft.name, await cached(script))
      const { refuseBadSchedules } = await import('../schedules/schedule-faults.ts')
      refuseBadSchedules(draft)
      return deps.endpoints.publish(fullId, by, note, revision ?? draftRevision, script.modules)
    },
    publishModule: async (name, by, { note = null, revision } = {}) => {
      const { script, draftRevision } = await deps.modules.get(name)
      refuseProblems(name, await problemsOf({ script, moduleName: name }))
      return deps.modules.publish(name, by, note, revision ?? draftRevision)
    },
    compare: (id, from, to) => compareEditions(deps.endpoints, id, from, to),
    trial: async (id, sample, operator, unsaved = {}) => {
      const endpoint = await deps.endpoints.find(id)
      const { definition = endpoint.draft, modules } = unsaved
      const request = sampleRequest(definition, sample, operator.user)
      const script = await withModules(definition, modules)
      refuseProblems(definition.name, await cached(script))
      const source = { script: script.script, modules: script.modules }
      const job = jobOf(deps, { id: endpoint.id, definition, request, operator }, TRIAL, source)
      const after = { executionId: job.executionId, ...scriptDigests(source) }
      const deed = {
        actor: operator.user.principalId,
        action: 'endpoint.test',
        subjectId: endpoint.id,
        after,
      }
      return notedRun(deps, { ...job, sampleAnswers: sample.http }, deed)
    },
    rerun: (executionId, version, operator, batch) => rerun(deps, executionId, version, operator, batch),
  }
}

/** As {@link EndpointOperations.compare}, which needs nothing but the endpoints. */
export async function compareEditions(
  endpoints: Pick<Endpoints, 'find' | 'version'>,
  id: string,
  from: Edition | undefined,
  to: Edition = 'draft',
) {
  const endpoint = await endpoints.find(id)
  const first = from ?? endpoint.published?.version
  if (first === undefined) throw neverPublished(endpoint.draft.name)
  const side = async (edition: Edition): Promise<Side> =>
    edition === 'draft'
      ? { title: 'draft', definition: endpoint.draft }
      : {
          title: `version ${edition}`,
          definition: (await endpoints.version(endpoint.id, edition)).definition,
        }
  const { compareDefinitions } = await import('./compare-definitions.ts')
  return { from: first, to, ...compareDefinitions(await side(first), await side(to)) }
}

async function rerun(
  deps: EndpointOperationsDeps,
  executionId: string,
  version: 'original' | 'current',
  operator: Operator,
  batch?: RerunOfBatch,
): Promise<RecordedRun> {
  const { endpoints, history } = deps
  const execution = await history.find(executionId)
  if (execution === null) throw unknownExecution(executionId)
  if (execution.version === null) throw draftWasRun(executionId)
  if (execution.status === 'Refused') throw nothingRan(executionId)
  if (execution.recorded !== 'full') throw contentNotRecorded(executionId)
  if (execution.request.truncated) throw bodyWasCut(executionId)
  const { endpointId: id } = execution
  const chosen = version === 'original' ? execution.version : await publishedVersion(endpoints, id)
  const { definition } = await endpoints.version(id, chosen)
  const request = atDepth(recordedRequest(execution), operator.callDepth)
  const job = jobOf(
    deps,
    { id, definition, request, operator },
    'Rerun',
    { version: chosen },
    { rerunOf: executionId, executionId: batch?.executionId },
  )
  const after = {
    executionId: job.executionId,
    endpointId: id,
    version: chosen,
    ...scriptDigests({ script: definition.script, modules: await endpoints.modulesOf(id, chosen) }),
    ...(batch === undefined ? {} : { jobId: batch.jobId }),
  }
  const deed = { actor: operator.user.principalId, action: 'execution.rerun', subjectId: executionId, after }
  return notedRun(deps, job, deed, batch === undefined)
}

/** A script that repeats runs through the admin API is as deep as one that calls their endpoint. */
function atDepth(request: RunJob['request'], depth = 0): RunJob['request'] {
  const recorded = callDepthOf(request.headers[CALL_DEPTH_HEADER]) ?? 0
  if (depth <= recorded) return request
  return { ...request, headers: { ...request.headers, [CALL_DEPTH_HEADER]: `${depth}` } }
}

async function publishedVersion(endpoints: EndpointOperationsDeps['endpoints'], id: string): Promise<number> {
  const { published, draft } = await endpoints.find(id)
  if (published === null) throw neverPublished(draft.name)
  return published.version
}

type JobParts = {
  readonly id: string
  readonly definition: EndpointDefinition
  readonly request: RunJob['request']
  readonly operator: Operator
}

const jobOf = (
  { now = Date.now }: EndpointOperationsDeps,
  { id, definition, request, operator }: JobParts,
  type: RunJob['type'],
  source: RunJob['source'],
  {
    rerunOf = null,
    executionId,
  }: { readonly rerunOf?: string | null; readonly executionId?: string | undefined } = {},
): RunJob => ({
  executionId: executionId ?? newExecutionId(now()),
  type,
  endpoint: {
    id,
    name: definition.name,
    category: definition.category,
    limits: definition.limits,
    allowedHosts: definition.allowedHosts,
  },
  source,
  request,
  requestId: operator.requestId,
  rerunOf,
  signatureHeaders: signatureHeaders(definition.signature),
  ...recordingOf(definition),
  arrivedAt: now(),
})

/**
 * Records the run before the operator gets its id. The thread that ran it records it as well, waits for a full disk, and reports what
 * it cannot write; the history keeps one row. A failure here must not look as if nothing had run: then it would be repeated.
 */
async function recordedRun({ run, history }: EndpointOperationsDeps, job: RunJob): Promise<RecordedRun> {
  const report = await run(job)
  if (report.execution !== null) await history.record([report.execution]).catch(() => undefined)
  return report
}

/**
 * Notes the run before it begins, because its writes stay when the entry cannot be written, and what it has read when it has ended,
 * however it ended. The operator gets no answer that the trail could not take: nothing else names what a draft has read.
 */
async function notedRun(
  deps: EndpointOperationsDeps,
  job: RunJob,
  deed: Deed,
  isShown = true,
): Promise<RecordedRun> {
  await deps.audit.note(deed)
  const noteRead = async (status: string, read: ReadByRun | null = nothingRead): Promise<void> => {
    const after = { endpointId: job.endpoint.id, status, read }
    try {
      await deps.audit.note({
        actor: deed.actor,
        action: 'execution.read',
        subjectId: job.executionId,
        after,
      })
    } catch (cause) {
      // Of a batch nobody sees the answers, and the record of the run names the same.
      if (isShown) throw readingNotNoted(job.executionId, cause)
    }
  }
  let report: RecordedRun
  try {
    report = await recordedRun(deps, job)
  } catch (cause) {
    if (cause instanceof RunProblem) await noteRead(unfinishedStatus(cause), cause.read)
    throw cause
  }
  await noteRead(report.status, report.execution?.read)
  return report
}

/** A draft is kept nowhere, and versions go with their endpoint: the digest still tells whether a script is the one that ran. */
const scriptDigests = ({ script, modules = [] }: Extract<RunJob['source'], { readonly script: string }>) => ({
  script: scriptDigest(script),
  ...(modules.length === 0
    ? {}
    : { modules: modules.map(({ name, script }) => ({ name, script: scriptDigest(script) })) }),
})

function refuseProblems(name: string, problems: readonly PlacedProblem[]): void {
  if (problems.length > 0) throw scriptHasProblems(name, problems)
}

/** Most scripts import nothing: then the language need not be loaded. */
async function modulesFor(
  script: string,
  unsaved: readonly UnsavedModule[],
  published: Modules['published'],
): Promise<readonly PublishedModule[]> {
  if (!script.includes('import')) return []
  const { findModules, unsavedFirst } = await import('./find-modules.ts')
  return findModules(script, unsavedFirst(unsaved, published))
}
