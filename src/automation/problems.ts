/**
 * Why a script was not run or did not reach its end: the queue is full, its version was deleted, its thread ended, or it was
 * cancelled (END10x, END110). And why its response cannot be sent (END12x), which makes the run fail. Problems of runs go
 * between threads as plain data.
 */
import { Problem, type ProblemCode } from '../kernel/problem.ts'
import type { ReadByRun } from '../schema/execution-shapes.ts'

/** A {@link RunProblem} as plain data, to be sent between threads. */
export type PlainRunProblem = {
  readonly code: ProblemCode
  readonly message: string
  readonly hint: string | undefined
  readonly forCallers?: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly executionId: string | undefined
  readonly read?: ReadByRun | undefined
}

export class RunProblem extends Problem {
  override readonly name: string = 'RunProblem'
  /** When another attempt may succeed; undefined when waiting does not help. */
  readonly retryAfterSeconds: number | undefined
  /** The id of the run in the history; undefined when the run never began. */
  readonly executionId: string | undefined
  /** What a run that was lost had read; undefined when nothing ran. */
  readonly read: ReadByRun | undefined

  constructor({ code, message, hint, forCallers, retryAfterSeconds, executionId, read }: PlainRunProblem) {
    super(code, message, { hint, forCallers })
    this.retryAfterSeconds = retryAfterSeconds
    this.executionId = executionId
    this.read = read
  }

  toPlain(): PlainRunProblem {
    const { code, message, hint, forCallers, retryAfterSeconds, executionId, read } = this
    return { code, message, hint, forCallers, retryAfterSeconds, executionId, read }
  }
}

/** @param waiting how many runs wait already */
export const queueFull = (waiting: number, retryAfterSeconds: number) =>
  new RunProblem({
    code: 'END101',
    message: `The queue of runs is full: ${waiting} runs wait already`,
    hint: `Retry after ${seconds(retryAfterSeconds)}.`,
    retryAfterSeconds,
    executionId: undefined,
  })

export const waitedTooLong = (milliseconds: number, retryAfterSeconds: number) =>
  new RunProblem({
    code: 'END102',
    message: `The run did not begin within ${Math.round(milliseconds)} ms`,
    hint: `Retry after ${seconds(retryAfterSeconds)}.`,
    retryAfterSeconds,
    executionId: undefined,
  })

export const serviceStopping = () =>
  new RunProblem({
    code: 'END104',
    message: 'The service is stopping and begins no more runs',
    hint: 'Retry after the service has been restarted.',
    retryAfterSeconds: 5,
    executionId: undefined,
  })

/** @param reason completes "The run was lost: ..."; for the history and the log, never for callers */
export const runLost = (executionId: string, reason: string) =>
  new RunProblem({
    code: 'END103',
    message: `The run was lost: ${reason}`,
    hint: undefined,
    retryAfterSeconds: undefined,
    executionId,
  })

/** Why a run is cancelled from outside of its script. It is plain data, and goes from thread to thread. */
export type CancelReason =
  | { readonly kind: 'operator'; readonly by: string }
  | { readonly kind: 'caller-left' }
  | { readonly kind: 'stopping' }

/** The message is for the history; callers learn only that it was cancelled. */
export const runCancelledFor = (reason: CancelReason, executionId: string) =>
  new RunProblem({ ...cancelled[reason.kind](reason as never), hint: undefined, executionId })

const cancelled: {
  readonly [K in CancelReason['kind']]: (
    reason: Extract<CancelReason, { kind: K }>,
  ) => Pick<PlainRunProblem, 'code' | 'message' | 'forCallers' | 'retryAfterSeconds'>
} = {
  operator: ({ by }) => ({
    code: 'END105',
    message: `The run was cancelled by ${by}`,
    forCallers: 'The run was cancelled by an operator',
    retryAfterSeconds: undefined,
  }),
  'caller-left': () => ({
    code: 'END106',
    message: 'The run was cancelled: its caller closed the connection before the answer',
    retryAfterSeconds: undefined,
  }),
  stopping: () => ({
    code: 'END107',
    message: 'The run was cancelled: the service was stopped',
    forCallers: 'The run was cancelled, because the service is stopping. Retry after it has been restarted.',
    retryAfterSeconds: 5,
  }),
}

/** For the record of a run that a process had begun when it was killed. */
export const runLostWithService = (executionId: string) =>
  new RunProblem({
    code: 'END108',
    message:
      'The run was lost: the service ended before the run was recorded. What its caller got is unknown',
    hint: undefined,
    retryAfterSeconds: undefined,
    executionId,
  })

export const noLiveRun = (id: string) =>
  new Problem('ADM133', `No run with the id '${id}' waits or runs`, {
    hint: 'It may have ended: look it up in the list of executions.',
  })

/** @param stores the data folder, or the database without its password */
export const noServiceAnswered = (stores: string) =>
  new Problem('ADM135', `No service that runs on ${stores} has answered`, {
    hint: 'Start it with `tripfolio serve`, or name the data folder or the store that it uses.',
  })

export const endpointGone = (version: number) =>
  new RunProblem({
    code: 'END110',
    message: `Version ${version} of the endpoint was deleted before the run began`,
    hint: 'Send the request again.',
    retryAfterSeconds: undefined,
    executionId: undefined,
  })

/** @param member the member as scripts write it, such as `Data._statusCode` */
export const badAnswer = (member: string, expected: string, found: string) =>
  new Problem('END120', `Expected ${expected} as ${member}, found ${found}`)

export const headerNotAllowed = (name: string, reason: string) =>
  new Problem('END121', `Expected no header '${name}' in Data._headers: ${reason}`)

const seconds = (count: number) => `${count} ${count === 1 ? 'second' : 'seconds'}`
