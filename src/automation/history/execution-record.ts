/** Turns an ended run into its record for the history: without secrets, and with bodies cut to a bounded length. */
import { cutToBytes } from '../../kernel/detached-string.ts'
import type { RecordedPart } from '../../schema/endpoint-shapes.ts'
import type { Execution, LogEntry, ReadByRun, SentByRun } from '../../schema/execution-shapes.ts'
import type { Redaction } from '../redaction/redaction.ts'
import type { EndedRun, RunJob, ScriptRequest, ScriptResponse } from '../runs/run-states.ts'

/** What was logged and measured during the run. */
export type RunTrace = {
  /** Without secrets. */
  readonly log: LogEntry[]
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly completedAt: number
  readonly durationMs: number
  readonly sent: SentByRun
  readonly read: ReadByRun | null
}

export function executionRecord(
  job: RunJob,
  ended: EndedRun,
  trace: RunTrace,
  redaction: Redaction,
  bodyBytes: number,
): Execution {
  const { endpoint, source, request, recording } = job
  const { failure, cancellationReason } = ended
  const part = recording?.record ?? 'full'
  const recorded =
    part === 'full' ? recordRequest(request, redaction, bodyBytes) : bareRequest(job, redaction)
  const error =
    failure === null
      ? null
      : part === 'full'
        ? { ...failure, message: recordMessage(failure.message, redaction) }
        : { ...failure, message: `${failure.code}: the endpoint does not record messages` }
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
    principalId: part === 'none' ? null : request.user.principalId || null,
    requestId: part === 'none' ? null : shownRequestId(job, redaction),
    rerunOf: job.rerunOf,
    errorMessage: error?.message ?? null,
    requestCount: 1,
    recorded: part,
    request: recorded,
    response:
      part === 'full'
        ? recordResponse(ended.response, redaction, bodyBytes)
        : { status: ended.response.status, ...nothing },
    log: part === 'full' ? trace.log : [],
    error,
    cancellationReason: recordReason(cancellationReason, part, redaction),
    sent: trace.sent,
    read: trace.read,
  }
}

/** Callers may choose it. */
export const shownRequestId = (
  { requestId }: Pick<RunJob, 'requestId'>,
  redaction: Pick<Redaction, 'text'>,
): string | null => requestId && redaction.text(requestId)

const recordReason = (reason: string | null, part: RecordedPart, redaction: Redaction): string | null =>
  reason === null ? null : part === 'full' ? redaction.text(reason) : 'the endpoint does not record reasons'

/** Neither headers nor a body. */
const nothing = { headers: {}, body: null, truncated: false } as const

/** The most of a path that is recorded without the rest of a request. */
const MOST_PATH_BYTES = 500

/** A request without its contents: for an endpoint that does not record them, and for requests that were refused. */
export function bareRequest(
  {
    request: { method, path },
    recording,
  }: Pick<RunJob, 'recording'> & {
    readonly request: Pick<ScriptRequest, 'method' | 'path'>
  },
  redaction: Redaction,
): Execution['request'] {
  const shown =
    recording?.record === 'none'
      ? recording.pattern
      : cutToBytes(redaction.text(cutToBytes(path, MOST_CLEANED).text), MOST_PATH_BYTES).text
  return { method, path: shown, queryString: '', params: {}, ...nothing }
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
  { status, headers, body, bodyEncoding }: ScriptResponse,
  redaction: Redaction,
  bodyBytes: number,
): Execution['response'] {
  if (bodyEncoding === 'base64' && body !== null) {
    // Redaction finds no secrets inside of bytes.
    const note = `[${Buffer.byteLength(body, 'base64')} bytes, not recorded]`
    return { status, headers: redaction.headers(headers), body: note, truncated: true }
  }
  const isJson = /^application\/(?:[^;]+\+)?json\b/i.test(headers['content-type'] ?? '')
  return {
    status,
    headers: redaction.headers(headers),
    ...recordBody(body, isJson ? 'json' : 'text', redaction, bodyBytes),
  }
}

/** A script may fail with a text of any length, and lists show the message of every run. */
const MOST_MESSAGE_BYTES = 4096

export function recordMessage(message: string, redaction: Redaction): string {
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
