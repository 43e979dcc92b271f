/** Turns an ended run into its record for the history: without secrets, and with bodies cut to a bounded length. */
import type { Execution, LogEntry, SentByRun } from '../../schema/execution-shapes.ts'
import type { Redaction } from '../redaction/redaction.ts'
import type { EndedRun, RunJob, ScriptRequest, ScriptResponse } from '../runs/run-states.ts'
import { cutToBytes } from './detached-string.ts'

/** What was logged and measured during the run. */
export type RunTrace = {
  /** Without secrets. */
  readonly log: LogEntry[]
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly completedAt: number
  readonly durationMs: number
  readonly sent: SentByRun
}

export function executionRecord(
  job: RunJob,
  ended: EndedRun,
  trace: RunTrace,
  redaction: Redaction,
  bodyBytes: number,
): Execution {
  const { endpoint, source, request } = job
  const { failure, cancellationReason } = ended
  const recorded = recordRequest(request, redaction, bodyBytes)
  const error = failure && { ...failure, message: recordMessage(failure.message, redaction) }
  return {
    id: job.executionId,
    type: job.type,
    status: ended.status,
    endpointId: endpoint.id,
    endpointName: endpoint.name,
    category: endpoint.category,
    version: 'version' in source ? source.version : null,
    method: request.method,
    path: recorded.path,
    responseStatus: ended.response.status,
    startedAt: new Date(trace.startedAt).toISOString(),
    completedAt: new Date(trace.completedAt).toISOString(),
    queuedMs: Math.max(0, trace.startedAt - job.arrivedAt),
    executionTimeMs: Math.round(trace.durationMs * 1000) / 1000,
    statementCount: ended.statements,
    loopCount: ended.rounds,
    principalId: request.user.principalId || null,
    requestId: job.requestId,
    rerunOf: job.rerunOf,
    errorMessage: error?.message ?? null,
    request: recorded,
    response: recordResponse(ended.response, redaction, bodyBytes),
    log: trace.log,
    error,
    cancellationReason: cancellationReason === null ? null : redaction.text(cancellationReason),
    sent: trace.sent,
  }
}

function recordRequest(
  request: ScriptRequest,
  redaction: Redaction,
  bodyBytes: number,
): Execution['request'] {
  const { method, path, queryString, headers, params, rawBody, bodyKind } = request
  const body = recordBody(rawBody, bodyKind, redaction, bodyBytes)
  return {
    method,
    path: redaction.text(path),
    queryString: redaction.queryString(queryString),
    headers: redaction.headers(headers),
    params: redaction.headers(params),
    ...body,
  }
}

function recordResponse(
  { status, headers, body }: ScriptResponse,
  redaction: Redaction,
  bodyBytes: number,
): Execution['response'] {
  const isJson = /^application\/(?:[^;]+\+)?json\b/i.test(headers['content-type'] ?? '')
  return {
    status,
    headers: redaction.headers(headers),
    ...recordBody(body, isJson ? 'json' : 'text', redaction, bodyBytes),
  }
}

/** A script may fail with a text of any length, and lists show the message of every run. */
const MOST_MESSAGE_BYTES = 4096

function recordMessage(message: string, redaction: Redaction): string {
  const beginning = cutToBytes(message, MOST_CLEANED).text
  const { text, wasCut } = cutToBytes(redaction.message(beginning), MOST_MESSAGE_BYTES)
  return wasCut ? `${text} [cut]` : text
}

/** Only the beginning of a longer body is redacted: redacting much more than is kept would hold up other runs. */
const MOST_CLEANED = 2 ** 20

function recordBody(
  body: string | null,
  kind: ScriptRequest['bodyKind'],
  redaction: Redaction,
  bodyBytes: number,
): Pick<Execution['response'], 'body' | 'truncated'> {
  if (body === null) return { body: null, truncated: false }
  // The recorded part ends long before this cut, so no secret of the recorded part lies across it.
  const beginning = cutToBytes(body, Math.max(MOST_CLEANED, 2 * bodyBytes))
  const { text, wasCut } = cutToBytes(redaction.body(beginning.text, kind), bodyBytes)
  return { body: text, truncated: wasCut || beginning.wasCut }
}
