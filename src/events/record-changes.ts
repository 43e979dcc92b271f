/**
 * Records what changed for which client whenever another snapshot is current. The store knows up to which snapshot that was
 * done, so nothing is left out when the service was down or was killed in between, and nothing is recorded twice.
 */
import type { DataChanges } from '../directory/webhooks/data-changes.ts'
import type { Observe } from '../observe/observation.ts'
import type { ListName } from '../schema/datasets.ts'
import type { DataChange } from '../schema/webhook-shapes.ts'

type Counts = { readonly added: number; readonly changed: number; readonly removed: number }

/** What changed for one client. Lists without a change are left out; null when it is not known how many records. */
export type ClientChange = {
  readonly clientNumber: string
  readonly lists: Readonly<Partial<Record<ListName, Counts | null>>>
}

export type RecordingDeps = {
  readonly dataChanges: Pick<DataChanges, 'recordedUpTo' | 'record'>
  /** The snapshot that callers get; null before the first. */
  readonly currentSnapshotId: () => string | null | Promise<string | null>
  /** The clients that changed from one snapshot to another. */
  readonly findChanges: (from: string, to: string) => Promise<readonly ClientChange[]>
  readonly observe: Observe
  /** How often the current snapshot is looked at. */
  readonly everyMs?: number
}

const EVERY_MS = 1000

/** @returns a function that stops it, and waits for what is being recorded */
export function recordChanges(deps: RecordingDeps, ended: AbortSignal): () => Promise<void> {
  let recorded: string | null = null
  let looking: Promise<void> | null = null
  let isFailing = false

  async function look(): Promise<void> {
    const to = await deps.currentSnapshotId()
    if (to === null || to === recorded) return
    const from = await deps.dataChanges.recordedUpTo()
    // What was there before the first start is news for nobody.
    const found = from === null || from === to ? [] : await deps.findChanges(from, to)
    if (from !== to) {
      const isOurs = await deps.dataChanges.record(
        { from, to },
        found.map((change) => messageOf(change, to)),
      )
      if (!isOurs) return
      deps.observe({ kind: 'changes-recorded', snapshotId: to, clients: found.length })
    }
    recorded = to
  }

  function turn(): void {
    if (looking !== null || ended.aborted) return
    looking = look()
      .then(
        () => {
          isFailing = false
        },
        (cause: unknown) => {
          // Once, and not every second.
          if (!isFailing) deps.observe({ kind: 'changes-not-recorded', cause })
          isFailing = true
        },
      )
      .finally(() => {
        looking = null
      })
  }

  turn()
  const timer = setInterval(turn, deps.everyMs ?? EVERY_MS)
  const stop = () => clearInterval(timer)
  ended.addEventListener('abort', stop, { once: true })
  return async () => {
    stop()
    await looking
  }
}

const unknownCounts = { added: null, changed: null, removed: null }

const messageOf = ({ clientNumber, lists }: ClientChange, snapshotId: string): DataChange => ({
  clientNumber,
  snapshotId,
  lists: Object.fromEntries(
    Object.entries(lists).map(([list, counts]) => [
      list,
      { ...(counts ?? unknownCounts), changes: `/api/v2/${list}/changes` },
    ]),
  ),
})
