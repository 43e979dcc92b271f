/** Adds and changes a webhook. */
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { FormDialog, type FormField } from '../../parts/form-dialog.tsx'
import { useIdempotencyKey } from '../../parts/resource/use-idempotency-key.ts'
import type { LoadedResource } from '../../parts/resource/use-resource.ts'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { dialogTexts } from '../../texts/dialogs.ts'
import { webhookTexts as texts } from '../../texts/webhooks.ts'
import { accountsKey } from '../accounts/account-queries.ts'
import { useSession } from '../session/session.tsx'
import { changesOf, emptyForm, formOf, membersOf, type WebhookForm } from './webhook-form.ts'
import { type Webhook, webhooksKey } from './webhook-queries.ts'

const fields: readonly FormField[] = [
  { name: 'url', label: texts.url, hint: texts.urlHint, kind: 'text', isRequired: true },
  { name: 'description', label: texts.description, kind: 'text' },
  {
    name: 'lists',
    label: texts.lists,
    hint: texts.listsHint,
    kind: 'choices',
    choices: Object.entries(texts.listNames).map(([value, label]) => ({ value, label })),
  },
]

type AddProps = { readonly onAdded: (id: string) => void; readonly onClose: () => void }

type Added = { readonly id: string; readonly secret: string }

export function AddWebhook({ onAdded, onClose }: AddProps): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  const keyFor = useIdempotencyKey()
  const accounts = useAccountChoices()
  const [added, setAdded] = useState<Added>()
  if (added !== undefined) {
    const finish = () => {
      onClose()
      onAdded(added.id)
    }
    return <ShownSecret secret={added.secret} onClose={finish} />
  }
  return (
    <FormDialog
      title={texts.add}
      action={texts.addAction}
      initial={{ ...emptyForm, accountId: '' }}
      fields={[
        {
          name: 'accountId',
          label: texts.account,
          hint: texts.accountHint,
          kind: 'choice',
          choices: accounts.choices,
          onSearch: accounts.search,
          isRequired: true,
        },
        ...fields,
      ]}
      onSave={async ({ accountId, ...form }) => {
        const body = { accountId, ...membersOf(form) }
        const params = { header: { 'idempotency-key': keyFor(body) } }
        const { webhook, secret } = await dataOf(api.POST('/api/admin/v1/webhooks', { params, body }))
        void queries.invalidateQueries({ queryKey: webhooksKey })
        setAdded({ id: webhook.id, secret })
      }}
      closesWhenDone={false}
      onClose={onClose}
    />
  )
}

type ShownSecretProps = { readonly secret: string; readonly onClose: () => void }

export const ShownSecret = ({ secret, onClose }: ShownSecretProps): ReactNode => (
  <SecretOnce secret={secret} title={texts.secretTitle} copyLabel={texts.copySecret} onClose={onClose}>
    {texts.secretUse}
  </SecretOnce>
)

type ChangeProps = { readonly resource: LoadedResource<Webhook>; readonly onClose: () => void }

export function ChangeWebhook({ resource, onClose }: ChangeProps): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  // What the form began with: the webhook may be loaded again while the dialog is open.
  const [from] = useState(resource.seen)
  if (from === undefined) return null
  return (
    <FormDialog<WebhookForm>
      title={texts.editTitle}
      action={dialogTexts.save}
      initial={formOf(from.data)}
      fields={fields}
      onSave={async (form) => {
        await resource.change(
          (ifMatch) =>
            api.PATCH('/api/admin/v1/webhooks/{id}', {
              params: { path: { id: from.data.id }, header: { 'if-match': ifMatch } },
              body: changesOf(from.data, form),
            }),
          from,
        )
        void queries.invalidateQueries({ queryKey: webhooksKey })
      }}
      onClose={onClose}
    />
  )
}

const MOST_CHOICES = 50
const PAUSE_MS = 200

/** What a search by name, client or notes finds. */
function useAccountChoices() {
  const { api } = useSession()
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed, PAUSE_MS)
  const found = useQuery({
    queryKey: [...accountsKey, 'choices', text],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/admin/v1/accounts', {
          params: { query: given({ text: text || undefined, limit: MOST_CHOICES }) },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })
  const choices = (found.data?.items ?? []).map(({ id, clientNumber, name }) => ({
    value: id,
    label: `${clientNumber} ${name}`,
  }))
  // A choice puts its label into the field, which is nothing to search for.
  const search = (typed: string) => {
    if (!choices.some(({ label }) => label === typed)) setTyped(typed)
  }
  return { choices, search }
}
