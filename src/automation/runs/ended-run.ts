/**
 * Turns the end of a script, as the language reports it, into an `EndedRun`: the response for the caller, and why the run failed.
 * The caller of a script that failed gets the id of the record; only operators see the reason (design 8.5).
 */
import type { Cancellation } from '../../kernel/cancellation.ts'
import { Problem } from '../../kernel/problem.ts'
import { unmarked } from '../../kernel/text.ts'
import {
  isCancellation,
  type Limits,
  placeAt,
  ScriptFailure,
  type ScriptProblem,
} from '../../script/problems.ts'
import type { FinishedRun } from '../../script/script.ts'
import { type JsonFault, TooManyKeys } from '../../script/values.ts'
import { FormFault } from '../endpoint/request-data.ts'
import { readResponse } from '../endpoint/response.ts'
import { placed } from '../operations/check-endpoint.ts'
import { type CancelReason, runCancelledFor } from '../problems.ts'
import type { EndedRun, RejectedRun, RunFailure, ScriptResponse } from './run-states.ts'

type FinishedScript = {
  readonly executionId: string
  /** The text of the script. */
  readonly text: string
  readonly finished: FinishedRun
  /** The reason of a script that has cancelled its run. */
  readonly cancelled: string | null
  /** What the caller is told when something was away that a function of the script needed. */
  readonly unavailable: string | null
  readonly limits: Limits
  readonly cancellation: Cancellation | undefined
  /** Id of the endpoint that runs. */
  readonly owner: string
}

export async function endedRun(script: FinishedScript): Promise<EndedRun> {
  const { executionId, finished, cancelled, unavailable, cancellation } = script
  const { statements, rounds } = finished
  const counts = { statements, rounds, usedMs: finished.usedMs }
  if (cancelled !== null) return { ...cancelledByScript(script, cancelled), ...counts }
  const began = performance.now()
  const waited = { milliseconds: 0 }
  const written = await responseOf(script, waited)
  counts.usedMs += performance.now() - began - waited.milliseconds
  if ('response' in written) {
    return { status: 'Success', ...written, failure: null, cancellationReason: null, ...counts }
  }
  const { failure } = written
  if (!isCancellation(failure) || cancellation?.aborted !== true) {
    const response = unavailable === null ? {} : { response: tryLater(executionId, unavailable) }
    return { ...failed(executionId, failure), ...response, ...counts }
  }
  const { code, message, forCallers, retryAfterSeconds } = runCancelledFor(
    reasonOf(cancellation),
    executionId,
  )
  return {
    status: 'Cancelled',
    response: laterResponse(executionId, forCallers ?? message, retryAfterSeconds),
    failure: { ...failure, code, message },
    cancellationReason: message,
    ...counts,
  }
}

/** Only the supervisor cancels runs, and gives a reason; whatever else wants a run to end stops the service. */
const reasonOf = ({ reason }: Cancellation): CancelReason =>
  typeof reason === 'object' && reason !== null && 'kind' in reason
    ? (reason as CancelReason)
    : { kind: 'stopping' }

/** Whatever the language made of the call of CancelAction: in a lambda of `SortBy` every end of a run is a failure of the sorting. */
function cancelledByScript({ executionId, text, finished }: FinishedScript, reason: string) {
  const at = finished.problem?.at ?? null
  const { line, column } = at === null ? { line: null, column: null } : placeAt(text, at)
  return {
    status: 'Cancelled',
    response: errorResponse(409, executionId, reason),
    failure: { code: CANCELLED_BY_SCRIPT, message: reason, line, column, limit: null },
    cancellationReason: reason,
  } as const
}

/** The code in the history of runs that their scripts have cancelled. */
export const CANCELLED_BY_SCRIPT = 'END160'

type Written = { readonly response: ScriptResponse } | { readonly failure: RunFailure }

