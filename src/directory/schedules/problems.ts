/** Refusals of schedules (DIR47x). */
import { DetailedProblem, Problem } from '../../kernel/problem.ts'

/** @param missing the member that is null */
export const halfRoute = (missing: 'method' | 'path') =>
  new DetailedProblem('DIR470', `Expected a method and a path, or neither of them, found no ${missing}`, [
    { path: `/${missing}`, message: 'is missing; only a script that nothing but schedules run has neither' },
  ])

export const unknownSchedule = (endpoint: string, name: string, known: readonly string[]) =>
  new Problem('DIR471', `Expected a schedule of the published version of '${endpoint}', found '${name}'`, {
    hint:
      known.length === 0
        ? 'It has no schedule. A schedule begins to work when its endpoint is published.'
        : `It has ${known.map((one) => `'${one}'`).join(', ')}.`,
  })

export const scheduleRuns = (name: string, executionId: string) =>
  new Problem('DIR472', `Expected no other run of the schedule '${name}', found ${executionId}`, {
    hint: 'Wait for its end. Only a schedule with `overlap: true` may run several times at once.',
  })

export const scheduleIsOff = (endpoint: string, name: string) =>
  new Problem('DIR473', `Expected '${endpoint}' to be active, so that its schedule '${name}' can run`, {
    hint: 'Activate the endpoint first.',
  })
