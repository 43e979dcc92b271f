/** Faults of schedules, and runs that were lost with their process (END17x). */
import { DetailedProblem, type ProblemDetail } from '../../kernel/problem.ts'
import { RunProblem } from '../problems.ts'

export const badSchedules = (name: string, faults: readonly ProblemDetail[]) =>
  new DetailedProblem(
    'END170',
    `Expected the schedules of '${name}' to have no faults, found ${faults.length}: ${faults[0]?.message}`,
    faults,
  )

export const lostWithProcess = (executionId: string) =>
  new RunProblem({
    code: 'END171',
    message: 'The run was lost: the process that ran it ended',
    hint: undefined,
    retryAfterSeconds: undefined,
    executionId,
  })
