/** What the admin API itself refuses (ADM1xx): callers without the role, and what does not have the shape it has to have. */
import { DetailedProblem, Problem, type ProblemDetail } from '../kernel/problem.ts'

export const authenticationRequired = () => new Problem('ADM101', 'Authentication required')

export const adminRequired = () => new Problem('ADM102', "The token has to carry the role 'admin'")

export const tokensUnavailable = () =>
  new Problem('ADM103', 'Tokens cannot be checked at the moment; the keys are not to be had')

export const malformedBody = (reason: string) =>
  new Problem('ADM104', `The body is no JSON: ${reason}`, {
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
    hint: 'GET /api/admin/v1/snapshots/refresh tells when it has ended.',
  })

export const nothingToRefreshFrom = () =>
  new Problem('ADM122', 'There is no source to refresh from', {
    hint: 'Start the service with --source or TRIPFOLIO_SOURCE naming the folder of the extract.',
  })

export const tooManyStreams = (most: number) =>
  new Problem('ADM123', `There are ${most} streams of notifications already, which is as many as may be`)
