/** Schedules of published endpoints: when they run, what became of their runs; run now, pause, resume. */
import { createScheduleOperations } from '../../automation/schedules/schedule-operations.ts'
import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { ScheduleRun, ScheduleStatus, scheduleStates } from '../../schema/schedule-shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import type { Resource } from '../changes/resource.ts'
import { type Listed, listOf, listParameters, listShape, queryShape } from '../paging.ts'

const tag = 'Schedules'
const unknown = 'There is no such endpoint, or its published version has no such schedule'

const params = Type.Object({
  id: Type.String({ format: 'uuid', description: 'Id of the endpoint' }),
  name: Type.String({ description: 'Name of the schedule, in any letter case' }),
})

export const scheduleRoutes: ResourceRoutes = (add, deps) => {
  readingRoutes(add, deps)
  changingRoutes(add, deps)
}

const listed: Listed<ScheduleStatus> = {
  sorts: {
    endpointName: ({ endpointName, endpointId, name }) => [fold(endpointName), endpointId, name],
    name: ({ name }) => [name],
    nextRunAt: ({ nextRunAt }) => [nextRunAt],
    lastRunAt: ({ lastRun }) => [lastRun?.startedAt ?? null],
    failuresInARow: ({ failuresInARow }) => [failuresInARow],
  },
  id: ({ endpointId, name }) => `${endpointId}/${name}`,
  texts: ({ endpointName, name }) => [endpointName, name],
}

/** What pausing changes, and what is published; not what the clock and the runs change. */
const resource: Resource<{ readonly id: string; readonly name: string }> = {
  read: (store, { id, name }) => createScheduleOperations({ store }).find({ endpointId: id, name }),
  without: ['nextRunAt', 'openRuns', 'lastRun', 'failuresInARow'],
}

function readingRoutes(add: AddRoute, { store }: AdminDeps): void {
  const schedules = createScheduleOperations({ store })
  add({
    method: 'GET',
    path: '/schedules',
    operationId: 'listSchedules',
    role: 'viewer',
    tag,
    summary: 'List schedules, by default sorted by the names of endpoint and schedule',
    description:
      'The schedules of published versions, with the next due time, the runs that are under way, and the last run. Schedules are defined in endpoints.',
    query: queryShape({
      endpointId: Type.Optional(
        Type.String({ format: 'uuid', description: 'Only schedules of this endpoint' }),
      ),
      state: Type.Optional(Type.Enum([...scheduleStates], { description: 'Only schedules in this state' })),
      failing: Type.Optional(
        Type.Boolean({
          description: 'Only schedules that have failed since their last success, or only others',
        }),
      ),
      ...listParameters(listed, 'the name of schedule or endpoint'),
    }),
    answer: { description: 'A page of schedules', shape: listShape(ScheduleStatus) },
    handle: async ({ query: { endpointId, state, failing, ...query } }) =>
      listOf(await schedules.list({ endpointId, state, failing }), listed, query),
  })
  add({
    method: 'GET',
    path: '/endpoints/:id/schedules/:name',
    operationId: 'getSchedule',
    role: 'viewer',
    tag,
    summary: 'Get a schedule',
    params,
    answer: { description: 'The schedule', shape: ScheduleStatus },
    refusals: { 404: unknown },
    resource,
    handle: ({ params: { id, name } }) => schedules.find({ endpointId: id, name }),
  })
}

function changingRoutes(add: AddRoute, { store }: AdminDeps): void {
  const schedules = createScheduleOperations({ store })
  add({
    method: 'POST',
    path: '/endpoints/:id/schedules/:name/run',
    operationId: 'runSchedule',
    role: 'support or author',
    tag,
    summary: 'Run a schedule now',
    description:
      'The node that runs schedules begins it within seconds, also when the schedule is paused. Its record appears in the history under `executionId`. The due times stay as they are.',
    params,
    answer: { status: 202, description: 'The run, which will begin', shape: ScheduleRun },
    refusals: {
      404: unknown,
      409: 'A run of it is open and runs may not overlap, another was asked for already, or the endpoint is inactive',
    },
    handle: ({ params: { id, name }, by }) => schedules.run({ endpointId: id, name }, by),
  })
  for (const [action, paused, summary, description] of [
    [
      'pause',
      true,
      'Pause a schedule',
      'A run that is under way goes on. The pause stays when a new version is published.',
    ],
    [
      'resume',
      false,
      'Resume a schedule',
      'It goes on with the next due time. What was due during the pause was not missed.',
    ],
  ] as const) {
    add({
      method: 'POST',
      path: `/endpoints/:id/schedules/:name/${action}`,
      operationId: `${action}Schedule`,
      role: 'support or author',
      tag,
      summary,
      description,
      params,
      answer: { description: 'The schedule as it is now', shape: ScheduleStatus },
      refusals: { 404: unknown },
      resource,
      handle: ({ params: { id, name }, by }) => schedules.setPaused({ endpointId: id, name }, paused, by),
    })
  }
}
