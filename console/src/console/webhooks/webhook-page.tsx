/** One webhook: what it tells of, what can be done to it, and what became of its deliveries. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { Fields } from '../../parts/fields.tsx'
import { Identifier } from '../../parts/identifier.tsx'
import { Page } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource/use-resource.ts'
import { Section } from '../../parts/section.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { TextLink } from '../../parts/text-link.tsx'
import { Age, Moment } from '../../parts/time.tsx'
import { webhookTexts as texts } from '../../texts/webhooks.ts'
import { useSession } from '../session/session.tsx'
import { DeliveriesSection } from './deliveries-section.tsx'
import { WebhookButtons } from './webhook-buttons.tsx'
import { listsText, WebhookState } from './webhook-columns.tsx'
import { type Webhook, webhookKey } from './webhook-queries.ts'

/** Deliveries change the state of a webhook while one looks. */
const REFETCH_MS = 2000

export function WebhookPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { readonly id: string }
  const { api } = useSession()
  const navigate = useNavigate()
  const resource = useResource<Webhook>({
    key: webhookKey(id),
    read: (signal) =>
      api.GET('/api/admin/v1/webhooks/{id}', { params: { path: { id } }, ...(signal && { signal }) }),
    ignored: ['failingSince', 'updatedAt'],
    refetchMs: REFETCH_MS,
  })
  const webhook = resource.seen?.data
  if (webhook === undefined) {
    return (
      <Page title={texts.title}>
        {resource.error === null ? (
          <LoadingState />
        ) : (
          <ErrorState title={texts.notFound} error={resource.error} onRetry={resource.retry} />
        )}
      </Page>
    )
  }
  return (
    <Page
      title={webhook.description ?? hostOf(webhook.url)}
      note={<WebhookState webhook={webhook} />}
      actions={
        <WebhookButtons
          webhook={webhook}
          resource={resource}
          onRemoved={() => void navigate({ to: '/webhooks' })}
        />
      }
    >
      <Section title={texts.details}>
        <Fields fields={fieldsOf(webhook)} />
      </Section>
      <DeliveriesSection webhookId={id} />
    </Page>
  )
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

const fieldsOf = (webhook: Webhook) =>
  [
    [texts.url, webhook.url],
    [texts.description, webhook.description],
    [texts.account, <AccountLink key="account" id={webhook.accountId} />],
    [
      texts.client,
      <PageLink
        key="client"
        to={`/clients/${encodeURIComponent(webhook.clientNumber)}`}
        text={webhook.clientNumber}
      />,
    ],
    [texts.lists, listsText(webhook.lists)],
    ...(webhook.pausedReason === null ? [] : ([[texts.pausedReason, webhook.pausedReason]] as const)),
    ...(webhook.failingSince === null
      ? []
      : ([[texts.failingSince, <Age key="failing" value={webhook.failingSince} />]] as const)),
    ...(webhook.oldSecretUntil === null
      ? []
      : ([[texts.oldSecretUntil, <Moment key="old" value={webhook.oldSecretUntil} />]] as const)),
    [texts.created, <Moment key="created" value={webhook.createdAt} />],
    [texts.createdBy, webhook.createdBy],
    [texts.changed, <Moment key="changed" value={webhook.updatedAt} />],
    [texts.id, <Identifier key="id" name={texts.id} value={webhook.id} />],
  ] as const

const PageLink = ({ to, text }: { readonly to: string; readonly text: string }): ReactNode => (
  <TextLink to={to}>{text}</TextLink>
)

function AccountLink({ id }: { readonly id: string }): ReactNode {
  const { api } = useSession()
  const account = useQuery({
    queryKey: ['account-name', id],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/api/admin/v1/accounts/{id}', { params: { path: { id } }, signal }))).name,
  })
  return <PageLink to={`/accounts/${id}`} text={account.data ?? id} />
}
