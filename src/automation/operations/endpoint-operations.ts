/**
 * What operators do with endpoints besides changing them: publish a draft without problems, try a draft, rerun a recorded
 * request, and compare definitions. Refusals of the store pass through unchanged.
 */
import type { Deed } from '../../directory/audit/audit.ts'
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import type { History } from '../../directory/history/history.ts'
import type { User } from '../../kernel/user.ts'
import type { Endpoint, EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { TRIAL } from '../../schema/execution-shapes.ts'
import type { SampleRequest } from '../../schema/sample-request.ts'
import { newExecutionId } from '../runs/execution-id.ts'
import type { RecordedRun, RunJob, RunScript } from '../runs/run-states.ts'
import { signatureHeaders } from '../webhooks/signature.ts'
import { type CheckScript, cachedCheck, type Script } from './check-cache.ts'
import type { PlacedProblem } from './check-endpoint.ts'
import type { Comparison, Side } from './compare-definitions.ts'
import { bodyWasCut, draftWasRun, neverPublished, scriptHasProblems, unknownExecution } from './problems.ts'
import { recordedRequest, sampleRequest } from './script-request.ts'

export type EndpointOperationsDeps = {
  readonly endpoints: Pick<Endpoints, 'find' | 'publish' | 'version'>
  readonly history: Pick<History, 'find' | 'record'>
  readonly run: RunScript
  /** Notes who started a trial or a rerun, because the record of the run does not say. */
  readonly audit: { readonly note: (deed: Deed) => Promise<void> }
  /** By default `checkEndpoint` in this thread. */
  readonly check?: CheckScript
  /** Milliseconds since 1970; by default the clock of the machine. */
  readonly now?: () => number
}

/** Who started the operation, and with which request. */
type Operator = { readonly user: User; readonly requestId: string | null }

/** The number of a published version, or the draft. */
type Edition = number | 'draft'

export type EndpointOperations = {
  /** The script must have no problems. */
  readonly warningsOf: (script: Script) => Promise<readonly PlacedProblem[]>
  /** A draft with problems can be saved but not published. */
  readonly problemsOf: (script: Script) => Promise<readonly PlacedProblem[]>
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
  /** Runs the draft, or a definition that is not saved yet, as a dry run. */
  readonly trial: (
    id: string,
    sample: SampleRequest,
    operator: Operator,
    definition?: EndpointDefinition,
  ) => Promise<RecordedRun>
  /** Runs a recorded request again, with the version that ran it or with the current one. Its writes stay. */
  readonly rerun: (
    executionId: string,
    version: 'original' | 'current',
    operator: Operator,
  ) => Promise<RecordedRun>
}

/** Loaded with the first check, because the script language is a third of the code that a start would load. */
const loadChecks = () => import('./check-endpoint.ts')
const check = async (script: Script) => (await loadChecks()).checkEndpoint(script)

export function createEndpointOperations(deps: EndpointOperationsDeps): EndpointOperations {
  const problemsOf = cachedCheck(deps.check ?? check)
  return {
    problemsOf,
    warningsOf: async (script) => (await loadChecks()).endpointWarnings(script),
    publish: async (id, by, { note = null, revision } = {}) => {
      const { id: fullId, draft, draftRevision } = await deps.endpoints.find(id)
      await refuseProblems(draft, problemsOf)
      return deps.endpoints.publish(fullId, by, note, revision ?? draftRevision)
    },
    compare: (id, from, to) => compareEditions(deps.endpoints, id, from, to),
    trial: async (id, sample, operator, unsaved) => {
      const endpoint = await deps.endpoints.find(id)
      const definition = unsaved ?? endpoint.draft
      const request = sampleRequest(definition, sample, operator.user)
      await refuseProblems(definition, problemsOf)
      const job = jobOf(deps, { id: endpoint.id, definition, request, operator }, TRIAL, {
        script: definition.script,
      })
      await noteRun(deps, 'endpoint.test', endpoint.id, operator, { executionId: job.executionId })
      return recordedRun(deps, job)
    },
    rerun: (executionId, version, operator) => rerun(deps, executionId, version, operator),
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
): Promise<RecordedRun> {
  const { endpoints, history } = deps
  const execution = await history.find(executionId)
  if (execution === null) throw unknownExecution(executionId)
  if (execution.version === null) throw draftWasRun(executionId)
  if (execution.request.truncated) throw bodyWasCut(executionId)
  const { endpointId: id } = execution
  const chosen = version === 'original' ? execution.version : await publishedVersion(endpoints, id)
  const { definition } = await endpoints.version(id, chosen)
  const request = recordedRequest(execution)
  const job = jobOf(
    deps,
    { id, definition, request, operator },
    'Rerun',
    { version: chosen },
    { rerunOf: executionId },
  )
  await noteRun(deps, 'execution.rerun', executionId, operator, {
    executionId: job.executionId,
    endpointId: id,
    version: chosen,
  })
  return recordedRun(deps, job)
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
  { rerunOf = null }: { readonly rerunOf?: string | null } = {},
): RunJob => ({
  executionId: newExecutionId(now()),
  type,
  endpoint: { id, name: definition.name, category: definition.category, limits: definition.limits },
  source,
  request,
  requestId: operator.requestId,
  rerunOf,
  signatureHeaders: signatureHeaders(definition.signature),
  arrivedAt: now(),
})

/** Records the run before the operator gets its id. Another thread may record it as well; the history keeps one row. */
async function recordedRun({ run, history }: EndpointOperationsDeps, job: RunJob): Promise<RecordedRun> {
  const report = await run(job)
  if (report.execution !== null) await history.record([report.execution])
  return report
}

/** Before the run, because the writes of a run stay when the entry cannot be written. */
const noteRun = (
  { audit }: EndpointOperationsDeps,
  action: string,
  subjectId: string,
  { user }: Operator,
  after: object,
): Promise<void> => audit.note({ actor: user.principalId, action, subjectId, after })

async function refuseProblems(
  definition: EndpointDefinition,
  problemsOf: EndpointOperations['problemsOf'],
): Promise<void> {
  const problems = await problemsOf(definition)
  if (problems.length > 0) throw scriptHasProblems(definition.name, problems)
}
