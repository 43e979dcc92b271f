/**
 * The process of a refresh that a service starts. Its first message, a RefreshOrder, says what to refresh. It answers with
 * one message, and ends when the service asks it to or has ended.
 */
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { isNotWritable, whyNotWritable } from '../../directory/problems.ts'
import { Problem } from '../../kernel/problem.ts'
import { runRefresh } from '../cycle.ts'
import { REFRESH, withDestination } from './destination.ts'
import { notifyOperators } from './refresh-notice.ts'
import type { RefreshAnswer, RefreshOrder } from './refresh-process.ts'

// The same machine serves readers. Threads that are started from here inherit the priority.
setPriority(constants.priority.PRIORITY_LOW)
const stopping = new AbortController()
// A second signal ends the process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
process.once('disconnect', () => stopping.abort())
const [order] = (await once(process, 'message')) as [RefreshOrder]
try {
  const { snapshots, snapshotCacheBytes, engine, ...request } = order
  const store = process.env.TRIPFOLIO_STORE || undefined
  const engineUrl = process.env.TRIPFOLIO_ENGINE_URL || undefined
  const place = { data: order.dataFolder, store, snapshots, snapshotCacheBytes, engine, engineUrl }
  const summary = await withDestination(place, REFRESH, (destination) =>
    runRefresh({ ...request, destination, observe: () => undefined, signal: stopping.signal }),
  )
  await notifyOperators(place, summary)
  const { snapshot, rejects, warnings } = summary
  answer({ published: { snapshot, rejects, warnings } })
} catch (error) {
  if (!(error instanceof Problem)) throw error
  answer({ refused: reasonOf(error) })
}

/** The process ends after this, because nothing else keeps it alive. */
function answer(message: RefreshAnswer): void {
  if (process.connected) process.send?.(message, () => process.connected && process.disconnect())
}

/** The text of the problem, as the `ingest` command prints it. */
function reasonOf(problem: Problem): string {
  if (isNotWritable(problem)) return whyNotWritable(problem)
  const { message, hint } = problem
  return [message, ...(hint === undefined ? [] : [hint])].join('\n').replaceAll('\n', '\n           ')
}
