/** The webhooks of an account. */
import { Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'
import { Moment } from '../../parts/time.tsx'
import { useList } from '../../parts/use-list.ts'
import { accountTexts as texts } from '../../texts/accounts.ts'
import { useSession } from '../session/session.tsx'
import { WebhookState } from '../webhooks/webhook-columns.tsx'

type Webhook = {
  readonly id: string
  readonly url: string
  readonly isActive: boolean
  readonly failingSince: string | null
  readonly createdAt: string
}

const columns: readonly Column<Webhook>[] = [
  { id: 'url', header: texts.url, cell: ({ url }) => url },
  { id: 'state', header: texts.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
  {
    id: 'created',
    header: texts.created,
    isWide: true,
    cell: ({ createdAt }) => <Moment value={createdAt} />,
  },
]

export function AccountWebhooks({ id }: { readonly id: string }): ReactNode {
  const { api } = useSession()
  const navigate = useNavigate()
  const list = useList<Webhook>({
    key: ['webhooks', 'of-account', id],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/webhooks', { params: { query: given({ accountId: id, after }) }, signal }),
      ),
  })
  const isEmpty = !list.isLoading && list.error === null && list.rows.length === 0
  return (
    <Section title={texts.webhooks}>
      {isEmpty ? (
        <Text c="var(--text-dim)">{texts.noWebhooks}</Text>
      ) : (
        <ListTable
          label={texts.webhooks}
          list={list}
          columns={columns}
          rowKey={(webhook) => webhook.id}
          onOpen={(webhook) => void navigate({ to: `/webhooks/${webhook.id}` })}
          empty={{ title: texts.noWebhooks }}
        />
      )}
    </Section>
  )
}
