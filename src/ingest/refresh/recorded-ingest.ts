/** Records a refresh by a command in the control store of its settings, where there is one: a command makes none. */
import { hasControlStore, openControlStore, type StorePlace } from '../../directory/open-stores.ts'
import { Problem } from '../../kernel/problem.ts'
import type { RefreshRequest, RefreshSummary } from '../cycle.ts'
import { noRecorder, type RefreshRecorder, recordRefresh } from './refresh-recorder.ts'
import { type RefreshReport, refusalOf } from './refresh-report.ts'

type Recorded = {
  readonly place: Exclude<StorePlace, string>
  readonly requestedBy: string
  readonly signal: AbortSignal
  /** The refresh goes on without a record. */
  readonly onFailure: (cause: unknown) => void
}

/** @param refresh hands these to `runRefresh` */
export async function recordedIngest(
  { place, requestedBy, signal, onFailure }: Recorded,
  refresh: (reporting: Pick<RefreshRequest, 'onProgress' | 'onReport'>) => Promise<RefreshSummary>,
): Promise<RefreshSummary> {
  const { recorder, close } = await opened(place, requestedBy, onFailure)
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

type Opened = { readonly recorder: RefreshRecorder; readonly close: () => Promise<void> }

async function opened(
  place: Recorded['place'],
  requestedBy: string,
  onFailure: Recorded['onFailure'],
): Promise<Opened> {
  const none = { recorder: noRecorder, close: async () => undefined }
  try {
    if (!(await hasControlStore(place))) return none
    const store = await openControlStore(place, { create: false })
    const by = { history: store.refreshes, dataFolder: place.data, requestedBy, onFailure }
    return {
      recorder: await recordRefresh({ ...by, origin: 'command' }),
      close: () => store.close().catch(onFailure),
    }
  } catch (cause) {
    onFailure(cause)
    return none
  }
}
