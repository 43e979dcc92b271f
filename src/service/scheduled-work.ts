/**
 * The work that an installation does once, however many nodes it has: it runs schedules, removes old runs from the history, and
 * refreshes on schedule where the nodes share what a refresh publishes. Nodes share a PostgreSQL store, and one of them does the work.
 */
import type { RunJob } from '../automation/runs/run-states.ts'
import { type Config, refreshDatabase } from '../config/load-config.ts'
import type { HoldWatch } from '../directory/holds/watch-holds.ts'
import type { Observe } from '../observe/observation.ts'
import type { StartWork, WorkOnOneNode } from '../postgres/on-one-node.ts'
import type { ScriptRuns } from './script-runs.ts'
import type { Stores } from './stores.ts'

/** Its own node alone does what a data folder needs. */
export const onThisNode: WorkOnOneNode = {
  add: (start) => {
    const stop = start(new AbortController().signal)
    return async () => stop()
  },
  close: async () => undefined,
}

/**
 * With stores in the data folder there is one node.
 *
 * @param resumed until then this node is quiet for itself, and leaves the work to others
 */
export async function openScheduledWork(
  { store }: Pick<Config, 'store'>,
  observe: Observe,
  resumed: Promise<void> = Promise.resolve(),
): Promise<WorkOnOneNode> {
  if (store === undefined) return onThisNode
  const { onOneNode } = await import('../postgres/on-one-node.ts')
  return onceResumed(resumed, () =>
    onOneNode({
      url: store,
      lock: 'scheduled-work',
      onTaken: () => observe({ kind: 'scheduled-work-taken' }),
      onGone: (reason) => observe({ kind: 'scheduled-work-gone', reason: reason?.message ?? null }),
    }),
  )
}

/** Work that is added before waits. */
function onceResumed(resumed: Promise<void>, open: () => WorkOnOneNode): WorkOnOneNode {
  const waiting = new Map<StartWork, (end: () => Promise<void>) => void>()
  let opened: WorkOnOneNode | null = null
  let isClosed = false
  void resumed.then(() => {
    if (isClosed) return
    opened = open()
    for (const [start, begun] of waiting) begun(opened.add(start))
    waiting.clear()
  })
  return {
    add: (start) => {
      if (opened !== null) return opened.add(start)
      let end: (() => Promise<void>) | null = null
      waiting.set(start, (begun) => {
        end = begun
      })
      return async () => {
        waiting.delete(start)
        await end?.()
      }
    },
    close: async () => {
      isClosed = true
      await opened?.close()
    },
  }
}

/** Where each node has its own snapshots, each must refresh them. */
export const whoRefreshes = (config: Config, scheduledWork: WorkOnOneNode): WorkOnOneNode =>
  refreshDatabase(config) === undefined ? onThisNode : scheduledWork

/** Does the work of jobs that repeat runs. @returns a function that ends it; the run under way ends with the others */
export async function repeatRuns({
  control,
  history,
  scheduledWork,
  scripts,
  observe,
  isQuiet,
}: Omit<Stores, 'close'> &
  Pick<HoldWatch, 'isQuiet'> & {
    readonly scheduledWork: WorkOnOneNode
    readonly scripts: ScriptRuns
    readonly observe: Observe
  }) {
  const { startReruns } = await import('../automation/operations/rerun-work.ts')
  const { createEndpointOperations } = await import('../automation/operations/endpoint-operations.ts')
  const { reportOf } = await import('../threads/messages.ts')
  const { endpoints, modules, audit } = control
  const run = async (job: RunJob) => reportOf(await scripts.run(job))
  const { rerun } = createEndpointOperations({ endpoints, modules, history, audit, run })
  return scheduledWork.add(() => startReruns({ reruns: history.reruns, rerun, observe, isQuiet }))
}
