/** Schedules of published endpoints: when they run, and what became of their runs. */
import type { Static } from 'typebox'
import Type from '../kernel/type.ts'
import { Schedule } from './endpoint-shapes.ts'
import { executionStatuses } from './execution-shapes.ts'
import { moment, nullable } from './shapes.ts'

export const scheduleStates = ['Active', 'Paused', 'Inactive'] as const

const runMembers = {
  executionId: Type.String({ format: 'uuid', description: 'Id of the run in the history' }),
  dueAt: moment('When it was due; for a run that somebody asked for, when that was'),
  requestedBy: nullable(Type.String({ description: 'Who asked for the run; null for a run by the clock' })),
}

export const ScheduleRun = Type.Object(
  {
    ...runMembers,
    startedAt: nullable(moment('When it was started; null for a run that was asked for and waits')),
  },
  { description: 'A run that was asked for, or that is under way' },
)

export const ScheduleRunOutcome = Type.Object(
  {
    ...runMembers,
    status: Type.Enum([...executionStatuses]),
    startedAt: moment('When it was started'),
    endedAt: moment('When its end was noted'),
    error: nullable(Type.String({ description: 'Why it did not succeed' })),
  },
  { description: 'A run that has ended' },
)

export const ScheduleStatus = Type.Object(
  {
    endpointId: Type.String({ format: 'uuid' }),
    endpointName: Type.String(),
    version: Type.Integer({ description: 'The published version that runs' }),
    ...Schedule.properties,
    state: Type.Enum([...scheduleStates], {
      description: '`Inactive`: the endpoint is inactive, so nothing runs by the clock or on request',
    }),
    pausedAt: nullable(moment('When it was paused')),
    pausedBy: nullable(Type.String({ description: 'Who paused it' })),
    nextRunAt: nullable(moment('When it is due next; null while it is paused or inactive')),
    openRuns: Type.Array(ScheduleRun, { description: 'Runs that wait or are under way' }),
    lastRun: nullable(ScheduleRunOutcome),
    failuresInARow: Type.Integer({ description: 'Failed runs since the last success' }),
  },
  { description: 'A schedule of a published endpoint' },
)

export type ScheduleState = (typeof scheduleStates)[number]
export type ScheduleRun = Static<typeof ScheduleRun>
export type ScheduleRunOutcome = Static<typeof ScheduleRunOutcome>
export type ScheduleStatus = Static<typeof ScheduleStatus>
