/** Issues an account, and shows its key once. */
import { Autocomplete } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { useIdempotencyKey } from '../../parts/resource/use-idempotency-key.ts'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { accountTexts as texts } from '../../texts/accounts.ts'
import { useSession } from '../session/session.tsx'
import { AccountFields } from './account-fields.tsx'
import { emptyForm, membersOf } from './account-form.ts'
import { accountsKey } from './account-queries.ts'

type Props = {
  /** Of the page it is issued from. */
  readonly client: string | undefined
  readonly onIssued: (id: string) => void
  readonly onClose: () => void
}

type Issued = { readonly id: string; readonly name: string; readonly apiKey: string }

export function IssueDialog({ client, onIssued, onClose }: Props): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  const keyFor = useIdempotencyKey()
  const [number, setNumber] = useState(client ?? '')
  const [form, setForm] = useState(emptyForm)
  const [issued, setIssued] = useState<Issued>()
  const issue = async () => {
    const body = { clientNumber: number.trim(), ...membersOf(form) }
    const { account, apiKey } = await dataOf(
      api.POST('/api/admin/v1/accounts', { params: { header: { 'idempotency-key': keyFor(body) } }, body }),
    )
    setIssued({ id: account.id, name: account.name, apiKey })
    void queries.invalidateQueries({ queryKey: accountsKey })
  }
  if (issued !== undefined) {
    return (
      <SecretOnce
        secret={issued.apiKey}
        title={texts.keyTitle(issued.name)}
        copyLabel={texts.copyKey}
        onClose={() => {
          onClose()
          onIssued(issued.id)
        }}
      />
    )
  }
  return (
    <ConfirmDialog
      isOpen
      title={texts.issue}
      action={texts.issueAction}
      isReady={number.trim() !== '' && form.name.trim() !== ''}
      closesWhenDone={false}
      onConfirm={issue}
      onClose={onClose}
    >
      <ClientField number={number} isFirst={client === undefined} onChange={setNumber} />
      <AccountFields form={form} isFirst={client !== undefined} onChange={setForm} />
    </ConfirmDialog>
  )
}

type ClientFieldProps = {
  readonly number: string
  readonly isFirst: boolean
  readonly onChange: (number: string) => void
}

/** Offers the clients of the snapshot by number and name; other numbers are good, too. */
function ClientField({ number, isFirst, onChange }: ClientFieldProps): ReactNode {
  const { api } = useSession()
  const [text] = useDebouncedValue(number, 200)
  const found = useQuery({
    queryKey: ['clients', 'offered', text],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/admin/v1/clients', { params: { query: { text, limit: 20 } }, signal })),
    placeholderData: keepPreviousData,
  })
  const clients = found.data?.items ?? []
  const nameOf = new Map(clients.map((one) => [one.number, one.name]))
  return (
    <Autocomplete
      label={texts.clientNumber}
      description={texts.clientHint}
      value={number}
      onChange={onChange}
      data={clients.map((one) => one.number)}
      filter={({ options }) => options}
      renderOption={({ option }) => `${option.value} ${nameOf.get(option.value) ?? ''}`}
      maxLength={20}
      required
      // The list comes with the first letter: before, it would cover the other fields.
      openOnFocus={false}
      {...(isFirst && { 'data-autofocus': true })}
      comboboxProps={{ withinPortal: true }}
    />
  )
}
