/**
 * Sends the deliveries that are due, several at a time, and records what became of each attempt. A delivery leaves the queue
 * only when its outcome is recorded, so one whose sender was killed is sent again: receivers get it at least once.
 *
 *     pending --- 2xx ---------------------------------> delivered
 *        |  '---- anything else, attempts are left ----> pending, later
 *        '------- the last attempt, or 410, or paused -> failed
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Notifications } from '../directory/notifications/notifications.ts'
import type { DeliveryQueue, DueDelivery } from '../directory/webhooks/delivery-queue.ts'
import { Problem } from '../kernel/problem.ts'
import type { Observe } from '../observe/observation.ts'
import { retryAfterSeconds } from '../outbound/retries.ts'
import type { OutboundAnswer, SendRequest } from '../outbound/send-request.ts'
import { nextAttempt, PAUSE_AFTER_MS } from './retry-schedule.ts'
import { signedHeaders } from './sign-message.ts'

export type DeliveryDeps = {
  readonly queue: DeliveryQueue
  readonly notifications: Pick<Notifications, 'send'>
  readonly send: SendRequest
  readonly observe: Observe
  /** While this is true, deliveries wait in the queue. */
  readonly isQuiet?: () => Promise<boolean>
  /** Of the header User-Agent. */
  readonly version: string
  readonly pace?: Partial<DeliveryPace>
  readonly now?: () => Date
  readonly random?: () => number
}

type DeliveryPace = {
  /** How often the queue is looked at. */
  readonly lookMs: number
  /** How long a receiver may take to answer. */
  readonly timeoutMs: number
  /** Deliveries that are sent at the same time: in all, to one webhook, and to all webhooks of one client. */
  readonly concurrency: number
  readonly perWebhook: number
  readonly perClient: number
}

/** A quarter for a client: receivers that answer slowly take their places for long, although they do not fail. */
const usualPace: DeliveryPace = {
  ...{ lookMs: 1000, timeoutMs: 15_000 },
  ...{ concurrency: 16, perWebhook: 2, perClient: 4 },
}

/** What is read of an answer; nobody looks at more than its status. */
const MOST_ANSWER_BYTES = 4096

/**
 * @param ended stops it; attempts that are under way are cut off, and are made again later
 * @returns a function that stops it as well, and waits for the attempts that are under way
 */
export function deliverWebhooks(deps: DeliveryDeps, ended: AbortSignal): () => Promise<void> {
  const pace = { ...usualPace, ...deps.pace }
  const now = deps.now ?? (() => new Date())
  const stop = new AbortController()
  const stopped = AbortSignal.any([ended, stop.signal])
  const sending = new Map<string, { readonly delivery: DueDelivery; readonly sent: Promise<void> }>()
  let isFailing = false

  async function look(): Promise<void> {
    const limit = pace.concurrency - sending.size
    if (limit <= 0 || (await deps.isQuiet?.())) return
    const failing = [...sending.values()].filter(({ delivery }) => delivery.isFailing).length
    const limitFailing = Math.floor(pace.concurrency / 2) - failing
    const { perWebhook, perClient } = pace
    const due = await deps.queue.due({
      ...{ now: now(), limit, limitFailing, perWebhook, perClient },
      sending: [...sending.values()].map(({ delivery }) => delivery),
    })
    for (const delivery of due) {
      if (stopped.aborted) return
      const sent = attempt(delivery, deps, { pace, now, stopped })
        .catch((cause: unknown) => deps.observe({ kind: 'webhook-queue-failed', cause }))
        .finally(() => {
          sending.delete(delivery.id)
          // The next one may be due, and a place is free.
          turn()
        })
      sending.set(delivery.id, { delivery, sent })
    }
  }

  let looking: Promise<void> | null = null
  function turn(): void {
    if (looking !== null || stopped.aborted) return
    looking = look()
      .then(
        () => {
          isFailing = false
        },
        (cause: unknown) => {
          // Once, and not every second.
          if (!isFailing) deps.observe({ kind: 'webhook-queue-failed', cause })
          isFailing = true
        },
      )
      .finally(() => {
        looking = null
      })
  }

  turn()
  const timer = setInterval(turn, pace.lookMs)
  stopped.addEventListener('abort', () => clearInterval(timer), { once: true })
  return async () => {
    stop.abort(new Error('The service stops'))
    await looking
    await Promise.all([...sending.values()].map(({ sent }) => sent))
  }
}

type Turn = {
  readonly pace: DeliveryPace
  readonly now: () => Date
  readonly stopped: AbortSignal
}

