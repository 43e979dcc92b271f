/** Refusals of the admin API itself (ADM1xx): callers without the role, malformed input, unknown items and conflicts. */
import { type RequiredRole, rolesThatMay } from '../auth/operator-roles.ts'
import { DetailedProblem, Problem, type ProblemDetail } from '../kernel/problem.ts'

export const authenticationRequired = () =>
  new Problem('ADM101', 'Authentication required', {
    hint: 'Send a token of an operator as Authorization: Bearer TOKEN.',
  })

/** The caller may know the roles: the OpenAPI document has them. */
export const roleRequired = (required: RequiredRole) =>
  new Problem('ADM102', `Expected a token with the role ${rolesThatMay[required].join(' or ')}`, {
    hint: 'GET /api/admin/v1/me shows the roles of your token, and what they allow.',
  })

export const tokensUnavailable = () =>
  new Problem('ADM103', 'Tokens cannot be checked at the moment: the keys are not available')

export const malformedBody = (reason: string) =>
  new Problem('ADM104', `The body is not valid JSON: ${reason}`, {
    hint: 'Send JSON in UTF-8 with the header Content-Type: application/json.',
  })

export const invalidInput = (what: string, details: readonly ProblemDetail[]) =>
  new DetailedProblem(
    'ADM105',
    `The ${what} is not what it should be: ${details.map(({ path, message }) => `${path || 'it'} ${message}`).join('; ')}`,
    details,
  )

export const adminBodyTooLarge = (limit: number) =>
  new Problem('ADM106', `The body is longer than ${limit} bytes`)

export const tooManyRequests = (retryAfterSeconds: number) =>
  new Problem('ADM107', `Too many requests from this address; retry after ${retryAfterSeconds} s`)

export const notFound = (what: string, id: string) =>
  new Problem('ADM120', `There is no ${what} '${id.length > 80 ? `${id.slice(0, 80)}…` : id}'`)

export const refreshRunning = () =>
  new Problem('ADM121', 'A refresh is running already', {
    hint: 'GET /api/admin/v1/snapshots/refresh shows its state.',
  })

export const snapshotUnusable = (reason: string) =>
  new Problem('DIR843', reason, {
    hint: 'Choose another snapshot: `tripfolio snapshot verify` checks all of them.',
  })

export const nothingToRefreshFrom = () =>
  new Problem('ADM122', 'There is no source to refresh from', {
    hint: 'Start the service with --source or TRIPFOLIO_SOURCE set to the folder of the extract.',
  })

export const tooManyLiveStreams = (most: number) =>
  new Problem('ADM134', `All ${most} streams of live runs are in use`)

export const tooManyRefreshStreams = (most: number) =>
  new Problem('ADM132', `All ${most} streams of refreshes are in use`)

export const tooManyStreams = (most: number) =>
  new Problem('ADM123', `All ${most} streams of notifications are in use`)

export const preconditionRequired = () =>
  new Problem('ADM124', 'Expected the header If-Match with the ETag of what is changed, found none', {
    hint: 'Read the object first, and send its ETag. `If-Match: *` changes it whatever it is by now.',
  })

export const changedMeanwhile = (etag: string | null) =>
  new Problem(
    'ADM125',
    etag === null
      ? 'If-Match names a version of something that does not exist'
      : `It was changed since you read it: its ETag is ${etag} now`,
    { hint: 'Read it again, look at what has changed, and send the request with the new ETag.' },
  )

export const keyOfOtherRequest = () =>
  new Problem('ADM126', 'The Idempotency-Key was sent with another request before', {
    hint: 'Use a new key for each request. Repeat a key only to repeat the same request.',
  })

export const answerUnknown = () =>
  new Problem(
    'ADM127',
    'A request with this Idempotency-Key is being answered, or was cut off before its answer was known',
    {
      hint: 'Wait a moment and repeat it. If it stays so, look whether what you asked for was done; it probably was.',
    },
  )
