/** Why an endpoint cannot be published, tried or run again (END112 to END115, END13x). */
import { DetailedProblem, Problem, type ProblemDetail } from '../../kernel/problem.ts'
import type { PlacedProblem } from './check-endpoint.ts'

export const scriptHasProblems = (name: string, problems: readonly PlacedProblem[]) =>
  new DetailedProblem(
    'END130',
    `Expected the script of '${name}' to have no problems, found ${problems.length}: ${problems[0]?.message}`,
    problems.map(({ message, line, column }) => ({
      path: '/script',
      message,
      ...(line !== null && { line }),
      ...(column !== null && { column }),
    })),
  )

export const unknownExecution = (id: string) =>
  new Problem('END131', `Expected the id of a run that is in the history, found '${id}'`, {
    hint: 'The oldest runs are removed from the history; the list of executions shows the runs that it has.',
  })

export const bodyWasCut = (id: string) =>
  new Problem('END132', `Expected a run whose body was recorded in full, found ${id}, whose body was cut`, {
    hint: 'The setting historyBodyBytes says how much of a body is recorded. Run a trial with the whole body instead.',
  })

export const draftWasRun = (id: string) =>
  new Problem('END133', `Expected a run of a published version, found ${id}, which ran a draft`, {
    hint: 'Drafts are not kept. Run a trial of the endpoint again instead.',
  })

export const neverPublished = (name: string) =>
  new Problem('END134', `Expected a published version of '${name}', found only a draft`, {
    hint: 'Publish the endpoint first.',
  })

export const sampleDoesNotFit = (details: readonly ProblemDetail[]) =>
  new DetailedProblem(
    'END135',
    `Expected a request that callers could send: ${details.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
    details,
  )

export const contentNotRecorded = (id: string) =>
  new Problem('END112', `Expected a run that was recorded in full, found ${id}, whose contents were not`, {
    hint: 'The member `record` of the endpoint says what is recorded. Run a trial of the endpoint instead.',
  })

/** The run is over and its writes stay: it must not look as if it could be repeated. */
export const readingNotNoted = (id: string, cause: unknown) =>
  new Problem('END118', `The run ${id} has ended, but the audit trail did not take what it has read`, {
    hint: 'Its answer is not shown. See to the store (GET /readyz says what is wrong), and look at the record of the run before you repeat it.',
    cause,
  })

export const emptyFilter = () =>
  new Problem('END113', 'Expected at least one condition that chooses executions, found none', {
    hint: 'Add one, such as endpointId or to.',
  })

export const unknownRerunJob = (id: string) =>
  new Problem('END114', `Expected the id of a job of reruns, found '${id}'`, {
    hint: 'GET /api/admin/v1/executions/reruns lists the jobs.',
  })

export const nothingRan = (id: string) =>
  new Problem('END115', `Expected a run, found ${id}, a request that was refused before its script ran`, {
    hint: 'Let the sender send it again.',
  })
