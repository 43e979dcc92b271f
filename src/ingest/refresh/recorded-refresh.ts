/** A refresh by a running service: in a process of its own, and recorded in the control store. */
import type { Config } from '../../config/load-config.ts'
import type { RefreshHistory } from '../../directory/refreshes/refreshes.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Observe } from '../../observe/observation.ts'
import { reasonsOf } from '../refusal-reasons.ts'
import { type ProcessFindings, type Refreshed, refreshInProcess } from './refresh-process.ts'
import { noRecorder, recordRefresh } from './refresh-recorder.ts'
import type { RefreshEnd } from './refresh-report.ts'

export type RecordedRequest = {
  readonly config: Config
  readonly source: string
  readonly observe: Observe
  /** Undefined where nothing is recorded. */
  readonly history: RefreshHistory | undefined
  readonly requestedBy: string
  readonly acceptShrink?: boolean
  readonly signal: AbortSignal
  /** Told before the refresh is over. */
  readonly onEnd?: (end: RefreshEnd) => void
}

/** @throws Problem as `refreshInProcess` does */
export async function recordedRefresh(request: RecordedRequest): Promise<Refreshed> {
  const { config, source, observe, history, requestedBy, acceptShrink = false, signal, onEnd } = request
  const onFailure = (cause: unknown) => observe({ kind: 'refresh-not-recorded', cause })
  const by = { dataFolder: config.data, origin: 'service', requestedBy, onFailure } as const
  const recorder = history === undefined ? noRecorder : await recordRefresh({ history, ...by })
  let findings: ProcessFindings = {}
  const onFindings = (found: ProcessFindings) => {
    findings = found
  }
  const { progress: onProgress } = recorder
  const options = { acceptShrink, signal, onProgress, onFindings }
  try {
    const done = await refreshInProcess(config, source, observe, options)
    const outcome = done.isUnchanged ? 'unchanged' : 'published'
    await recorder.end({ outcome, snapshot: done.snapshot, reasons: [], report: findings.report ?? null })
    return done
  } catch (cause) {
    const end = endOf(cause, findings, signal)
    onEnd?.(end)
    await recorder.end(end)
    throw cause
  }
}

function endOf(cause: unknown, { report = null, refusal }: ProcessFindings, signal: AbortSignal): RefreshEnd {
  const because = signal.aborted && signal.reason instanceof Problem ? signal.reason : cause
  const reasons = because instanceof Problem ? reasonsOf(because) : []
  if (signal.aborted) return { outcome: 'cancelled', snapshot: null, reasons, report }
  return { snapshot: null, report, ...(refusal ?? { outcome: 'failed', reasons }) }
}
