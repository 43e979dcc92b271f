/** The state of the latest refresh from its record, for a service that has refreshed before it was started. */
import type { RefreshReason, RefreshRecord } from '../../schema/refresh-shapes.ts'
import type { RefreshState } from './refresh-state.ts'

export function stateOf(record: RefreshRecord | null): RefreshState {
  if (record === null || record.endedAt === null) return { state: 'none' }
  const { requestedBy, startedAt, endedAt, outcome, snapshotId, rejects, warnings, reasons } = record
  const known = { requestedBy, startedAt, endedAt }
  if (snapshotId !== null) {
    return { state: 'published', ...known, snapshot: snapshotId, rejects: rejects ?? 0, warnings }
  }
  const reason = reasons.map(textOf).join('\n')
  return { state: outcome === 'refused' ? 'refused' : 'failed', ...known, reason, reasons }
}

const textOf = ({ message, hint }: RefreshReason): string => (hint === null ? message : `${message}\n${hint}`)
