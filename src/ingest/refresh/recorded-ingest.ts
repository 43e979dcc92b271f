/** Records a refresh by a command in the control store of its settings, where there is one: a command makes none. */
import type { ControlStore } from '../../directory/control-store.ts'
import { refreshesAreHeld } from '../../directory/holds/problems.ts'
import { hasControlStore, openControlStore, type StorePlace } from '../../directory/open-stores.ts'
import type { UpgradedStore } from '../../kernel/files/upgraded-store.ts'
import { Problem } from '../../kernel/problem.ts'
import type { RefreshRequest, RefreshSummary } from '../cycle.ts'
import { noRecorder, recordRefresh } from './refresh-recorder.ts'
import { type RefreshReport, refusalOf } from './refresh-report.ts'

type Recorded = {
  readonly place: Exclude<StorePlace, string>
  readonly requestedBy: string
  /** Publishes although refreshes are held. */
  readonly despiteHold: boolean
  readonly signal: AbortSignal
  /** The refresh goes on without a record. */
  readonly onFailure: (cause: unknown) => void
  /** An older control store is brought up to date. */
  readonly onUpgraded: (upgraded: UpgradedStore) => void
}

/**
 * @param refresh hands these to `runRefresh`
 * @throws Problem DIR842 while refreshes are held
 */
export async function recordedIngest(
  { place, requestedBy, despiteHold, signal, onFailure, onUpgraded }: Recorded,
  refresh: (reporting: Pick<RefreshRequest, 'onProgress' | 'onReport'>) => Promise<RefreshSummary>,
): Promise<RefreshSummary> {
  const store = await openedStore(place, onFailure, onUpgraded)
  const close = async () => store?.close().catch(onFailure)
  const held = (await store?.holds.find('refreshes').catch(onFailure))?.held ?? null
  if (held !== null && !despiteHold) {
    await close()
    throw refreshesAreHeld(held, 'add --despite-hold')
  }
  const by = { dataFolder: place.data, requestedBy, onFailure }
  const recorder =
    store === null ? noRecorder : await recordRefresh({ history: store.refreshes, ...by, origin: 'command' })
  let report: RefreshReport | null = null
  const onReport = (found: RefreshReport) => {
    report = found
  }
  try {
    const summary = await refresh({ onProgress: recorder.progress, onReport })
    const { snapshot, isUnchanged } = summary
    await recorder.end({ outcome: isUnchanged ? 'unchanged' : 'published', snapshot, reasons: [], report })
    return summary
  } catch (cause) {
    const refusal =
      cause instanceof Problem ? refusalOf(cause, signal) : { outcome: 'failed' as const, reasons: [] }
    await recorder.end({ snapshot: null, report, ...refusal })
    throw cause
  } finally {
    await close()
  }
}

/** Null where there is none, or it cannot be opened: the refresh goes on then. */
async function openedStore(
  place: Recorded['place'],
  onFailure: Recorded['onFailure'],
  onUpgraded: Recorded['onUpgraded'],
): Promise<ControlStore | null> {
  try {
    if (!(await hasControlStore(place))) return null
    return await openControlStore(place, { create: false, upgrade: { onUpgraded } })
  } catch (cause) {
    onFailure(cause)
    return null
  }
}
