/** The refresh that runs, the kept snapshots, and the refreshes of the past. */
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { formatBytes, formatCount } from '../../format/numbers.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { Moment } from '../../parts/time.tsx'
import { useList } from '../../parts/use-list.ts'
import { snapshotTexts as texts } from '../../texts/snapshots.ts'
import { useSession } from '../session/session.tsx'
import { RefreshCard } from './refresh-card.tsx'
import { RefreshHistory } from './refresh-history.tsx'
import { type Snapshot, snapshotsKey } from './refresh-queries.ts'
import { SnapshotTone } from './snapshot-tone.tsx'
import { useRefreshStream } from './use-refresh-stream.ts'

export function SnapshotsPage(): ReactNode {
  const { may } = useSession()
  const followed = useRefreshStream()
  return (
    <Page title={texts.title}>
      {may('streamRefreshes') && <RefreshCard {...followed} />}
      <KeptSnapshots />
      {may('listRefreshes') && <RefreshHistory />}
    </Page>
  )
}

const count = (
  id: 'clients' | 'bookings' | 'invoices' | 'rejects',
  isWide: true | 'very',
): Column<Snapshot> => ({
  id,
  header: texts[id],
  align: 'right',
  isWide,
  cell: (snapshot) => {
    const value = snapshot[id]
    return value === null ? '–' : formatCount(value)
  },
})

const columns: readonly Column<Snapshot>[] = [
  { id: 'published', header: texts.published, cell: ({ publishedAt }) => <Moment value={publishedAt} /> },
  { id: 'state', header: texts.state, cell: (snapshot) => <SnapshotTone snapshot={snapshot} /> },
  {
    id: 'extracted',
    header: texts.extracted,
    isWide: 'very',
    cell: ({ extractedAt }) => <Moment value={extractedAt} />,
  },
  count('clients', true),
  count('bookings', true),
  count('invoices', true),
  count('rejects', 'very'),
  {
    id: 'size',
    header: texts.size,
    align: 'right',
    cell: ({ bytes }) => (bytes === null ? '–' : formatBytes(bytes)),
  },
]

function KeptSnapshots(): ReactNode {
  const { api } = useSession()
  const navigate = useNavigate()
  const list = useList<Snapshot>({
    key: snapshotsKey,
    read: (after, signal) =>
      dataOf(api.GET('/api/admin/v1/snapshots', { params: { query: given({ after }) }, signal })),
  })
  return (
    <Section title={texts.keptSnapshots}>
      <ListTable
        label={texts.keptSnapshots}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: `/snapshots/${id}` })}
        empty={{ title: texts.emptyTitle, hint: texts.emptyHint }}
      />
    </Section>
  )
}
