/** Removes what is too old or too much from the history, in small steps, now and then. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { History, Retention } from '../../directory/history/history.ts'
import type { Observe } from '../../observe/observation.ts'

type Options = {
  readonly history: Pick<History, 'prune'>
  readonly retention: Retention
  readonly observe: Observe
  readonly everyMilliseconds?: number
}

const EVERY_MS = 60_000
/** Between two steps, so that others get to the file and to the thread. */
const PAUSE_MS = 50

/** @returns what ends it, done when the step under way is */
export function startPruning({
  history,
  retention,
  observe,
  everyMilliseconds = EVERY_MS,
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
  }, everyMilliseconds).unref()
  return async () => {
    closing.abort()
    clearInterval(timer)
    await pruning
  }
}
