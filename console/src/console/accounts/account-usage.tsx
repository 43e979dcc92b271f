/** What an account has asked for in the last 30 days. */
import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { formatDay } from '../../format/dates.ts'
import { formatBytes, formatCount } from '../../format/numbers.ts'
import { ChartFrame } from '../../parts/charts/chart-frame.tsx'
import { ErrorState } from '../../parts/states.tsx'
import { accountTexts as texts } from '../../texts/accounts.ts'
import { useSession } from '../session/session.tsx'
import { dayBefore, lastDays } from './usage-days.ts'

const DAYS = 30

const measures = {
  requests: { title: texts.usage, name: texts.requests, format: formatCount },
  bytes: { title: texts.usageBytes, name: texts.bytes, format: formatBytes },
} as const

export function AccountUsage({ id }: { readonly id: string }): ReactNode {
  const { api } = useSession()
  const [measure, setMeasure] = useState<keyof typeof measures>('requests')
  const from = dayBefore(Date.now(), DAYS - 1)
  const usage = useQuery({
    queryKey: ['account-usage', id, from],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/admin/v1/accounts/{id}/usage', { params: { path: { id }, query: { from } }, signal }),
      ),
  })
  const days = useMemo(() => lastDays(usage.data?.items ?? [], DAYS), [usage.data])
  const { title, name, format } = measures[measure]
  const data = useMemo(
    () => ({
      kind: 'bars' as const,
      categoryName: texts.day,
      categories: days.map(({ day }) => formatDay(day)),
      series: [{ name, values: days.map((day) => day[measure]) }],
    }),
    [days, measure, name],
  )
  if (usage.error !== null && usage.data === undefined) {
    return <ErrorState title={texts.usageFailed} error={usage.error} onRetry={() => void usage.refetch()} />
  }
  const sum = (of: 'requests' | 'bytes') => days.reduce((total, day) => total + day[of], 0)
  return (
    <ChartFrame
      title={title}
      note={
        usage.data === undefined
          ? '–'
          : texts.usageNote(formatCount(sum('requests')), formatBytes(sum('bytes')))
      }
      data={data}
      format={format}
      height={10}
      tools={
        <SegmentedControl
          size="xs"
          aria-label={texts.usage}
          value={measure}
          onChange={(value) => setMeasure(value as keyof typeof measures)}
          data={Object.entries(measures).map(([value, { name: label }]) => ({ value, label }))}
        />
      }
    />
  )
}
