/** Why an endpoint is not published, tried or run again (END13x). Each says what stands in the way. */
import { DetailedProblem, Problem, type ProblemDetail } from '../../kernel/problem.ts'
import type { PlacedProblem } from './check-endpoint.ts'

export const scriptHasProblems = (name: string, problems: readonly PlacedProblem[]) =>
  new DetailedProblem(
    'END130',
    `Expected a script of '${name}' without problems, found ${problems.length}: ${problems[0]?.message}`,
    problems.map(({ message, line, column }) => ({
      path: '/script',
      message,
      ...(line !== null && { line }),
      ...(column !== null && { column }),
    })),
  )

export const unknownExecution = (id: string) =>
  new Problem('END131', `Expected the id of a run that is in the history, found '${id}'`, {
    hint: 'The oldest runs are removed from it; the list of executions shows those that are there.',
  })

export const bodyWasCut = (id: string) =>
  new Problem('END132', `Expected a run whose body was recorded in full, found ${id}, of which it was cut`, {
    hint: 'How much of a body is recorded is a setting; run a trial of the endpoint with the body at hand instead.',
  })

export const draftWasRun = (id: string) =>
  new Problem('END133', `Expected a run of a published version, found ${id}, which ran a draft`, {
    hint: 'Drafts are not kept; run a trial of the endpoint again instead.',
  })

export const neverPublished = (name: string) =>
  new Problem('END134', `Expected a published version of '${name}', found only a draft`, {
    hint: 'Publish it first.',
  })

export const sampleDoesNotFit = (details: readonly ProblemDetail[]) =>
  new DetailedProblem(
    'END135',
    `Expected a request as callers could send it, found others: ${details.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
    details,
  )
