/** One refresh: how it ended and why, how long each stage took, and what it read and rejected. */
import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { dataOf } from '../../api/client.ts'
import { formatMoment } from '../../format/dates.ts'
import { formatBytes, formatCount, formatDuration } from '../../format/numbers.ts'
import { ChartFrame } from '../../parts/charts/chart-frame.tsx'
import { Fields } from '../../parts/fields.tsx'
import { Page } from '../../parts/page.tsx'
import { Columns, Section } from '../../parts/section.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { TextLink } from '../../parts/text-link.tsx'
import { Moment } from '../../parts/time.tsx'
import { refreshTexts as texts } from '../../texts/snapshots.ts'
import { useSession } from '../session/session.tsx'
import { OutcomeTone } from './outcome-tone.tsx'
import { type RefreshRecord, refreshesKey } from './refresh-queries.ts'
import { RejectGroups } from './reject-groups.tsx'

/** While it runs. */
const REFETCH_MS = 2000

export function RefreshPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { readonly id: string }
  const { api } = useSession()
  const refresh = useQuery({
    queryKey: [...refreshesKey, id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/admin/v1/refreshes/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => state.data?.outcome === 'running' && REFETCH_MS,
  })
  const { data } = refresh
  const latestRefusal = useQuery({
    queryKey: [...refreshesKey, 'latest-refusal'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/admin/v1/refreshes', { params: { query: { outcome: 'refused', limit: 1 } }, signal }),
      ),
    enabled: data?.outcome === 'refused',
  })
  return (
    <Page
      title={data === undefined ? texts.latest : texts.title(formatMoment(data.startedAt))}
      note={data !== undefined && <OutcomeTone outcome={data.outcome} />}
    >
      {refresh.error !== null && (
        <ErrorState title={texts.notFound} error={refresh.error} onRetry={() => void refresh.refetch()} />
      )}
      {refresh.isPending && <LoadingState />}
      {data !== undefined && (
        <>
          {data.reasons.length > 0 && <Reasons reasons={data.reasons} />}
          <Columns>
            <Section title={texts.facts}>
              <Fields fields={fieldsOf(data)} />
            </Section>
            <StageTimes stages={data.stages} />
          </Columns>
          <Tables tables={data.tables} />
          <Section title={texts.rejectsByRule}>
            <RejectGroups
              groups={data.rejectsByRule}
              rejectsOf={rejectsOf(data, latestRefusal.data?.items[0]?.id)}
            />
          </Section>
        </>
      )}
    </Page>
  )
}

/** The list of rows that belongs to the refresh; the one of an older refusal is gone. */
const rejectsOf = ({ id, snapshotId }: RefreshRecord, latestRefusal: string | undefined): string | null =>
  snapshotId ?? (id === latestRefusal ? 'last-refusal' : null)

const fieldsOf = (refresh: RefreshRecord) =>
  [
    [texts.startedAt, <Moment key="startedAt" value={refresh.startedAt} />],
    [texts.duration, refresh.milliseconds === null ? null : formatDuration(refresh.milliseconds)],
    [texts.by, refresh.requestedBy],
    [texts.origin, texts.origins[refresh.origin]],
    [texts.node, refresh.node],
    [texts.sourceBytes, bytesText(refresh.sourceBytes)],
    [texts.snapshotBytes, bytesText(refresh.snapshotBytes)],
    [texts.rows, countText(refresh.rows)],
    [texts.rejects, countText(refresh.rejects)],
    [
      texts.clientsChanged,
      refresh.clients &&
        texts.changedOf(formatCount(refresh.clients.changed), formatCount(refresh.clients.total)),
    ],
    [texts.snapshot, <SnapshotLink key="snapshot" id={refresh.snapshotId} />],
  ] as const

const bytesText = (value: number | null): string | null => (value === null ? null : formatBytes(value))
const countText = (value: number | null): string | null => (value === null ? null : formatCount(value))

const SnapshotLink = ({ id }: { readonly id: string | null }): ReactNode =>
  id === null ? '–' : <TextLink to={`/snapshots/${id}`}>{id}</TextLink>

function Reasons({ reasons }: Pick<RefreshRecord, 'reasons'>): ReactNode {
  return (
    <Section title={texts.reasons}>
      {reasons.map(({ code, message, hint, causes }) => (
        <div key={`${code} ${message}`}>
          <Text c="var(--tone-bad)">
            {message} ({code})
          </Text>
          {hint !== null && <Text>{hint}</Text>}
          {causes.length > 0 && <RejectGroups groups={causes} rejectsOf={null} />}
        </div>
      ))}
    </Section>
  )
}

function StageTimes({ stages }: Pick<RefreshRecord, 'stages'>): ReactNode {
  const data = useMemo(
    () => ({
      kind: 'lying-bars' as const,
      categoryName: texts.stage,
      categories: stages.map(({ stage }) => texts.stages[stage]),
      series: [{ name: texts.seconds, values: stages.map(({ milliseconds }) => milliseconds / 1000) }],
    }),
    [stages],
  )
  return (
    <ChartFrame
      title={texts.stageTimes}
      data={data}
      height={14}
      format={(seconds) => formatDuration(1000 * seconds)}
    />
  )
}

function Tables({ tables }: Pick<RefreshRecord, 'tables'>): ReactNode {
  if (tables.length === 0) return null
  return (
    <Section title={texts.tables}>
      <Table fz="sm" verticalSpacing={4} aria-label={texts.tables}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.table}</Table.Th>
            <Table.Th ta="right">{texts.rows}</Table.Th>
            <Table.Th ta="right">{texts.rejects}</Table.Th>
            <Table.Th ta="right">{texts.withParent}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tables.map(({ table, rows, rejects, withParent }) => (
            <Table.Tr key={table}>
              <Table.Td>{table}</Table.Td>
              <Table.Td ta="right">{formatCount(rows)}</Table.Td>
              <Table.Td ta="right">{formatCount(rejects)}</Table.Td>
              <Table.Td ta="right">{formatCount(withParent)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  )
}
