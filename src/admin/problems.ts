/** Refusals of the admin API itself (ADM1xx): callers without the role, malformed input, unknown items and conflicts. */
import { DetailedProblem, Problem, type ProblemDetail } from '../kernel/problem.ts'

export const authenticationRequired = () => new Problem('ADM101', 'Authentication required')

export const adminRequired = () => new Problem('ADM102', "The token must carry the role 'admin'")

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

export const notFound = (what: string, id: string) =>
  new Problem('ADM120', `There is no ${what} '${id.length > 80 ? `${id.slice(0, 80)}…` : id}'`)

export const refreshRunning = () =>
  new Problem('ADM121', 'A refresh is running already', {
    hint: 'GET /api/admin/v1/snapshots/refresh shows its state.',
  })

export const nothingToRefreshFrom = () =>
  new Problem('ADM122', 'There is no source to refresh from', {
    hint: 'Start the service with --source or TRIPFOLIO_SOURCE set to the folder of the extract.',
  })

export const tooManyRefreshStreams = (most: number) =>
  new Problem('ADM132', `All ${most} streams of refreshes are in use`)

export const tooManyStreams = (most: number) =>
  new Problem('ADM123', `All ${most} streams of notifications are in use`)
