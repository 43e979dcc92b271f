/** The organizations as a tree; a search shows what it finds with the names above. */
import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Age } from '../../parts/time.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { organizationTexts as texts } from '../../texts/organizations.ts'
import { useSession } from '../session/session.tsx'
import { AddOrganization } from './organization-dialogs.tsx'
import { OrganizationPath } from './organization-link.tsx'
import { type Organization, organizationsKey } from './organization-queries.ts'
import { OrganizationTree } from './organization-tree.tsx'

export function OrganizationsPage(): ReactNode {
  const { may } = useSession()
  const navigate = useNavigate()
  const [{ text }, change] = useAddress()
  const [isAdding, setAdding] = useState(false)
  const go = (path: string) => void navigate({ to: path })
  const add = may('createOrganization') && (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {texts.add}
    </Button>
  )
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <SearchField label={texts.search} value={text} onChange={(typed) => change({ text: typed })} />
          {(may('importDirectory') || may('exportDirectory')) && (
            <Button size="xs" variant="default" onClick={() => go('/organizations/transfer')}>
              {texts.transfer}
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => go('/organizations/deleted')}>
            {texts.deleted}
          </Button>
          {add}
        </>
      }
    >
      {text === undefined ? <OrganizationTree add={add} /> : <FoundOrganizations text={text} />}
      {isAdding && (
        <AddOrganization onAdded={(id) => go(`/organizations/${id}`)} onClose={() => setAdding(false)} />
      )}
    </Page>
  )
}

const columns: readonly Column<Organization>[] = [
  {
    id: 'name',
    header: texts.name,
    sort: 'name',
    cell: ({ name, parentOrganizationId }) => (
      <>
        <span style={{ color: 'var(--text-dim)' }}>
          <OrganizationPath parentId={parentOrganizationId} />
        </span>
        {name}
      </>
    ),
  },
  { id: 'number', header: texts.number, sort: 'number', cell: ({ number }) => number ?? '–' },
  {
    id: 'changed',
    header: texts.changed,
    sort: 'updatedAt',
    isWide: true,
    cell: ({ updatedAt }) => <Age value={updatedAt} />,
  },
]

function FoundOrganizations({ text }: { readonly text: string }): ReactNode {
  const { api } = useSession()
  const navigate = useNavigate()
  const [{ sort }, change] = useAddress()
  const list = useList<Organization>({
    key: [...organizationsKey, 'found', text, sort],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/organizations', {
          params: { query: given({ text, sort: sort as undefined, after }) },
          signal,
        }),
      ),
  })
  return (
    <ListTable
      label={texts.title}
      list={list}
      columns={columns}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: `/organizations/${id}` })}
      sort={sort ?? 'name'}
      onSort={(by) => change({ sort: by })}
      empty={{ title: texts.noneFound, hint: texts.noneFoundHint }}
    />
  )
}
