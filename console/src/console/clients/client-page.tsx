/** One client: what the current snapshot has of it, and its accounts. */
import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { formatBytes, formatCount } from '../../format/numbers.ts'
import { Fields } from '../../parts/fields.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { useList } from '../../parts/use-list.ts'
import { clientTexts as texts } from '../../texts/clients.ts'
import { accountColumns } from '../accounts/account-columns.tsx'
import { type Account, accountsKey } from '../accounts/account-queries.ts'
import { IssueDialog } from '../accounts/issue-dialog.tsx'
import { useSession } from '../session/session.tsx'
import { RecordPreview } from './record-preview.tsx'

export function ClientPage(): ReactNode {
  const { number } = useParams({ strict: false }) as { readonly number: string }
  const { api, may } = useSession()
  const client = useQuery({
    queryKey: ['client', number],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/admin/v1/clients/{number}', { params: { path: { number } }, signal })),
  })
  const { data } = client
  return (
    <Page title={data?.name ?? number} note={data !== undefined && number}>
      {client.error !== null && (
        <ErrorState title={texts.notFound} error={client.error} onRetry={() => void client.refetch()} />
      )}
      {client.isPending && <LoadingState />}
      {data !== undefined && (
        <Section title={texts.details}>
          <Fields
            fields={[
              [texts.bookings, formatCount(data.bookings)],
              [texts.invoices, formatCount(data.invoices)],
              [texts.size, formatBytes(data.bytes)],
            ]}
          />
        </Section>
      )}
      {may('listAccounts') && <ClientAccounts number={number} />}
      {may('previewClientRecords') && <RecordPreview number={number} />}
    </Page>
  )
}

const columns = accountColumns.filter(({ id }) => id !== 'client')

function ClientAccounts({ number }: { readonly number: string }): ReactNode {
  const { api, may } = useSession()
  const navigate = useNavigate()
  const [isIssuing, setIssuing] = useState(false)
  const list = useList<Account>({
    key: [...accountsKey, 'of-client', number],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/accounts', {
          params: { query: given({ clientNumber: number, after }) },
          signal,
        }),
      ),
  })
  const open = (id: string) => void navigate({ to: `/accounts/${id}` })
  const isEmpty = !list.isLoading && list.error === null && list.rows.length === 0
  return (
    <Section
      title={texts.accounts}
      actions={
        may('createAccount') && (
          <Button size="xs" variant="default" onClick={() => setIssuing(true)}>
            {texts.issue}
          </Button>
        )
      }
    >
      {isEmpty ? (
        <Text c="var(--text-dim)">{texts.noAccounts}</Text>
      ) : (
        <ListTable
          label={texts.accounts}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          onOpen={({ id }) => open(id)}
          empty={{ title: texts.noAccounts }}
        />
      )}
      {isIssuing && <IssueDialog client={number} onClose={() => setIssuing(false)} onIssued={open} />}
    </Section>
  )
}
