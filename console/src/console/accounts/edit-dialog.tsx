/** Changes name, expiry and notes of an account. */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import type { LoadedResource } from '../../parts/resource/use-resource.ts'
import { accountTexts as texts } from '../../texts/accounts.ts'
import { dialogTexts } from '../../texts/dialogs.ts'
import { useSession } from '../session/session.tsx'
import { AccountFields } from './account-fields.tsx'
import { changesOf, emptyForm, formOf } from './account-form.ts'
import { type AccountWithHistory, accountsKey } from './account-queries.ts'

type Props = { readonly resource: LoadedResource<AccountWithHistory>; readonly onClose: () => void }

export function EditDialog({ resource, onClose }: Props): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  // What the form began with: the account may be loaded again while the dialog is open.
  const [from] = useState(resource.seen)
  const [form, setForm] = useState(from === undefined ? emptyForm : formOf(from.data))
  const changes = from === undefined ? {} : changesOf(from.data, form)
  const save = async () => {
    if (from === undefined) return
    await resource.change(
      (ifMatch) =>
        api.PATCH('/api/admin/v1/accounts/{id}', {
          params: { path: { id: from.data.id }, header: { 'if-match': ifMatch } },
          body: changes,
        }),
      from,
    )
    void queries.invalidateQueries({ queryKey: accountsKey })
  }
  return (
    <ConfirmDialog
      isOpen
      title={texts.editTitle}
      action={dialogTexts.save}
      isReady={Object.keys(changes).length > 0 && form.name.trim() !== ''}
      onConfirm={save}
      onClose={onClose}
    >
      <AccountFields form={form} isFirst onChange={setForm} />
    </ConfirmDialog>
  )
}
