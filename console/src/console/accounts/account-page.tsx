/** One account: what it is, what it asked for, its webhooks and its history. */
import { Anchor } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Fields } from '../../parts/fields.tsx'
import { Identifier } from '../../parts/identifier.tsx'
import { Page } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource/use-resource.ts'
import { Columns, Section } from '../../parts/section.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { Age, Moment } from '../../parts/time.tsx'
import { accountTexts as texts } from '../../texts/accounts.ts'
import { useSession } from '../session/session.tsx'
import { AccountButtons } from './account-buttons.tsx'
import { AccountStateTone } from './account-columns.tsx'
import { AccountHistory } from './account-history.tsx'
import { type AccountWithHistory, accountKey } from './account-queries.ts'
import { AccountUsage } from './account-usage.tsx'
import { AccountWebhooks } from './account-webhooks.tsx'

export function AccountPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { readonly id: string }
  const { api, may } = useSession()
  const navigate = useNavigate()
  const resource = useResource<AccountWithHistory>({
    key: accountKey(id),
    read: (signal) =>
      api.GET('/api/admin/v1/accounts/{id}', { params: { path: { id } }, ...(signal && { signal }) }),
    ignored: ['lastUsedAt', 'history'],
  })
  const account = resource.seen?.data
  if (account === undefined) {
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
  const leave = () => void navigate({ to: '/accounts' })
  return (
    <Page
      title={account.name}
      note={<AccountStateTone account={account} />}
      actions={<AccountButtons account={account} resource={resource} onRemoved={leave} />}
    >
      <Columns>
        <Section title={texts.details}>
          <Fields fields={fieldsOf(account)} />
        </Section>
        {may('getAccountUsage') && <AccountUsage id={id} />}
      </Columns>
      {may('listWebhooks') && <AccountWebhooks id={id} />}
      <AccountHistory history={account.history} />
    </Page>
  )
}

const fieldsOf = (account: AccountWithHistory) =>
  [
    [
      texts.client,
      <Anchor
        key="client"
        inherit
        renderRoot={(props) => (
          <Link {...props} to={`/clients/${encodeURIComponent(account.clientNumber)}`} />
        )}
      >
        {account.clientNumber}
      </Anchor>,
    ],
    [texts.lastUsed, ageOr(texts.never, account.lastUsedAt)],
    [texts.expires, momentOr(texts.never, account.expiresAt)],
    [texts.created, <Moment key="created" value={account.createdAt} />],
    [texts.rotated, momentOr(texts.never, account.rotatedAt)],
    [texts.psk, momentOr(texts.noPsk, account.pskIssuedAt)],
    [texts.notes, account.notes],
    [texts.id, <Identifier key="id" name={texts.id} value={account.id} />],
  ] as const

const ageOr = (none: string, value: string | null): ReactNode =>
  value === null ? none : <Age value={value} />

const momentOr = (none: string, value: string | null): ReactNode =>
  value === null ? none : <Moment value={value} />
