/** All accounts, or those of one client. */
import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { accountTexts as texts } from '../../texts/accounts.ts'
import { useSession } from '../session/session.tsx'
import { accountColumns } from './account-columns.tsx'
import { type Account, accountsKey } from './account-queries.ts'
import { IssueDialog } from './issue-dialog.tsx'

export function AccountsPage(): ReactNode {
  const { api, may } = useSession()
  const navigate = useNavigate()
  const [{ text, sort, client }, change] = useAddress()
  const [isIssuing, setIssuing] = useState(false)
  const list = useList<Account>({
    key: [...accountsKey, text, sort, client],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/accounts', {
          params: { query: given({ text, sort: sort as undefined, clientNumber: client, after }) },
          signal,
        }),
      ),
  })
  const open = (id: string) => void navigate({ to: `/accounts/${id}` })
  const issue = may('createAccount') && (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIssuing(true)}>
      {texts.issue}
    </Button>
  )
  const isFiltered = text !== undefined || client !== undefined
  return (
    <Page
      title={texts.title}
      note={client !== undefined && texts.ofClient(client)}
      actions={
        <>
          {client !== undefined && (
            <Button size="xs" variant="default" onClick={() => change({ client: undefined })}>
              {texts.allClients}
            </Button>
          )}
          <SearchField label={texts.search} value={text} onChange={(typed) => change({ text: typed })} />
          {issue}
        </>
      }
    >
      <ListTable
        label={texts.title}
        list={list}
        columns={accountColumns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => open(id)}
        sort={sort ?? 'clientNumber'}
        onSort={(by) => change({ sort: by })}
        empty={
          isFiltered
            ? { title: texts.noneFound, hint: texts.noneFoundHint }
            : { title: texts.emptyTitle, hint: texts.emptyHint, action: issue }
        }
      />
      {isIssuing && <IssueDialog client={client} onClose={() => setIssuing(false)} onIssued={open} />}
    </Page>
  )
}
