/**
 * Why an endpoint's script could not be run: there was no room, its version is gone, or its thread ended (END10x, END110); and why
 * its response cannot be sent (END12x), which ends the run as a failed one. Problems of runs go between threads as plain data.
 */
import { Problem, type ProblemCode } from '../kernel/problem.ts'

/** What is left of a {@link RunProblem} between two threads. */
export type PlainRunProblem = {
  readonly code: ProblemCode
  readonly message: string
  readonly hint: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly executionId: string | undefined
}

export class RunProblem extends Problem {
  override readonly name: string = 'RunProblem'
  /** When it is worth another attempt; undefined where waiting does not help. */
  readonly retryAfterSeconds: number | undefined
  /** Under which the run is found in the history; undefined when it never began. */
  readonly executionId: string | undefined

  constructor({ code, message, hint, retryAfterSeconds, executionId }: PlainRunProblem) {
    super(code, message, { hint })
    this.retryAfterSeconds = retryAfterSeconds
    this.executionId = executionId
  }

  toPlain(): PlainRunProblem {
    const { code, message, hint, retryAfterSeconds, executionId } = this
    return { code, message, hint, retryAfterSeconds, executionId }
  }
}

/** @param waiting how many runs wait already, which is as many as may */
export const queueFull = (waiting: number, retryAfterSeconds: number) =>
  new RunProblem({
    code: 'END101',
    message: `Expected room in the queue of runs, found ${waiting} waiting, which is as many as may`,
    hint: `Retry after ${seconds(retryAfterSeconds)}.`,
    retryAfterSeconds,
    executionId: undefined,
  })

export const waitedTooLong = (milliseconds: number, retryAfterSeconds: number) =>
  new RunProblem({
    code: 'END102',
    message: `Expected a turn within ${Math.round(milliseconds)} ms, found none`,
    hint: `Retry after ${seconds(retryAfterSeconds)}.`,
    retryAfterSeconds,
    executionId: undefined,
  })

export const serviceStopping = () =>
  new RunProblem({
    code: 'END104',
    message: 'The service is being stopped and runs nothing more',
    hint: 'Retry when it has been started again.',
    retryAfterSeconds: 5,
    executionId: undefined,
  })

/** @param reason as the end of "The run did not come to its end: ..."; for the history and the log, never for callers */
export const runLost = (executionId: string, reason: string) =>
  new RunProblem({
    code: 'END103',
    message: `The run did not come to its end: ${reason}`,
    hint: undefined,
    retryAfterSeconds: undefined,
    executionId,
  })

export const endpointGone = (version: number) =>
  new RunProblem({
    code: 'END110',
    message: `Expected version ${version} of the endpoint, found none: it was deleted meanwhile`,
    hint: 'Ask again: who asks now finds what there is now.',
    retryAfterSeconds: undefined,
    executionId: undefined,
  })

/** @param member as scripts write it, such as `Data._statusCode` */
export const badAnswer = (member: string, expected: string, found: string) =>
  new Problem('END120', `Expected ${expected} as ${member}, found ${found}`)

export const headerNotAllowed = (name: string, reason: string) =>
  new Problem('END121', `Expected no header '${name}' in Data._headers: ${reason}`)

const seconds = (count: number) => `${count} ${count === 1 ? 'second' : 'seconds'}`
