/**
 * Endpoints of which many runs fail: what operators look at, and what they are notified of, once until the endpoint is well
 * again. One node of an installation looks, each minute.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import type { History } from '../../directory/history/history.ts'
import type { Notifications } from '../../directory/notifications/notifications.ts'
import { cutToBytes } from '../../kernel/detached-string.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Observe } from '../../observe/observation.ts'

const DAY_MS = 86_400_000
/** A share of failed runs from which an endpoint counts as failing, and the fewest runs to tell. */
const FAILING_SHARE = 0.2
const FEWEST_RUNS = 5

export type FailingEndpoint = {
  readonly endpointId: string
  readonly endpointName: string
  /** `5 of 6 runs failed since 2026-01-31` */
  readonly message: string
}

type Stores = {
  readonly endpoints: Pick<Endpoints, 'list'>
  readonly history: Pick<History, 'statistics'>
}

/** Since yesterday, because a day that has just begun says little. Nobody reaches an endpoint that is inactive or deleted. */
export async function failingEndpoints(
  { endpoints, history }: Stores,
  now: Date,
): Promise<readonly FailingEndpoint[]> {
  const from = new Date(now.getTime() - DAY_MS).toISOString().slice(0, 10)
  const failing = (await history.statistics({ from })).filter(
    ({ runs, failed }) => runs >= FEWEST_RUNS && failed >= FAILING_SHARE * runs,
  )
  if (failing.length === 0) return []
  const active = new Set((await endpoints.list()).flatMap(({ id, active }) => (active ? [id] : [])))
  return failing
    .filter(({ endpointId }) => active.has(endpointId))
    .map(({ endpointId, endpointName, runs, failed }) => ({
      endpointId,
      endpointName,
      message: `${failed} of ${runs} runs failed since ${from}`,
    }))
}

type Parts = {
  readonly endpoints: Pick<Endpoints, 'list'>
  readonly history: Pick<History, 'statistics' | 'list'>
  readonly notifications: Pick<Notifications, 'list' | 'send'>
}

const SENDER = 'service:endpoints'
const MOST_ERROR_BYTES = 1000

/** @returns looks once, and notifies of what was not told before */
export function createFailureNotices({ endpoints, history, notifications }: Parts) {
  const told = new Set<string>()
  return async (now: Date): Promise<void> => {
    const failing = await failingEndpoints({ endpoints, history }, now)
    const ids = new Set(failing.map(({ endpointId }) => endpointId))
    for (const id of told) if (!ids.has(id)) told.delete(id)
    for (const one of failing) {
      if (told.has(one.endpointId)) continue
      if (!(await isTold(one.endpointId, now))) await tell(one)
      told.add(one.endpointId)
    }
  }

  /** Also by another node, or before a restart. */
  async function isTold(endpointId: string, now: Date): Promise<boolean> {
    const since = new Date(now.getTime() - DAY_MS).toISOString()
    const found = await notifications.list('', { text: endpointId, limit: 20 })
    return found.some(({ createdBy, createdAt }) => createdBy === SENDER && createdAt >= since)
  }

  async function tell({ endpointId, endpointName, message }: FailingEndpoint): Promise<void> {
    const { items } = await history.list({ endpointId, status: 'Failed' }, { limit: 1 })
    const reason = cutToBytes(items[0]?.errorMessage ?? 'no reason is known', MOST_ERROR_BYTES).text
    await notifications.send(
      {
        title: 'An endpoint keeps failing',
        message: `The endpoint '${endpointName}' (${endpointId}) keeps failing: ${message}, at last because: ${reason}`,
        type: 'Error',
        link: null,
        audience: null,
      },
      SENDER,
    )
  }
}

const LOOK_EVERY_MS = 60_000

/** @returns a function that ends it */
export function tellOfFailingEndpoints(
  { observe, ...parts }: Parts & { readonly observe: Observe },
  lost: AbortSignal,
): () => Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([lost, stop.signal])
  const look = createFailureNotices(parts)
  const looking = (async () => {
    while (!signal.aborted) {
      await look(new Date()).catch((cause: unknown) => {
        // The store itself reports that it cannot be used.
        if (cause instanceof Problem && cause.kind === 'unavailable') return
        observe({ kind: 'failing-endpoints-not-told', reason: String(cause) })
      })
      await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  })()
  return async () => {
    stop.abort()
    await looking
  }
}
