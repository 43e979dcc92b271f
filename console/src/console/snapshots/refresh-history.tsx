/** The refreshes of the past, also those that were refused. */
import { NativeSelect } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { formatCount, formatDuration } from '../../format/numbers.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Section } from '../../parts/section.tsx'
import { Moment } from '../../parts/time.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { refreshTexts as texts } from '../../texts/snapshots.ts'
import { useSession } from '../session/session.tsx'
import { OutcomeTone } from './outcome-tone.tsx'
import { type Refresh, refreshesKey } from './refresh-queries.ts'

const orDash = (value: number | null, format: (value: number) => string): string =>
  value === null ? '–' : format(value)

const columns: readonly Column<Refresh>[] = [
  {
    id: 'startedAt',
    header: texts.startedAt,
    sort: 'startedAt',
    cell: ({ startedAt }) => <Moment value={startedAt} />,
  },
  { id: 'outcome', header: texts.outcome, cell: ({ outcome }) => <OutcomeTone outcome={outcome} /> },
  {
    id: 'duration',
    header: texts.duration,
    sort: 'milliseconds',
    align: 'right',
    cell: ({ milliseconds }) => orDash(milliseconds, formatDuration),
  },
  {
    id: 'rows',
    header: texts.rows,
    align: 'right',
    isWide: 'very',
    cell: ({ rows }) => orDash(rows, formatCount),
  },
  {
    id: 'rejects',
    header: texts.rejects,
    sort: 'rejects',
    align: 'right',
    isWide: true,
    cell: ({ rejects }) => orDash(rejects, formatCount),
  },
  {
    id: 'clients',
    header: texts.clientsChanged,
    align: 'right',
    isWide: true,
    cell: ({ clients }) =>
      clients === null ? '–' : texts.changedOf(formatCount(clients.changed), formatCount(clients.total)),
  },
  { id: 'by', header: texts.by, isWide: true, cell: ({ requestedBy }) => requestedBy },
]

export function RefreshHistory(): ReactNode {
  const { api, may } = useSession()
  const navigate = useNavigate()
  const [{ text, sort, outcome }, change] = useAddress()
  const list = useList<Refresh>({
    key: [...refreshesKey, text, sort, outcome],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/refreshes', {
          params: { query: given({ text, sort: sort as undefined, outcome: outcome as undefined, after }) },
          signal,
        }),
      ),
  })
  const isFiltered = text !== undefined || outcome !== undefined
  return (
    <Section
      title={texts.history}
      actions={
        <>
          <NativeSelect
            size="xs"
            aria-label={texts.outcome}
            value={outcome ?? ''}
            onChange={(event) => change({ outcome: event.currentTarget.value })}
            data={[
              { value: '', label: texts.anyOutcome },
              ...Object.entries(texts.outcomes).map(([value, label]) => ({ value, label })),
            ]}
          />
          <SearchField label={texts.search} value={text} onChange={(typed) => change({ text: typed })} />
        </>
      }
    >
      <ListTable
        label={texts.history}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        {...(may('getRefreshRecord') && {
          onOpen: ({ id }: Refresh) => void navigate({ to: `/snapshots/refreshes/${id}` }),
        })}
        sort={sort ?? '-startedAt'}
        onSort={(by) => change({ sort: by })}
        empty={
          isFiltered
            ? { title: texts.noneFound, hint: texts.noneFoundHint }
            : { title: texts.emptyTitle, hint: texts.emptyHint }
        }
      />
    </Section>
  )
}
