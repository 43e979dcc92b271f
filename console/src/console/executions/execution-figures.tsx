/** Counts, failures and durations over time, of one endpoint or all. */
import { SegmentedControl } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { formatDay, formatTimeOfWeek } from '../../format/dates.ts'
import { formatCount, formatDuration } from '../../format/numbers.ts'
import type { ChartData } from '../../parts/charts/chart-data.ts'
import { ChartFrame } from '../../parts/charts/chart-frame.tsx'
import { ErrorState } from '../../parts/states.tsx'
import { executionTexts as texts } from '../../texts/executions.ts'
import { useSession } from '../session/session.tsx'
import classes from './executions.module.css'

type Step = keyof typeof texts.steps

type Props = { readonly endpointId: string | undefined }

export function ExecutionFigures({ endpointId }: Props): ReactNode {
  const { api } = useSession()
  const [step, setStep] = useState<Step>('hour')
  const series = useQuery({
    queryKey: ['execution-series', endpointId, step],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/admin/v1/executions/series', {
          params: { query: given({ endpointId, step }) },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })
  const points = useMemo(() => series.data?.items ?? [], [series.data])
  const [counts, durations] = useMemo((): readonly [ChartData, ChartData] => {
    const shared = {
      categoryName: texts.point,
      categories: points.map(({ at }) =>
        // Days begin in UTC.
        step === 'day' ? formatDay(at.slice(0, 10)) : formatTimeOfWeek(Date.parse(at)),
      ),
    }
    return [
      {
        ...shared,
        kind: 'stacked-bars',
        series: [
          {
            name: texts.succeeded,
            values: points.map(({ count, failed, cancelled }) => count - failed - cancelled),
            tone: 'good',
          },
          { name: texts.failed, values: points.map(({ failed }) => failed), tone: 'bad' },
          { name: texts.cancelled, values: points.map(({ cancelled }) => cancelled), tone: 'warning' },
        ],
      },
      {
        ...shared,
        kind: 'lines',
        series: (['p50', 'p95', 'p99'] as const).map((name) => ({
          name: texts.percentiles[name],
          values: points.map((point) => point[name]),
        })),
      },
    ]
  }, [points, step])
  const chooseStep = (
    <SegmentedControl
      size="xs"
      aria-label={texts.step}
      value={step}
      onChange={(value) => setStep(value as Step)}
      data={Object.entries(texts.steps).map(([value, label]) => ({ value, label }))}
    />
  )
  if (series.error !== null && series.data === undefined) {
    return (
      <ErrorState title={texts.figuresFailed} error={series.error} onRetry={() => void series.refetch()} />
    )
  }
  return (
    <div className={classes.figures}>
      <ChartFrame
        title={texts.figures}
        note={texts.figuresNote}
        data={counts}
        format={formatCount}
        tools={chooseStep}
        height={11}
        isPending={series.isPending}
        nothing={texts.noRuns}
      />
      <ChartFrame
        title={texts.durations}
        data={durations}
        format={formatDuration}
        height={11}
        isPending={series.isPending}
        nothing={texts.noRuns}
      />
    </div>
  )
}
