/**
 * The process of a refresh that a service starts. Its first message, a RefreshOrder, says what to refresh. It answers with
 * messages of its progress and one at the end, and ends when the service asks it to or has ended.
 */
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { isNotWritable, whyNotWritable } from '../../directory/problems.ts'
import { Problem } from '../../kernel/problem.ts'
import { ignoreLostTerminal, stopSignals } from '../../kernel/stop-signals.ts'
import { type RefreshProgress, runRefresh } from '../cycle.ts'
import { REFRESH, withDestination } from './destination.ts'
import { notifyOperators } from './refresh-notice.ts'
import type { RefreshAnswer, RefreshMessage, RefreshOrder } from './refresh-process.ts'
import { type RefreshReport, refusalOf } from './refresh-report.ts'

const BETWEEN_MESSAGES_MS = 200

// The same machine serves readers. Threads that are started from here inherit the priority.
setPriority(constants.priority.PRIORITY_LOW)
const stopping = new AbortController()
// A second signal ends the process at once.
ignoreLostTerminal()
for (const signal of stopSignals) process.once(signal, () => stopping.abort())
process.once('disconnect', () => stopping.abort())
let report: RefreshReport | null = null
const onReport = (found: RefreshReport) => {
  report = found
}
const [order] = (await once(process, 'message')) as [RefreshOrder]
try {
  const { snapshots, snapshotCacheBytes, engine, ...request } = order
  const store = process.env.TRIPFOLIO_STORE || undefined
  const engineUrl = process.env.TRIPFOLIO_ENGINE_URL || undefined
  const place = { data: order.dataFolder, store, snapshots, snapshotCacheBytes, engine, engineUrl }
  const summary = await withDestination(place, REFRESH, (destination) =>
    runRefresh({
      ...request,
      destination,
      observe: () => undefined,
      signal: stopping.signal,
      onProgress: progressSender(),
      onReport,
    }),
  )
  await notifyOperators(place, summary)
  const { snapshot, rejects, warnings, isUnchanged } = summary
  answer({ published: { snapshot, rejects, warnings, isUnchanged }, report })
} catch (error) {
  if (!(error instanceof Problem)) throw error
  answer({ refused: reasonOf(error), refusal: refusalOf(error, stopping.signal), report })
}

/** The process ends after this, because nothing else keeps it alive. */
function answer(message: RefreshAnswer): void {
  if (process.connected) process.send?.(message, () => process.connected && process.disconnect())
}

/** Building reports progress for each client, which is more than anybody reads. */
function progressSender(): (progress: RefreshProgress) => void {
  let sentAt = 0
  let sent = ''
  return (progress) => {
    const { stage, table = '', done, total } = progress
    const step = `${stage} ${table}`
    const isNews = step !== sent || done === total
    if (!isNews && performance.now() - sentAt < BETWEEN_MESSAGES_MS) return
    sentAt = performance.now()
    sent = step
    const message: RefreshMessage = { progress }
    // A supervisor that is gone is seen by its disconnect.
    if (process.connected) process.send?.(message, () => undefined)
  }
}

/** The text of the problem, as the `ingest` command prints it. */
function reasonOf(problem: Problem): string {
  if (isNotWritable(problem)) return whyNotWritable(problem)
  const { message, hint } = problem
  return [message, ...(hint === undefined ? [] : [hint])].join('\n').replaceAll('\n', '\n           ')
}
