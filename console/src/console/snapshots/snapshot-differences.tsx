/** How a snapshot differs from another kept one, client by client. */
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { paths } from '../../../generated/api.d.ts'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { formatMoment } from '../../format/dates.ts'
import { formatCount } from '../../format/numbers.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { snapshotTexts as texts } from '../../texts/snapshots.ts'
import { useSession } from '../session/session.tsx'
import { snapshotsKey } from './refresh-queries.ts'

type Difference =
  paths['/api/admin/v1/snapshots/{id}/differences']['get']['responses'][200]['content']['application/json']['items'][number]
type List = keyof Difference['lists']

const listColumn = (list: List): Column<Difference> => ({
  id: list,
  header: texts.list[list],
  cell: ({ lists }) => countsText(lists[list]),
})

const columns: readonly Column<Difference>[] = [
  {
    id: 'client',
    header: texts.client,
    cell: ({ clientNumber, presence }) =>
      presence === 'both' ? clientNumber : `${clientNumber} (${texts.presence[presence]})`,
  },
  listColumn('bookings'),
  listColumn('itineraries'),
  listColumn('invoices'),
]

/** @param counts null when nobody knows, undefined when nothing differs */
function countsText(counts: Difference['lists'][List]): string {
  if (counts === undefined) return '–'
  if (counts === null) return texts.unknownDifference
  return (['added', 'changed', 'removed'] as const)
    .flatMap((kind) => (counts[kind] === 0 ? [] : texts[kind](formatCount(counts[kind]))))
    .join(', ')
}

export function SnapshotDifferences({ id }: { readonly id: string }): ReactNode {
  const { api } = useSession()
  const navigate = useNavigate()
  const [{ against }, change] = useAddress()
  const kept = useQuery({
    queryKey: [...snapshotsKey, 'offered'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/admin/v1/snapshots', { signal })),
  })
  const others = (kept.data?.items ?? []).filter((one) => one.id !== id && one.intact)
  const before = others.find((one) => one.id < id)
  const list = useList<Difference>({
    key: [...snapshotsKey, id, 'differences', against],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/snapshots/{id}/differences', {
          params: { path: { id }, query: given({ against, after }) },
          signal,
        }),
      ),
  })
  return (
    <Section
      title={texts.differences}
      actions={
        <NativeSelect
          size="xs"
          aria-label={texts.against}
          title={texts.against}
          value={against ?? before?.id ?? ''}
          onChange={(event) => change({ against: event.currentTarget.value })}
          data={[
            ...(before === undefined ? [{ value: '', label: texts.noOther }] : []),
            ...others.map((one) => ({
              value: one.id,
              label: one.publishedAt === null ? one.id : formatMoment(one.publishedAt),
            })),
          ]}
        />
      }
    >
      <ListTable
        label={texts.differences}
        list={list}
        columns={columns}
        rowKey={({ clientNumber }) => clientNumber}
        onOpen={({ clientNumber }) => void navigate({ to: `/clients/${encodeURIComponent(clientNumber)}` })}
        empty={{ title: texts.same, hint: texts.sameHint }}
      />
    </Section>
  )
}
