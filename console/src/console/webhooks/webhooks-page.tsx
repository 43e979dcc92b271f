/** The webhooks of all accounts. */
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
import { webhookTexts as texts } from '../../texts/webhooks.ts'
import { useSession } from '../session/session.tsx'
import { webhookColumns } from './webhook-columns.tsx'
import { AddWebhook } from './webhook-dialogs.tsx'
import { type Webhook, webhooksKey } from './webhook-queries.ts'

export function WebhooksPage(): ReactNode {
  const { api, may } = useSession()
  const navigate = useNavigate()
  const [{ text, sort }, change] = useAddress()
  const [isAdding, setAdding] = useState(false)
  const list = useList<Webhook>({
    key: [...webhooksKey, text, sort],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/webhooks', {
          params: { query: given({ text, sort: sort as undefined, after }) },
          signal,
        }),
      ),
  })
  const open = (id: string) => void navigate({ to: `/webhooks/${id}` })
  const add = may('createWebhook') && (
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
          {add}
        </>
      }
    >
      <ListTable
        label={texts.title}
        list={list}
        columns={webhookColumns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => open(id)}
        sort={sort ?? 'createdAt'}
        onSort={(by) => change({ sort: by })}
        empty={
          text === undefined
            ? { title: texts.emptyTitle, hint: texts.emptyHint, action: add }
            : { title: texts.noneFound, hint: texts.noneFoundHint }
        }
      />
      {isAdding && <AddWebhook onAdded={open} onClose={() => setAdding(false)} />}
    </Page>
  )
}
