/**
 * Turns any thrown value into the one error shape: `{error}`, or the QueryError of a parameter (specification 2.7).
 * For failures of the service the body has only the request id; the cause goes to the log.
 */
import { STATUS_CODES } from 'node:http'
import { RunProblem } from '../automation/problems.ts'
import {
  DetailedProblem,
  Problem,
  type ProblemCode,
  type ProblemDetail,
  QueryProblem,
} from '../kernel/problem.ts'
import { challengeOf } from '../kernel/problems/codes.ts'
import type { Challenge } from '../kernel/problems/kinds.ts'
import type { ErrorBody, QueryErrorBody } from '../schema/shapes.ts'
import { statusOf } from './problem-status.ts'
import {
  malformedRequest,
  RetryProblem,
  requestBodyTooLarge,
  routeNotFound,
  unsupportedMediaType,
} from './problems.ts'

export type ErrorResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The finished JSON. */
  readonly body: string
  readonly problem: ProblemCode | null
  /** Whether it is a fault of the service, which an operator has to look at. */
  readonly isFailure: boolean
}

export function errorResponse(thrown: unknown, requestId: string): ErrorResponse {
  const error = translated(thrown)
  const status = statusFor(error)
  return {
    status,
    headers: headersFor(error, status),
    body: JSON.stringify(bodyFor(error, status, requestId)),
    problem: error instanceof Problem ? error.code : null,
    isFailure: status >= 500 && !isExpected(error),
  }
}

/** Replaces the errors of Fastify that a caller can cause by our problems. */
function translated(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('code' in thrown)) return thrown
  if (thrown.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return requestBodyTooLarge()
  if (thrown.code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return malformedRequest('the body does not have the announced length')
  }
  if (thrown.code === 'FST_ERR_BAD_URL') return malformedRequest('the path is not valid percent-encoding')
  if (thrown.code === 'FST_ERR_CTP_INVALID_JSON_BODY') return malformedRequest('the body is not valid JSON')
  if (thrown.code === 'FST_ERR_CTP_EMPTY_JSON_BODY') return malformedRequest('the body is empty')
  if (thrown.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType()
  return refusedByStatus(thrown) ?? thrown
}

/** Translates other errors of Fastify and its plugins by status, such as a path that leads out of the static files. */
function refusedByStatus(thrown: Error & { readonly code?: unknown }): Problem | undefined {
  const { code } = thrown
  if (typeof code !== 'string' || !code.startsWith('FST_') || !('statusCode' in thrown)) return undefined
  const status = Number(thrown.statusCode)
  // A caller does not learn that a file exists which must not be read.
  if (status === 403 || status === 404) return routeNotFound()
  return status >= 400 && status < 500 ? malformedRequest('it cannot be read') : undefined
}

function statusFor(error: unknown): number {
  return error instanceof Problem ? statusOf(error) : 500
}

/** Neither a temporary state nor what scripts ask for is a fault of the service, and the answer says what it is. */
function isExpected(error: unknown): boolean {
  return error instanceof Problem && (error.kind === 'unavailable' || error.kind === 'loop-detected')
}

type DetailedBody = ErrorBody & { readonly details: readonly ProblemDetail[] }
type RunErrorBody = ErrorBody & { readonly executionId: string }

function bodyFor(
  error: unknown,
  status: number,
  requestId: string,
): ErrorBody | QueryErrorBody | DetailedBody | RunErrorBody {
  if (error instanceof QueryProblem) {
    const { parameter, column, input } = error
    return {
      error: parameter === '' ? 'Missing parameter name' : `Invalid ${parameter}`,
      message: withHint(error),
      parameter,
      ...(column !== undefined && { column }),
      ...(input !== undefined && { input }),
    }
  }
  if (error instanceof DetailedProblem && status < 500) {
    return { error: withHint(error), details: error.details }
  }
  if (error instanceof Problem && (status < 500 || isExpected(error))) {
    const executionId = error instanceof RunProblem ? error.executionId : undefined
    return { error: withHint(error), ...(executionId !== undefined && { executionId }) }
  }
  if (error instanceof RunProblem && error.executionId !== undefined) {
    return { error: 'The script did not finish', executionId: error.executionId }
  }
  return { error: `${STATUS_CODES[status]}; the request id is ${requestId}` }
}

function withHint({ message, hint, forCallers }: Problem): string {
  if (forCallers !== undefined) return forCallers
  return hint === undefined ? message : `${message}. ${hint}`
}

/**
 * Several challenges in one list (RFC 9110, section 11.6.1). `Basic` is accepted but not named: a browser would ask for a password
 * and then send it with every request, also from the pages of the reference.
 */
const apiKey = 'ApiKey realm="tripfolio", header="X-API-Key", Bearer realm="tripfolio"'

/** Version 1 takes a psk or an API key. */
const challenges: { readonly [Name in Challenge]: string } = {
  'api-key': apiKey,
  'psk-or-api-key': `ApiKey realm="tripfolio", header="psk", ${apiKey}`,
  token: 'Bearer realm="tripfolio"',
  signature: 'Signature realm="tripfolio"',
}

function challengeFor(error: unknown): string | undefined {
  const challenge = error instanceof Problem ? challengeOf(error.code) : undefined
  return challenge && challenges[challenge]
}

const retryAfterSeconds = 30

function retryAfter(error: unknown, status: number): number | undefined {
  const own =
    error instanceof RetryProblem || error instanceof RunProblem ? error.retryAfterSeconds : undefined
  return own ?? (status === 503 ? retryAfterSeconds : undefined)
}

function headersFor(error: unknown, status: number): Readonly<Record<string, string>> {
  const seconds = retryAfter(error, status)
  const challenge = challengeFor(error)
  return {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(challenge !== undefined && { 'www-authenticate': challenge }),
    ...(seconds !== undefined && { 'retry-after': String(seconds) }),
    ...(error instanceof RunProblem &&
      error.executionId !== undefined && { 'x-execution-id': error.executionId }),
  }
}