/** Writing the response is a part of the run and can fail like the script. */
async function responseOf(
  { text, finished, limits, cancellation, owner }: FinishedScript,
  waited: { milliseconds: number },
): Promise<Written> {
  const { problem, limit, data, deadline } = finished
  if (problem !== null) return { failure: failureOf(text, problem, limit) }
  try {
    return { response: await readResponse(data, { limits, deadline, cancellation, owner, waited }) }
  } catch (cause) {
    return { failure: answerFailure(cause) }
  }
}

/** The end of a published script that has problems now, because a function that it calls no longer exists. */
export const endedByProblems = (
  executionId: string,
  text: string,
  [first]: readonly ScriptProblem[],
): EndedRun => ({
  ...failed(executionId, first === undefined ? defect : failureOf(text, first, null)),
  ...nothingRan,
})

/** The end of a run in which the service itself failed; the log of the service has the cause. */
export const endedByDefect = (executionId: string): EndedRun => ({
  ...failed(executionId, defect),
  ...nothingRan,
})

const nothingRan = { statements: 0, rounds: 0, usedMs: 0 }

const defect: RunFailure = {
  code: 'END122',
  message: 'The service could not carry out the run; its log says why',
  line: null,
  column: null,
  limit: null,
}

/** The answer to a body that claims to be JSON or a form and is not; it says where the fault is. */
export function rejectedBody(fault: JsonFault | FormFault, body: string): RejectedRun {
  const error = faultOfBody(fault, body)
  return {
    status: 'Rejected',
    response: { status: 400, headers: jsonHeaders, body: JSON.stringify({ error }) },
  }
}

function faultOfBody(fault: JsonFault | FormFault, body: string): string {
  const { message } = fault
  if (fault instanceof FormFault) return `The body is not a valid form: ${message}`
  if (fault instanceof TooManyKeys)
    return `The body has too many different keys: ${message} (the setting bodyKeys)`
  const { line, column } = placeAt(unmarked(body), fault.at)
  return `The body is not valid JSON: ${message} (line ${line}, column ${column})`
}

const failed = (executionId: string, failure: RunFailure) =>
  ({
    status: 'Failed',
    response: failedResponse(executionId, 'The endpoint could not answer: its script failed'),
    failure,
    cancellationReason: null,
  }) as const

/** The script is not to blame: the same request may succeed later. */
const tryLater = (executionId: string, reason: string): ScriptResponse =>
  laterResponse(executionId, `The endpoint could not answer: ${reason}`, RETRY_AFTER_SECONDS)

/** @param seconds when another attempt may succeed; undefined when waiting does not help */
function laterResponse(executionId: string, error: string, seconds: number | undefined): ScriptResponse {
  const response = errorResponse(503, executionId, error)
  if (seconds === undefined) return response
  return { ...response, headers: { ...response.headers, 'retry-after': String(seconds) } }
}

export const RETRY_AFTER_SECONDS = 30

const failedResponse = (executionId: string, error: string): ScriptResponse =>
  errorResponse(500, executionId, error)

/** The form that the specification has for errors of endpoints (7.3), with the id of the record. */
const errorResponse = (status: number, executionId: string, error: string): ScriptResponse => ({
  status,
  headers: jsonHeaders,
  body: JSON.stringify({ error, executionId }),
})

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' }

function failureOf(text: string, problem: ScriptProblem, limit: RunFailure['limit']): RunFailure {
  const { code, message, line, column } = placed(text, problem)
  return { code, message, line, column, limit }
}

/** A fault of the response has no line in the script. */
function answerFailure(cause: unknown): RunFailure {
  const nowhere = { line: null, column: null, limit: null }
  if (cause instanceof ScriptFailure) {
    const { code, message, limit } = cause
    return { ...nowhere, code, message: `Data._payload: ${message}`, limit }
  }
  if (cause instanceof Problem) return { ...nowhere, code: cause.code, message: cause.message }
  throw cause
}
