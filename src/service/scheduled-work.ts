/**
 * The work that an installation does once, however many nodes it has: it runs schedules, removes old runs from the history, and
 * refreshes on schedule where the nodes share what a refresh publishes. Nodes share a PostgreSQL store, and one of them does the work.
 */
import { type Config, refreshDatabase } from '../config/load-config.ts'
import type { Observe } from '../observe/observation.ts'
import type { WorkOnOneNode } from '../postgres/on-one-node.ts'

/** Its own node alone does what a data folder needs. */
export const onThisNode: WorkOnOneNode = {
  add: (start) => {
    const stop = start(new AbortController().signal)
    return async () => stop()
  },
  close: async () => undefined,
}

/** With stores in the data folder there is one node. */
export async function openScheduledWork(
  { store }: Pick<Config, 'store'>,
  observe: Observe,
): Promise<WorkOnOneNode> {
  if (store === undefined) return onThisNode
  const { onOneNode } = await import('../postgres/on-one-node.ts')
  return onOneNode({
    url: store,
    lock: 'scheduled-work',
    onTaken: () => observe({ kind: 'scheduled-work-taken' }),
    onGone: (reason) => observe({ kind: 'scheduled-work-gone', reason: reason?.message ?? null }),
  })
}

/** Where each node has its own snapshots, each must refresh them. */
export const whoRefreshes = (config: Config, scheduledWork: WorkOnOneNode): WorkOnOneNode =>
  refreshDatabase(config) === undefined ? onThisNode : scheduledWork
