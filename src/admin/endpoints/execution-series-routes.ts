/** Figures of runs over time: how many there were, how they ended and how long they took. */
import Type from '../../kernel/type.ts'
import { SeriesPoint, seriesSteps } from '../../schema/execution-shapes.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import { instantParameter, instantText, queryShape } from '../paging.ts'

/** The length of a series without `from`: an hour of minutes, two days of hours, a month of days. */
const usualMs = { minute: 3_600_000, hour: 2 * 86_400_000, day: 30 * 86_400_000 } as const

export const executionSeriesRoutes: ResourceRoutes = (add, { history }) => {
  add({
    method: 'GET',
    path: '/executions/series',
    operationId: 'getExecutionSeries',
    role: 'viewer',
    tag: 'Executions',
    summary: 'Get figures of runs over time',
    description:
      'One point for each minute, hour or day in UTC, of one endpoint or of all together, also for those without runs; at most 1,500. Trials do not count. A percentile is the shortest duration within which at least so many of the runs ended (nearest rank), to within 2.2 %. The figures stay when the runs are removed; the settings historyMinuteFiguresDays, historyHourFiguresDays and historyDayFiguresDays say how long.',
    query: queryShape({
      endpointId: Type.Optional(
        Type.String({ format: 'uuid', description: 'Only this endpoint; all together without it' }),
      ),
      step: Type.Enum([...seriesSteps], { default: 'hour', description: 'The time of one point' }),
      from: instantParameter(
        'Only runs that began at or after this time, rounded down to the begin of a point; by default an hour, two days or 30 days before `to`',
      ),
      to: instantParameter('Only points that begin before this time; by default now'),
    }),
    answer: {
      description: 'The points, oldest first',
      shape: Type.Object({ step: Type.Enum([...seriesSteps]), items: Type.Array(SeriesPoint) }),
    },
    handle: async ({ query: { endpointId, step, from, to } }) => {
      const end = momentOf(instantText('/to', to)) ?? Date.now()
      const start = momentOf(instantText('/from', from)) ?? end - usualMs[step]
      return { step, items: await history.series({ endpointId, step, from: start, to: end }) }
    },
  })
}

const momentOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text)
