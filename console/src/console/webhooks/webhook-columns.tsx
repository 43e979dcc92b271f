/** Webhooks as rows. */
import type { ReactNode } from 'react'
import type { Column } from '../../parts/list-table.tsx'
import { Moment } from '../../parts/time.tsx'
import { Tone } from '../../parts/tone.tsx'
import { webhookTexts as texts } from '../../texts/webhooks.ts'
import type { Webhook } from './webhook-queries.ts'

export function WebhookState({
  webhook: { isActive, failingSince },
}: {
  readonly webhook: Pick<Webhook, 'isActive' | 'failingSince'>
}): ReactNode {
  const { active, paused, failing } = texts.states
  if (!isActive) return <Tone tone="neutral">{paused}</Tone>
  return failingSince === null ? <Tone tone="good">{active}</Tone> : <Tone tone="bad">{failing}</Tone>
}

export const listsText = (lists: Webhook['lists']): string =>
  lists === null ? texts.allLists : lists.map((list) => texts.listNames[list]).join(', ')

export const webhookColumns: readonly Column<Webhook>[] = [
  { id: 'url', header: texts.url, sort: 'url', isLong: true, cell: ({ url }) => url },
  { id: 'client', header: texts.client, sort: 'clientNumber', cell: ({ clientNumber }) => clientNumber },
  { id: 'state', header: texts.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
  { id: 'description', header: texts.description, isWide: true, cell: ({ description }) => description },
  { id: 'lists', header: texts.lists, isWide: true, cell: ({ lists }) => listsText(lists) },
  {
    id: 'created',
    header: texts.created,
    sort: 'createdAt',
    isWide: true,
    cell: ({ createdAt }) => <Moment value={createdAt} />,
  },
]
