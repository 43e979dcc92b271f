/** Removes what is too old or too much from the history, in small steps, once a minute. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { History, Retention } from '../../directory/history/history.ts'
import type { Observe } from '../../observe/observation.ts'

type Options = {
  readonly history: Pick<History, 'prune'>
  readonly retention: Retention
  readonly observe: Observe
  readonly intervalMs?: number
}

const INTERVAL_MS = 60_000
/** Between two steps, so that others can use the file and the thread. */
const PAUSE_MS = 50

/** @returns ends the pruning; done when the step under way is */
export function startPruning({
  history,
  retention,
  observe,
  intervalMs = INTERVAL_MS,
}: Options): () => Promise<void> {
  const closing = new AbortController()
  const prune = async () => {
    try {
      while (!closing.signal.aborted && (await history.prune(retention, new Date())) > 0)
        await sleep(PAUSE_MS)
    } catch (cause) {
      observe({ kind: 'history-not-pruned', reason: (cause as Error).message })
    }
  }
  let pruning: Promise<void> | null = null
  const timer = setInterval(() => {
    pruning ??= prune().finally(() => {
      pruning = null
    })
  }, intervalMs).unref()
  return async () => {
    closing.abort()
    clearInterval(timer)
    await pruning
  }
}
