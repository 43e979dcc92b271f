/**
 * Failed runs of which the operator is told. While an alert of an endpoint is open, further failures are counted in it; after
 * it is closed, the next one comes a minute after the one before at the earliest.
 */
import type { components } from '../../../generated/api.d.ts'

export type Failure = {
  readonly endpointId: string
  readonly endpointName: string
  readonly executionId: string
}

export type EndpointFailures = {
  readonly endpointName: string
  /** The newest of them. */
  readonly executionId: string
  /** Since the operator has closed or followed an alert of the endpoint. */
  readonly count: number
  readonly isShown: boolean
  /** When the last alert appeared. */
  readonly shownAtMs: number
}

/** By endpoint. */
export type Failures = ReadonlyMap<string, EndpointFailures>

export const noFailures: Failures = new Map()

const PAUSE_MS = 60_000

export function afterFailure(failures: Failures, failure: Failure, nowMs: number): Failures {
  const { endpointId, endpointName, executionId } = failure
  const { count, isShown, shownAtMs } = failures.get(endpointId) ?? {
    count: 0,
    isShown: false,
    shownAtMs: Number.NEGATIVE_INFINITY,
  }
  const counted = { endpointName, executionId, count: count + 1, isShown, shownAtMs }
  return new Map(failures).set(endpointId, shownIfDue(counted, nowMs))
}

/** Shows failures that came too soon after a closed alert. @returns the same map when there is nothing to show */
export function afterTime(failures: Failures, nowMs: number): Failures {
  const isDue = (one: EndpointFailures) => shownIfDue(one, nowMs) !== one
  if (![...failures.values()].some(isDue)) return failures
  return new Map([...failures].map(([id, one]) => [id, shownIfDue(one, nowMs)]))
}

/** The operator has closed or followed the alert. */
export function afterSeen(failures: Failures, endpointId: string): Failures {
  const seen = failures.get(endpointId)
  if (seen === undefined) return failures
  return new Map(failures).set(endpointId, { ...seen, count: 0, isShown: false })
}

export const unseenCount = (failures: Failures): number =>
  [...failures.values()].reduce((sum, { count }) => sum + count, 0)

const shownIfDue = (one: EndpointFailures, nowMs: number): EndpointFailures =>
  !one.isShown && one.count > 0 && nowMs - one.shownAtMs >= PAUSE_MS
    ? { ...one, isShown: true, shownAtMs: nowMs }
    : one

type Run = Pick<components['schemas']['ExecutionSummary'], 'id' | 'endpointId' | 'endpointName' | 'type'>
type Ended = { readonly id: string; readonly status: string }

/**
 * Finds failures in the events of live runs. Trials are left out: whoever makes one sees how it ends.
 *
 * @returns a function that takes one event after the other
 */
export function failureReader(): (event: string, data: string) => Failure | undefined {
  // The end of a run has no name of its endpoint.
  const open = new Map<string, Run>()
  return (event, data) => {
    if (event === 'list') {
      open.clear()
      for (const run of (JSON.parse(data) as { readonly runs: readonly Run[] }).runs) open.set(run.id, run)
    } else if (event === 'queued') {
      const run = JSON.parse(data) as Run
      open.set(run.id, run)
    } else if (event === 'ended') {
      const { id, status } = JSON.parse(data) as Ended
      const run = open.get(id)
      open.delete(id)
      if (run !== undefined && run.type !== 'Test' && status === 'Failed') {
        return { endpointId: run.endpointId, endpointName: run.endpointName, executionId: id }
      }
    }
    return undefined
  }
}
