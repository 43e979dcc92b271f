/**
 * Keeps what this process answered in each minute, from the histograms of its threads. Minutes that cannot be written wait in
 * memory, at most those of an hour. A stop writes the minute that has begun, without the requests of its last moment, which
 * threads have not counted yet; a process that is killed loses it.
 */
import { randomUUID } from 'node:crypto'
import type { RequestMinute, RequestMinutes } from '../../directory/request-minutes.ts'
import type { MetricValues } from '../../observe/metrics.ts'
import { addCounts, type CountsByFamily, countsBetween, countsIn } from '../../observe/request-counts.ts'

type Parts = {
  readonly metricValues: () => Promise<readonly MetricValues[]>
  readonly requestMinutes: Pick<RequestMinutes, 'record'>
  readonly now?: () => number
}

const MINUTE_MS = 60_000
const MOST_WAITING = 60

export type MinuteRecorder = {
  /** Takes what was answered since the last call, as the minute in which that began. */
  readonly take: () => Promise<void>
}

export function createMinuteRecorder({
  metricValues,
  requestMinutes,
  now = Date.now,
}: Parts): MinuteRecorder {
  const processId = randomUUID()
  let told: CountsByFamily = {}
  let began = now()
  let newest: RequestMinute | null = null
  let waiting: RequestMinute[] = []
  const take = async () => {
    const minute = new Date(began - (began % MINUTE_MS)).toISOString()
    const counted = countsIn(await metricValues())
    const counts = countsBetween(told, counted)
    told = counted
    began = now()
    if (Object.keys(counts).length > 0) {
      // A timer may fire a little early: then the same minute is written again, with the rest of its requests.
      newest = { minute, counts: newest?.minute === minute ? addCounts(newest.counts, counts) : counts }
      waiting = [...waiting.filter((one) => one.minute !== minute), newest].slice(-MOST_WAITING)
    }
    if (waiting.length === 0) return
    await requestMinutes.record(processId, waiting, new Date(now()))
    waiting = []
  }
  return { take }
}

/** @returns a function that ends the work; it takes the last minute while the threads can still tell it */
export function keepRequestMinutes(parts: Parts): () => Promise<void> {
  const recorder = createMinuteRecorder(parts)
  // The store itself reports that it cannot be written.
  const take = () => recorder.take().catch(() => undefined)
  let last: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout
  const next = () => {
    timer = setTimeout(
      () => {
        last = take().then(next)
      },
      MINUTE_MS - (Date.now() % MINUTE_MS),
    ).unref()
  }
  next()
  return async () => {
    clearTimeout(timer)
    await last
    clearTimeout(timer)
    await take()
  }
}
