/** Adds and changes an organization; another parent moves it. */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { FormDialog, type FormField } from '../../parts/form-dialog.tsx'
import { useIdempotencyKey } from '../../parts/resource/use-idempotency-key.ts'
import type { LoadedResource } from '../../parts/resource/use-resource.ts'
import { dialogTexts } from '../../texts/dialogs.ts'
import { organizationTexts as texts } from '../../texts/organizations.ts'
import { useSession } from '../session/session.tsx'
import { useOrganizationChoices } from './organization-choices.ts'
import {
  bodyOf,
  emptyOrganization,
  formOf,
  type Organization,
  type OrganizationForm,
  organizationsKey,
} from './organization-queries.ts'

type AddProps = {
  readonly parentId?: string
  readonly onAdded: (id: string) => void
  readonly onClose: () => void
}

export function AddOrganization({ parentId = '', onAdded, onClose }: AddProps): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  const keyFor = useIdempotencyKey()
  return (
    <OrganizationDialog
      title={texts.add}
      action={texts.addAction}
      initial={{ ...emptyOrganization, parent: parentId }}
      onSave={async (form) => {
        const body = bodyOf(form)
        const params = { header: { 'idempotency-key': keyFor(body) } }
        const { id } = await dataOf(api.POST('/api/admin/v1/organizations', { params, body }))
        await queries.invalidateQueries({ queryKey: organizationsKey })
        onAdded(id)
      }}
      onClose={onClose}
    />
  )
}

type ChangeProps = { readonly resource: LoadedResource<Organization>; readonly onClose: () => void }

export function ChangeOrganization({ resource, onClose }: ChangeProps): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  // What the form began with: the organization may be loaded again while the dialog is open.
  const [from] = useState(resource.seen)
  if (from === undefined) return null
  return (
    <OrganizationDialog
      title={texts.editTitle(from.data.name)}
      action={dialogTexts.save}
      initial={formOf(from.data)}
      onSave={async (form) => {
        await resource.change(
          (ifMatch) =>
            api.PUT('/api/admin/v1/organizations/{id}', {
              params: { path: { id: from.data.id }, header: { 'if-match': ifMatch } },
              body: bodyOf(form),
            }),
          from,
        )
        await queries.invalidateQueries({ queryKey: organizationsKey })
        await queries.invalidateQueries({ queryKey: ['organization-name'] })
      }}
      onClose={onClose}
    />
  )
}

type DialogProps = {
  readonly title: string
  readonly action: string
  readonly initial: OrganizationForm
  readonly onSave: (form: OrganizationForm) => Promise<void>
  readonly onClose: () => void
}

function OrganizationDialog(props: DialogProps): ReactNode {
  const { parent } = props.initial
  const { choices, search } = useOrganizationChoices(parent === '' ? [] : [parent])
  const fields: readonly FormField[] = [
    { name: 'name', label: texts.name, hint: texts.nameHint, kind: 'text', isRequired: true },
    { name: 'number', label: texts.number, hint: texts.numberHint, kind: 'text' },
    {
      name: 'parent',
      label: texts.parent,
      hint: texts.parentHint,
      kind: 'choice',
      choices,
      onSearch: search,
    },
    { name: 'description', label: texts.description, kind: 'area' },
    { name: 'isActive', label: texts.isActive, kind: 'check' },
  ]
  return <FormDialog {...props} fields={fields} />
}
