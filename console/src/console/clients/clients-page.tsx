/** The clients of the current snapshot. */
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { paths } from '../../../generated/api.d.ts'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { formatBytes, formatCount } from '../../format/numbers.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { clientTexts as texts } from '../../texts/clients.ts'
import { useSession } from '../session/session.tsx'

type Client =
  paths['/api/admin/v1/clients']['get']['responses'][200]['content']['application/json']['items'][number]

const count = (id: 'bookings' | 'invoices' | 'accounts', isWide = false): Column<Client> => ({
  id,
  header: texts[id],
  sort: id,
  align: 'right',
  isWide,
  cell: (client) => formatCount(client[id]),
})

const columns: readonly Column<Client>[] = [
  { id: 'number', header: texts.number, sort: 'number', cell: ({ number }) => number },
  { id: 'name', header: texts.name, sort: 'name', cell: ({ name }) => name },
  count('bookings'),
  count('invoices', true),
  {
    id: 'bytes',
    header: texts.size,
    sort: 'bytes',
    align: 'right',
    isWide: true,
    cell: ({ bytes }) => formatBytes(bytes),
  },
  count('accounts', true),
]

export function ClientsPage(): ReactNode {
  const { api } = useSession()
  const navigate = useNavigate()
  const [{ text, sort }, change] = useAddress()
  const list = useList<Client>({
    key: ['clients', text, sort],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/clients', {
          params: { query: given({ text, sort: sort as undefined, after }) },
          signal,
        }),
      ),
  })
  return (
    <Page
      title={texts.title}
      actions={
        <SearchField label={texts.search} value={text} onChange={(typed) => change({ text: typed })} />
      }
    >
      <ListTable
        label={texts.title}
        list={list}
        columns={columns}
        rowKey={({ number }) => number}
        onOpen={({ number }) => void navigate({ to: `/clients/${encodeURIComponent(number)}` })}
        sort={sort ?? 'number'}
        onSort={(by) => change({ sort: by })}
        empty={
          text === undefined
            ? { title: texts.emptyTitle, hint: texts.emptyHint }
            : { title: texts.noneFound, hint: texts.noneFoundHint }
        }
      />
    </Page>
  )
}
