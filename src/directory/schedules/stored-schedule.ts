/** Schedules and their open runs as rows of tables, and as the service sees them. */
import type { Schedule } from '../../schema/endpoint-shapes.ts'
import type { ScheduleRun, ScheduleRunOutcome } from '../../schema/schedule-shapes.ts'
import type { ScheduleRow, ScheduleRunRow } from '../control-tables.ts'

/** A schedule of a published version, and what became of it. */
export type StoredSchedule = {
  readonly endpointId: string
  readonly endpointName: string
  readonly version: number
  readonly schedule: Schedule
  /** The endpoint is active. */
  readonly isOn: boolean
  readonly pausedAt: string | null
  readonly pausedBy: string | null
  /** Due times up to this one were run or dropped. */
  readonly handledUntil: string
  readonly lastRun: ScheduleRunOutcome | null
  /** How many runs have failed since the last success. */
  readonly failuresInARow: number
}

/** A run that was asked for and waits, or that is under way. */
export type OpenRun = ScheduleRun & {
  readonly endpointId: string
  readonly schedule: string
  readonly version: number
  /** A run under way whose node has not renewed this in time is lost with the node; null while it waits. */
  readonly aliveUntil: string | null
}

type JoinedRow = Omit<ScheduleRow, 'definition'> & {
  readonly definition: string
  readonly endpoint_name: string
}

export const scheduleOf = (row: JoinedRow): StoredSchedule => ({
  endpointId: row.endpoint_id,
  endpointName: row.endpoint_name,
  version: row.version,
  schedule: JSON.parse(row.definition),
  isOn: row.is_on === 1,
  pausedAt: row.paused_at,
  pausedBy: row.paused_by,
  handledUntil: row.handled_until,
  lastRun: row.last_run === null ? null : JSON.parse(row.last_run),
  failuresInARow: row.failures,
})

export const openRunOf = (row: ScheduleRunRow): OpenRun => ({
  executionId: row.execution_id,
  endpointId: row.endpoint_id,
  schedule: row.schedule,
  version: row.version,
  dueAt: row.due_at,
  requestedBy: row.requested_by,
  startedAt: row.begun_at,
  aliveUntil: row.alive_until,
})
