/** Removes old and surplus records from the history, once a minute and in small steps. */
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
/** Between two steps, so that other work can use the file and the thread. */
const PAUSE_MS = 50

/** @returns a function that ends the pruning; it resolves when the current step is done */
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
