/** Makes the record of a request that was refused before its script ran: short, without headers, parameters and body. */
import { type Execution, nothingRead, nothingSent } from '../../schema/execution-shapes.ts'
import type { Redaction } from '../redaction/redaction.ts'
import type { RejectedRun, RunJob } from '../runs/run-states.ts'
import { bareRequest, type RunTrace, recordMessage, shownRequestId } from './execution-record.ts'

/** Why a request was refused, and the status of its answer. */
export type Refusal = { readonly status: number; readonly code: string; readonly message: string }

type RefusedRequest = Pick<RunJob, 'executionId' | 'requestId' | 'recording'> & {
  readonly endpoint: Pick<RunJob['endpoint'], 'id' | 'name' | 'category'>
  readonly version: number | null
  /** The path decoded. */
  readonly request: Pick<RunJob['request'], 'method' | 'path'>
  /** Null while the caller is not known. */
  readonly principalId: string | null
}

/** Milliseconds since 1970 of the first and the last request, and how many there were. */
type Times = { readonly from: number; readonly to: number; readonly count: number }

export function refusedRecord(
  refused: RefusedRequest,
  { status, code, message }: Refusal,
  { from, to, count }: Times,
  redaction: Redaction,
): Execution {
  const { executionId, endpoint, version, recording, principalId } = refused
  const part = recording?.record ?? 'full'
  const request = bareRequest(refused, redaction)
  const shown =
    part === 'full' ? recordMessage(message, redaction) : `${code}: the endpoint does not record messages`
  return {
    id: executionId,
    type: 'DynamicEndpoint',
    status: 'Refused',
    endpointId: endpoint.id,
    endpointName: endpoint.name,
    category: endpoint.category,
    version,
    method: request.method,
    path: request.path,
    responseStatus: status,
    startedAt: new Date(from).toISOString(),
    completedAt: new Date(to).toISOString(),
    queuedMs: 0,
    executionTimeMs: 0,
    statementCount: 0,
    loopCount: 0,
    principalId: part === 'none' ? null : principalId,
    requestId: part === 'none' ? null : shownRequestId(refused, redaction),
    rerunOf: null,
    errorMessage: shown,
    requestCount: count,
    // Never more than the metadata of a refused request.
    recorded: part === 'none' ? 'none' : 'metadata',
    request,
    response: { status, headers: {}, body: null, truncated: false },
    log: [],
    error: { code, message: shown, line: null, column: null, limit: null },
    cancellationReason: null,
    sent: nothingSent,
    read: nothingRead,
  }
}

/** The code of a body that claims to be JSON and is not. */
export const REJECTED = 'END117'

/** Trials and reruns show their answer to the operator, and leave no record when nothing ran. */
export function rejectedRunRecord(
  job: RunJob,
  { response }: RejectedRun,
  { startedAt, completedAt }: Pick<RunTrace, 'startedAt' | 'completedAt'>,
  redaction: Redaction,
): Execution | null {
  if (job.type !== 'DynamicEndpoint') return null
  const { source, request } = job
  const version = 'version' in source ? source.version : null
  const principalId = request.user.principalId || null
  const message = 'The body is not valid JSON'
  const refusal = { status: response.status, code: REJECTED, message }
  const times = { from: startedAt, to: completedAt, count: 1 }
  return refusedRecord({ ...job, version, principalId }, refusal, times, redaction)
}
