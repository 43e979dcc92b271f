/**
 * Does the work of batches of reruns: one run after the other, each through the queue of all runs. A run is claimed in the store
 * before it begins. When the service ends during a run, the next start finds the claim and marks it as interrupted: it is not begun
 * again, because it may have done a part of its work. Runs that wait are begun after the next start.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClaimedRerun, RerunOutcome, Reruns } from '../../directory/history/history.ts'
import { isNotWritable } from '../../directory/problems.ts'
import { Problem } from '../../kernel/problem.ts'
import { anonymous } from '../../kernel/user.ts'
import type { Observe } from '../../observe/observation.ts'
import { unfinishedStatus } from '../history/unfinished-run-record.ts'
import { RunProblem } from '../problems.ts'
import { newExecutionId } from '../runs/execution-id.ts'
import type { EndpointOperations } from './endpoint-operations.ts'

type Options = {
  readonly reruns: Reruns
  readonly rerun: EndpointOperations['rerun']
  readonly observe: Observe
  /** While this is true, runs wait. */
  readonly isQuiet?: () => Promise<boolean>
  readonly everyMs?: number
}

const EVERY_MS = 1000

/** @returns a function that ends the work; it resolves when the run under way has ended */
export function startReruns({
  reruns,
  rerun,
  observe,
  isQuiet,
  everyMs = EVERY_MS,
}: Options): () => Promise<void> {
  const closing = new AbortController()
  const { signal } = closing
  let isTold = false

  async function work(): Promise<void> {
    let isFirst = true
    while (!signal.aborted) {
      try {
        if (isFirst) await reruns.interruptRunning(INTERRUPTED)
        isFirst = false
        await pause(await repeatNext())
        isTold = false
      } catch (cause) {
        tell(cause)
        await pause(everyMs)
      }
    }
  }
  /** Once, and not every second: the history may not be writable for a while. */
  const tell = (cause: unknown) => {
    if (!isTold) observe({ kind: 'history-lost', executions: 0, reason: (cause as Error).message })
    isTold = true
  }
  const pause = (milliseconds: number) =>
    sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)

  /** @returns how long to wait before the next one, in milliseconds */
  async function repeatNext(): Promise<number> {
    if (await isQuiet?.()) return everyMs
    const claimed = await reruns.claim(newExecutionId(Date.now()))
    if (claimed === null) return everyMs
    const outcome = await repeat(claimed)
    await settle(claimed, outcome)
    return outcome.state === 'waiting' ? everyMs : 0
  }

  /** Tries until the history takes it: a run whose end is not known would stay under way. */
  async function settle(claimed: ClaimedRerun, outcome: RerunOutcome): Promise<void> {
    for (;;) {
      try {
        return await reruns.settle(claimed, outcome)
      } catch (cause) {
        if (signal.aborted) throw cause
        tell(cause)
        await pause(everyMs)
      }
    }
  }

  async function repeat(claimed: ClaimedRerun): Promise<RerunOutcome> {
    const { executionId, version, requestedBy, requestId, rerunId, jobId } = claimed
    const operator = { user: { ...anonymous, principalId: requestedBy }, requestId }
    try {
      const { execution } = await rerun(executionId, version, operator, { executionId: rerunId, jobId })
      return execution === null
        ? { state: 'skipped', problem: 'The recorded body is not valid JSON' }
        : { state: 'done', status: execution.status }
    } catch (cause) {
      return outcomeOf(cause)
    }
  }

  const working = work()
  return async () => {
    closing.abort()
    await working
  }
}

const INTERRUPTED =
  'The service ended during this run, which may have done a part of its work. Look for the record of the new run, then decide whether to repeat it.'

function outcomeOf(cause: unknown): RerunOutcome {
  if (cause instanceof RunProblem) {
    // A run that was lost or cancelled has a record; one that was refused has not begun.
    return cause.executionId === undefined && cause.retryAfterSeconds !== undefined
      ? { state: 'waiting' }
      : { state: 'done', status: unfinishedStatus(cause) }
  }
  if (isNotWritable(cause)) return { state: 'waiting' }
  const problem = cause instanceof Problem ? `${cause.code}: ${cause.message}` : String(cause)
  return { state: cause instanceof Problem ? 'skipped' : 'interrupted', problem }
}
