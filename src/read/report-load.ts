/**
 * Reports the load of the thread: its figures at every call, about once a second, and refusals in a summary, so that a thousand
 * refusals are one log line.
 */
import type { Observe, ShedRequests } from '../observe/observation.ts'
import type { AdmissionCounts } from './admission.ts'

/** How often continuing refusals are reported. */
const SUMMARY_EVERY_MS = 10_000

type LoadReportParts = {
  readonly counts: () => AdmissionCounts
  readonly eventLoopDelayMs: () => number
  readonly observe: Observe
  readonly clock?: () => number
}

/** To be called about every second. */
export function loadReport({
  counts,
  eventLoopDelayMs,
  observe,
  clock = () => performance.now(),
}: LoadReportParts): () => void {
  let measured = none
  let told = none
  let toldAt = Number.NEGATIVE_INFINITY
  /** All unreported refusals came after this time. */
  let since = clock()
  return () => {
    const { running, waiting, refused } = counts()
    const now = clock()
    observe({
      kind: 'load-measured',
      running,
      waiting,
      eventLoopDelayMs: eventLoopDelayMs(),
      refused: difference(refused, measured),
    })
    measured = refused
    const untold = difference(refused, told)
    if (untold.account + untold.queue + untold.late === 0) since = now
    else if (now - toldAt >= SUMMARY_EVERY_MS) {
      observe({ kind: 'requests-shed', refused: untold, seconds: Math.round((now - since) / 1000) })
      told = refused
      toldAt = now
      since = now
    }
  }
}

const none: ShedRequests = { account: 0, queue: 0, late: 0 }

const difference = (now: ShedRequests, before: ShedRequests): ShedRequests => ({
  account: now.account - before.account,
  queue: now.queue - before.queue,
  late: now.late - before.late,
})
