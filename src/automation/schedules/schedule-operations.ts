/** What operators see of schedules, and ask of them. The node that runs schedules does what was asked within seconds. */
import type { ControlStore } from '../../directory/control-store.ts'
import type { ScheduleKey } from '../../directory/schedules/schedules.ts'
import type { OpenRun, StoredSchedule } from '../../directory/schedules/stored-schedule.ts'
import { fold } from '../../kernel/text.ts'
import type { ScheduleRun, ScheduleState, ScheduleStatus } from '../../schema/schedule-shapes.ts'
import { newExecutionId } from '../runs/execution-id.ts'
import { nextRunAt } from './due-run.ts'

type Deps = {
  readonly store: Pick<ControlStore, 'schedules'>
  readonly now?: () => number
}

type ScheduleFilter = {
  readonly endpointId?: string | undefined
  readonly state?: ScheduleState | undefined
  /** The last run failed. */
  readonly failing?: boolean | undefined
  /** Within the names of schedule and endpoint, without regard to case. */
  readonly text?: string | undefined
}

export type ScheduleOperations = {
  /** By name of the endpoint, then by name. */
  readonly list: (filter?: ScheduleFilter) => Promise<readonly ScheduleStatus[]>
  readonly find: (key: ScheduleKey) => Promise<ScheduleStatus>
  readonly setPaused: (key: ScheduleKey, paused: boolean, by: string) => Promise<ScheduleStatus>
  readonly run: (key: ScheduleKey, by: string) => Promise<ScheduleRun>
}

/** Refusals of the store pass through unchanged. */
export function createScheduleOperations({ store, now = Date.now }: Deps): ScheduleOperations {
  const { schedules } = store
  const statusOf = (stored: StoredSchedule, openRuns: readonly OpenRun[], at: number): ScheduleStatus => {
    const { endpointId, endpointName, version, schedule, pausedAt, pausedBy } = stored
    const { lastRun, failuresInARow } = stored
    return {
      ...{ endpointId, endpointName, version },
      ...schedule,
      state: stateOf(stored),
      ...{ pausedAt, pausedBy },
      nextRunAt: nextRunAt(stored, at),
      openRuns: openRuns
        .filter((run) => run.endpointId === endpointId && run.schedule === schedule.name)
        .map(scheduleRunOf),
      ...{ lastRun, failuresInARow },
    }
  }
  const one = async (stored: StoredSchedule) =>
    statusOf(stored, await schedules.openRuns(stored.endpointId), now())
  return {
    list: async (filter = {}) => {
      const stored = (await schedules.list(filter.endpointId)).filter((schedule) => matches(schedule, filter))
      const [openRuns, at] = [await schedules.openRuns(filter.endpointId), now()]
      return stored.map((schedule) => statusOf(schedule, openRuns, at))
    },
    find: async (key) => one(await schedules.find(key)),
    setPaused: async (key, paused, by) => one(await schedules.setPaused(key, paused, by, new Date(now()))),
    run: async (key, by) =>
      scheduleRunOf(await schedules.requestRun(key, newExecutionId(now()), by, new Date(now()))),
  }
}

function stateOf({ isOn, pausedAt }: StoredSchedule): ScheduleState {
  if (!isOn) return 'Inactive'
  return pausedAt === null ? 'Active' : 'Paused'
}

const matches = (stored: StoredSchedule, { state, failing, text }: ScheduleFilter): boolean =>
  (state === undefined || stateOf(stored) === state) &&
  (failing === undefined || stored.failuresInARow > 0 === failing) &&
  (text === undefined ||
    [stored.endpointName, stored.schedule.name].some((name) => fold(name).includes(fold(text))))

const scheduleRunOf = ({ executionId, dueAt, requestedBy, startedAt }: OpenRun): ScheduleRun => ({
  ...{ executionId, dueAt, requestedBy, startedAt },
})
