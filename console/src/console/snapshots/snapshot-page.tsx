/** One snapshot: what it contains, and how it differs from another one. */
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { formatMoment } from '../../format/dates.ts'
import { formatBytes, formatCount } from '../../format/numbers.ts'
import { Fields } from '../../parts/fields.tsx'
import { Identifier } from '../../parts/identifier.tsx'
import { Page } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { TextLink } from '../../parts/text-link.tsx'
import { Moment } from '../../parts/time.tsx'
import { snapshotTexts as texts } from '../../texts/snapshots.ts'
import { useSession } from '../session/session.tsx'
import { type Snapshot, snapshotsKey } from './refresh-queries.ts'
import { RollBack } from './roll-back.tsx'
import { SnapshotDifferences } from './snapshot-differences.tsx'
import { SnapshotTone } from './snapshot-tone.tsx'

export function SnapshotPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { readonly id: string }
  const { api, may } = useSession()
  const snapshot = useQuery({
    queryKey: [...snapshotsKey, id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/admin/v1/snapshots/{id}', { params: { path: { id } }, signal })),
  })
  const { data } = snapshot
  return (
    <Page
      title={data?.publishedAt == null ? texts.id : texts.titleOf(formatMoment(data.publishedAt))}
      note={data !== undefined && <SnapshotTone snapshot={data} />}
    >
      {snapshot.error !== null && (
        <ErrorState title={texts.notFound} error={snapshot.error} onRetry={() => void snapshot.refetch()} />
      )}
      {snapshot.isPending && <LoadingState />}
      {data !== undefined && (
        <Section title={texts.details}>
          <Fields fields={fieldsOf(data, may('listRejects'))} />
        </Section>
      )}
      {data?.intact && !data.current && may('rollBackSnapshot') && <RollBack snapshot={data} />}
      {data?.intact && may('compareSnapshots') && <SnapshotDifferences id={id} />}
    </Page>
  )
}

const counts = [
  'clients',
  'bookings',
  'segments',
  'invoices',
  'lineItems',
  'invoicesWithoutBooking',
] as const satisfies readonly (keyof Snapshot)[]

const fieldsOf = (snapshot: Snapshot, showsRejects: boolean) =>
  [
    [texts.identifier, <Identifier key="id" name={texts.identifier} value={snapshot.id} />],
    [texts.published, <Moment key="published" value={snapshot.publishedAt} />],
    [texts.extracted, <Moment key="extracted" value={snapshot.extractedAt} />],
    ...counts.map((name) => [texts[name], countText(snapshot[name])] as const),
    [texts.size, snapshot.bytes === null ? null : formatBytes(snapshot.bytes)],
    [texts.rejects, <Rejects key="rejects" snapshot={snapshot} isLinked={showsRejects} />],
    [texts.warnings, <Warnings key="warnings" snapshot={snapshot} />],
  ] as const

const countText = (value: number | null): string | null => (value === null ? null : formatCount(value))

type RejectsProps = { readonly snapshot: Snapshot; readonly isLinked: boolean }

function Rejects({ snapshot: { id, rejects }, isLinked }: RejectsProps): ReactNode {
  if (rejects === null) return '–'
  if (rejects === 0 || !isLinked) return formatCount(rejects)
  return (
    <TextLink to={`/snapshots/${id}/rejects`}>
      {formatCount(rejects)}: {texts.showRejects}
    </TextLink>
  )
}

function Warnings({ snapshot: { warnings } }: { readonly snapshot: Snapshot }): ReactNode {
  if (warnings === null || warnings.length === 0) return texts.noWarnings
  return warnings.map(({ kind, message }) => (
    <Text key={`${kind} ${message}`} inherit>
      {message} ({kind})
    </Text>
  ))
}
