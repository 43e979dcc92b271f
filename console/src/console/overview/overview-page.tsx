/** The state of the service on one screen. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { formatAge } from '../../format/dates.ts'
import { formatBytes, formatCount, formatDuration, formatShare } from '../../format/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { Age } from '../../parts/time.tsx'
import { overviewTexts as texts } from '../../texts/overview.ts'
import { useSession } from '../session/session.tsx'
import { type System, systemQuery } from '../system/system-query.ts'
import { AttentionList } from './attention-list.tsx'
import { RequestCharts } from './request-charts.tsx'
import { Stat, Stats } from './stats.tsx'

export function OverviewPage(): ReactNode {
  const { api, may } = useSession()
  const system = useQuery(systemQuery(api))
  const { data } = system
  return (
    <Page title={texts.title}>
      {system.error !== null && data === undefined && (
        <ErrorState title={texts.failed} error={system.error} onRetry={() => void system.refetch()} />
      )}
      {system.isPending && <LoadingState />}
      {data !== undefined && (
        <>
          <Stats>
            <SnapshotStats id={data.snapshotId} />
            <RequestStats requests={data.requests} />
            {may('listLiveExecutions') && <RunningScripts />}
          </Stats>
          <AttentionList found={data.needsAttention} hasSnapshot={data.snapshotId !== null} />
          {may('listRequestsByMinute') && <RequestCharts />}
        </>
      )}
    </Page>
  )
}

function SnapshotStats({ id }: { readonly id: string | null }): ReactNode {
  const { api } = useSession()
  const snapshot = useQuery({
    queryKey: ['snapshots', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/admin/v1/snapshots/{id}', { params: { path: { id: id ?? '' } }, signal })),
    enabled: id !== null,
  })
  if (id === null) {
    return (
      <>
        <Stat name={texts.extracted} value={texts.never} to="/snapshots" />
        <Stat
          name={texts.snapshot}
          value={texts.noSnapshot}
          note={texts.noSnapshotNote}
          tone="warning"
          to="/snapshots"
        />
      </>
    )
  }
  const { extractedAt = null, publishedAt = null, bytes, bookings, clients } = snapshot.data ?? {}
  return (
    <>
      <Stat
        name={texts.extracted}
        value={<Age value={extractedAt} />}
        note={publishedAt !== null && texts.published(formatAge(publishedAt))}
        to="/snapshots"
      />
      <Stat
        name={texts.snapshot}
        value={typeof bytes === 'number' ? formatBytes(bytes) : '–'}
        note={
          typeof bookings === 'number' &&
          typeof clients === 'number' &&
          texts.contents(formatCount(bookings), formatCount(clients))
        }
        to={`/snapshots/${id}`}
      />
    </>
  )
}

function RequestStats({ requests }: Pick<System, 'requests'>): ReactNode {
  const sum = (member: 'requests' | 'refusals' | 'failures') =>
    requests.reduce((total, one) => total + one[member], 0)
  const [all, failures] = [sum('requests'), sum('failures')]
  const slowest = requests.toSorted((a, b) => (b.p95Ms ?? 0) - (a.p95Ms ?? 0))[0]
  return (
    <>
      <Stat
        name={texts.requests}
        value={formatCount(all)}
        note={texts.refused(formatCount(sum('refusals')))}
      />
      <Stat
        name={texts.failures}
        value={formatCount(failures)}
        note={all > 0 && texts.failedShare(formatShare(failures / all))}
        tone={failures > 0 ? 'bad' : undefined}
      />
      <Stat
        name={texts.latency}
        value={slowest?.p95Ms == null ? '–' : formatDuration(slowest.p95Ms)}
        note={slowest !== undefined && texts.latencyNote(texts.families[slowest.family])}
        {...(slowest !== undefined && { to: '/', search: { family: slowest.family } })}
      />
    </>
  )
}

const REFETCH_MS = 5000

function RunningScripts(): ReactNode {
  const { api } = useSession()
  const live = useQuery({
    queryKey: ['executions', 'live', 'counts'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/admin/v1/executions/live', { params: { query: { limit: 500 } }, signal })),
    refetchInterval: REFETCH_MS,
  })
  const { total = 0, items = [] } = live.data ?? {}
  const waiting = items.filter(({ state }) => state === 'queued').length
  return (
    <Stat
      name={texts.running}
      value={live.data === undefined ? '–' : formatCount(total - waiting)}
      note={texts.waiting(formatCount(waiting))}
      to="/executions"
    />
  )
}
