/** Requests, errors and latencies of the last 24 hours. */
import { Group, NativeSelect, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { formatTimeOfWeek } from '../../format/dates.ts'
import { formatCount, formatDuration } from '../../format/numbers.ts'
import { ChartFrame } from '../../parts/charts/chart-frame.tsx'
import { Columns } from '../../parts/section.tsx'
import { ErrorState } from '../../parts/states.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { overviewTexts as texts } from '../../texts/overview.ts'
import { useSession } from '../session/session.tsx'
import { type Bucket, bucketsOf } from './request-buckets.ts'

const REFETCH_MS = 60_000

export function RequestCharts(): ReactNode {
  const { api } = useSession()
  const [{ family }, change] = useAddress()
  const minutes = useQuery({
    queryKey: ['request-minutes', family],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/admin/v1/system/requests', {
          params: { query: given({ family: family as undefined }) },
          signal,
        }),
      ),
    refetchInterval: REFETCH_MS,
    placeholderData: keepPreviousData,
  })
  const buckets = useMemo(() => bucketsOf(minutes.data?.items ?? []), [minutes.data])
  const data = useMemo(() => ({ requests: requestsData(buckets), latency: latencyData(buckets) }), [buckets])
  return (
    <section aria-labelledby="requests">
      <Group mb="xs">
        <Title order={2} size="h5" id="requests">
          {texts.requestsHeading}
        </Title>
        <NativeSelect
          size="xs"
          aria-label={texts.family}
          value={family ?? ''}
          onChange={(event) => change({ family: event.currentTarget.value })}
          data={families}
        />
      </Group>
      {minutes.error !== null && minutes.data === undefined ? (
        <ErrorState
          title={texts.requestsFailed}
          error={minutes.error}
          onRetry={() => void minutes.refetch()}
        />
      ) : (
        <Columns>
          <ChartFrame
            headingLevel={3}
            title={texts.requestsChart}
            note={texts.requestsNote}
            data={data.requests}
            isPending={minutes.isPending}
            nothing={texts.noRequests}
            format={formatCount}
          />
          <ChartFrame
            headingLevel={3}
            title={texts.latencyChart}
            note={texts.latencyChartNote}
            data={data.latency}
            isPending={minutes.isPending}
            nothing={texts.noRequests}
            format={formatDuration}
          />
        </Columns>
      )}
    </section>
  )
}

const families = Object.entries(texts.families).map(([value, label]) => ({
  value: value === 'all' ? '' : value,
  label,
}))

const times = (buckets: readonly Bucket[]) => ({
  categoryName: texts.time,
  categories: buckets.map(({ beginsAt }) => formatTimeOfWeek(beginsAt)),
})

const requestsData = (buckets: readonly Bucket[]) => ({
  kind: 'stacked-bars' as const,
  ...times(buckets),
  series: [
    { name: texts.answered, values: buckets.map(({ answered }) => answered) },
    { name: texts.refusals, values: buckets.map(({ refusals }) => refusals), tone: 'warning' as const },
    { name: texts.failuresSeries, values: buckets.map(({ failures }) => failures), tone: 'bad' as const },
  ],
})

const latencyData = (buckets: readonly Bucket[]) => ({
  kind: 'lines' as const,
  ...times(buckets),
  series: [
    { name: texts.p50, values: buckets.map(({ p50Ms }) => p50Ms) },
    { name: texts.p95, values: buckets.map(({ p95Ms }) => p95Ms) },
    { name: texts.p99, values: buckets.map(({ p99Ms }) => p99Ms) },
  ],
})
