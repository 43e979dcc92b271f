/** The work of one node that tells others what changed: it records changes, delivers webhooks, and removes old events. */
import { setTimeout as sleep } from 'node:timers/promises'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from '../config/load-config.ts'
import type { ControlStore } from '../directory/control-store.ts'
import { deliverWebhooks } from '../events/deliver-webhooks.ts'
import { type RecordingDeps, recordChanges } from '../events/record-changes.ts'
import type { Observe } from '../observe/observation.ts'
import { openSender } from '../outbound/send-request.ts'
import { targetRules } from '../outbound/target.ts'
import type { WorkOnOneNode } from '../postgres/on-one-node.ts'

type Parts = Pick<RecordingDeps, 'currentSnapshotId' | 'findChanges'> & {
  readonly config: Pick<Config, 'trustedHosts' | 'eventDays'>
  readonly store: ControlStore
  readonly scheduledWork: WorkOnOneNode
  readonly observe: Observe
}

const PRUNE_EVERY_MS = 3_600_000
const DAY_MS = 86_400_000

/** @returns a function that ends the work, and waits for attempts that are under way */
export function startEventWork({
  config,
  store,
  scheduledWork,
  observe,
  ...snapshots
}: Parts): () => Promise<void> {
  const { dataChanges, webhookDeliveries: queue, notifications } = store
  const send = openSender(targetRules(config.trustedHosts))
  const { version } = packageJson
  const ends = [
    scheduledWork.add((lost) => recordChanges({ dataChanges, observe, ...snapshots }, lost)),
    scheduledWork.add((lost) => deliverWebhooks({ queue, notifications, send, observe, version }, lost)),
    scheduledWork.add((lost) => startPruning(store, config.eventDays, observe, lost)),
  ]
  return async () => {
    await Promise.all(ends.map((end) => end()))
  }
}

function startPruning(
  { dataChanges }: ControlStore,
  days: number,
  observe: Observe,
  lost: AbortSignal,
): () => Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([lost, stop.signal])
  const prune = async () => {
    while (!signal.aborted) {
      await dataChanges
        .prune(new Date(Date.now() - days * DAY_MS))
        .catch((cause: unknown) => observe({ kind: 'changes-not-recorded', cause }))
      await sleep(PRUNE_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  const pruning = prune()
  return async () => {
    stop.abort()
    await pruning
  }
}