type Outcome = {
  readonly status: number | null
  readonly error: string | null
  readonly wishSeconds: number
}

async function attempt(
  delivery: DueDelivery,
  deps: DeliveryDeps,
  { pace, now, stopped }: Turn,
): Promise<void> {
  const at = now()
  const began = performance.now()
  const outcome = await post(delivery, deps, { pace, at, stopped })
  // Cut off by the end of the service: the attempt does not count, and is made again.
  if (outcome === null) return
  const { status, error, wishSeconds } = outcome
  const milliseconds = Math.round(performance.now() - began)
  const random = (deps.random ?? Math.random)()
  const isGone = status === 410
  const next =
    error === null || isGone
      ? null
      : nextAttempt(delivery.attemptCount + 1, { now: now(), wishSeconds, random })
  const consequence =
    error === null
      ? ({ kind: 'delivered' } as const)
      : next === null
        ? ({ kind: 'failed' } as const)
        : ({ kind: 'retry', at: next } as const)
  const logged = { at: at.toISOString(), status, error, milliseconds }
  const failingSince = await untilRecorded(() => deps.queue.attempted(delivery, logged, consequence), {
    ...deps,
    everyMs: pace.lookMs,
    stopped,
  })
  deps.observe({ kind: 'webhook-sent', webhookId: delivery.webhookId, status, error, milliseconds })
  if (error === null || failingSince === null) return
  const isWornOut = now().getTime() - Date.parse(failingSince) >= PAUSE_AFTER_MS
  if (isGone) await pauseWebhook(delivery, 'The receiver answered 410: it is gone', deps)
  else if (isWornOut) await pauseWebhook(delivery, `No delivery has succeeded since ${failingSince}`, deps)
}

type Patience = { readonly observe: Observe; readonly everyMs: number; readonly stopped: AbortSignal }

/**
 * Tries until the store takes it: a delivery whose outcome cannot be written would be due again at once, and its receiver would
 * get it over and over.
 *
 * @returns null when the service ended meanwhile
 */
async function untilRecorded<T>(
  record: () => Promise<T>,
  { observe, everyMs, stopped }: Patience,
): Promise<T | null> {
  for (let isFirst = true; !stopped.aborted || isFirst; isFirst = false) {
    try {
      return await record()
    } catch (cause) {
      // Once, and not every second.
      if (isFirst) observe({ kind: 'webhook-queue-failed', cause })
      await sleep(everyMs, undefined, { signal: stopped }).catch(() => undefined)
    }
  }
  return null
}

/** @returns null when the service ended meanwhile */
async function post(
  delivery: DueDelivery,
  { send, version, observe }: DeliveryDeps,
  { pace, at, stopped }: { pace: DeliveryPace; at: Date; stopped: AbortSignal },
): Promise<Outcome | null> {
  const { id, url, body } = delivery
  try {
    const headers = {
      'content-type': 'application/json',
      'user-agent': `Tripfolio/${version}`,
      ...signedHeaders({ id, body, secrets: delivery.secrets() }, at),
    }
    const request = { method: 'POST', url, headers, body, timeoutMs: pace.timeoutMs } as const
    return outcomeOf(await send({ ...request, mostBodyBytes: MOST_ANSWER_BYTES }, stopped), at)
  } catch (cause) {
    if (stopped.aborted) return null
    // A fault of the service counts as an attempt as well: otherwise the delivery would be due again at once.
    if (!(cause instanceof Problem)) observe({ kind: 'webhook-queue-failed', cause })
    const error = cause instanceof Problem ? cause.message : 'The service could not send it'
    return { status: null, error, wishSeconds: 0 }
  }
}

function outcomeOf({ status, headers }: OutboundAnswer, at: Date): Outcome {
  if (status >= 200 && status < 300) return { status, error: null, wishSeconds: 0 }
  const wishSeconds = retryAfterSeconds(headers['retry-after'], at)
  return { status, error: `Expected an answer with a status of 200 to 299, found ${status}`, wishSeconds }
}

async function pauseWebhook(
  { webhookId, url }: DueDelivery,
  reason: string,
  { queue, notifications, observe }: DeliveryDeps,
): Promise<void> {
  if (!(await queue.pause({ webhookId, url }, reason))) return
  observe({ kind: 'webhook-paused', webhookId, reason })
  await notifications.send(
    {
      title: 'A webhook was paused',
      message: `Webhook ${webhookId} to ${new URL(url).host} was paused. ${reason}. Its client reads the changes as before. When the receiver works again, resume the webhook.`,
      type: 'Warning',
      link: null,
      audience: null,
    },
    'service:webhooks',
  )
}
