/** The work of one node that tells others: it records changes, delivers webhooks, removes old events, and notifies of failing endpoints. */
import { setTimeout as sleep } from 'node:timers/promises'
import { tellOfFailingEndpoints } from '../automation/operations/failing-endpoints.ts'
import type { Config } from '../config/load-config.ts'
import type { ControlStore } from '../directory/control-store.ts'
import type { History } from '../directory/history/history.ts'
import { deliverWebhooks } from '../events/deliver-webhooks.ts'
import { type ClientChange, type RecordingDeps, recordChanges } from '../events/record-changes.ts'
import { unknownChanges } from '../events/unknown-changes.ts'
import { version } from '../kernel/files/version.ts'
import { Problem } from '../kernel/problem.ts'
import type { Observe } from '../observe/observation.ts'
import { openSender } from '../outbound/send-request.ts'
import { targetRules } from '../outbound/target.ts'
import type { WorkOnOneNode } from '../postgres/on-one-node.ts'
import { changedClients } from '../snapshot/changes/changed-clients.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import type { Manifests } from '../snapshot/manifests.ts'
import { openChangeSteps } from './change-steps.ts'

type Parts = {
  readonly config: Config
  readonly store: ControlStore
  readonly history: History
  readonly manifests: Pick<Manifests, 'intact'>
  readonly currentManifest: () => Promise<Manifest | null>
  readonly scheduledWork: WorkOnOneNode
  readonly observe: Observe
  readonly isQuiet: () => Promise<boolean>
}

const PRUNE_EVERY_MS = 3_600_000
const DAY_MS = 86_400_000

/** @returns a function that ends the work, and waits for attempts that are under way */
export function startEventWork({
  config,
  store,
  history,
  manifests,
  currentManifest,
  scheduledWork,
  observe: observeAll,
  isQuiet,
}: Parts): () => Promise<void> {
  // The store itself reports that it cannot be read or written, and the work goes on when it can.
  const observe: Observe = (fact) => {
    if (!('cause' in fact && isPassing(fact.cause))) observeAll(fact)
  }
  const { dataChanges, webhookDeliveries: queue, notifications } = store
  const send = openSender(targetRules(config.trustedHosts))
  const snapshots: Pick<RecordingDeps, 'currentSnapshotId' | 'findChanges'> = {
    currentSnapshotId: async () => (await currentManifest())?.id ?? null,
    findChanges: (from, to) => changesBetween(from, to, { config, store, manifests, observe }),
  }
  const ends = [
    scheduledWork.add((lost) => recordChanges({ dataChanges, observe, ...snapshots }, lost)),
    scheduledWork.add((lost) =>
      deliverWebhooks({ queue, notifications, send, observe, version, isQuiet }, lost),
    ),
    scheduledWork.add((lost) =>
      tellOfFailingEndpoints({ endpoints: store.endpoints, history, notifications, observe }, lost),
    ),
    scheduledWork.add((lost) => startPruning(store, config.eventDays, observe, lost)),
  ]
  return async () => {
    await Promise.all(ends.map((end) => end()))
  }
}

const isPassing = (cause: unknown): boolean => cause instanceof Problem && cause.kind === 'unavailable'

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

type Changes = Pick<Parts, 'config' | 'store' | 'manifests' | 'observe'>

/** Opens the steps with the first question, and closes them again: changes are asked for once per snapshot. */
async function changesBetween(
  from: string,
  to: string,
  { config, store, manifests, observe }: Changes,
): Promise<readonly ClientChange[]> {
  const [before, after] = [await manifests.intact(from), await manifests.intact(to)]
  // It is current, so this passes; the next look asks again.
  if (after === null) throw new Error(`The manifest of snapshot ${to} cannot be read`)
  if (before === null) return unknownChanges(after.clients, await store.accounts.list())
  const { steps, close } = await openChangeSteps(config, observe, async () => (await store.tenant()).id)
  try {
    return await changedClients(before, after, steps)
  } finally {
    await close()
  }
}
