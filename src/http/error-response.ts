/**
 * Turns whatever was thrown into the one error shape: `{error}`, or the QueryError of a parameter (specification 2.7).
 * Problems on our side and defects say nothing of what happened but the request id; their cause is for the log.
 */
import { STATUS_CODES } from 'node:http'
import { Problem, type ProblemCode, QueryProblem } from '../kernel/problem.ts'
import type { ErrorBody, QueryErrorBody } from '../schema/shapes.ts'
import { bodyTooLarge, malformedRequest, RateLimitProblem, statusOf } from './problems.ts'

export type ErrorResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The finished JSON. */
  readonly body: string
  readonly problem: ProblemCode | null
  /** Somebody on our side has to look at it. */
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

/** Fastify's own refusals, as far as a caller can cause them. */
function translated(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('code' in thrown)) return thrown
  if (thrown.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge()
  if (thrown.code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return malformedRequest('the body does not have the announced length')
  }
  if (thrown.code === 'FST_ERR_BAD_URL') return malformedRequest('the path is not valid percent-encoding')
  return thrown
}

function statusFor(error: unknown): number {
  return error instanceof Problem ? statusOf(error) : 500
}

/** Being without a snapshot is a state to wait out, not a failure. */
function isExpected(error: unknown): boolean {
  return error instanceof Problem && error.code === 'SRV201'
}

function bodyFor(error: unknown, status: number, requestId: string): ErrorBody | QueryErrorBody {
  if (error instanceof QueryProblem) {
    const { parameter, column, input } = error
    return {
      error: `Invalid ${parameter}`,
      message: withHint(error),
      parameter,
      ...(column !== undefined && { column }),
      ...(input !== undefined && { input }),
    }
  }
  if (error instanceof Problem && (status < 500 || isExpected(error))) return { error: withHint(error) }
  return { error: `${STATUS_CODES[status]}; the request id is ${requestId}` }
}

function withHint({ message, hint }: Problem): string {
  return hint === undefined ? message : `${message}. ${hint}`
}

/** Version 1 has a credential of its own besides the API key (RFC 9110, section 11.6.1: several challenges, one list). */
function challengeFor(error: unknown): string {
  const headers = error instanceof Problem && error.code === 'SRV113' ? ['psk', 'X-API-Key'] : ['X-API-Key']
  return headers.map((name) => `ApiKey realm="tripfolio", header="${name}"`).join(', ')
}

const retryAfterSeconds = '30'

function headersFor(error: unknown, status: number): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(status === 401 && { 'www-authenticate': challengeFor(error) }),
    ...(status === 503 && { 'retry-after': retryAfterSeconds }),
    ...(error instanceof RateLimitProblem && { 'retry-after': String(error.retryAfterSeconds) }),
  }
}
