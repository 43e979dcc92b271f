/** Adds and changes a person. */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { FormDialog, type FormField } from '../../parts/form-dialog.tsx'
import { useIdempotencyKey } from '../../parts/resource/use-idempotency-key.ts'
import type { LoadedResource } from '../../parts/resource/use-resource.ts'
import { dialogTexts } from '../../texts/dialogs.ts'
import { personTexts as texts } from '../../texts/persons.ts'
import { useOrganizationChoices } from '../organizations/organization-choices.ts'
import { useSession } from '../session/session.tsx'
import {
  bodyOf,
  emptyPerson,
  formOf,
  nameOf,
  type Person,
  type PersonForm,
  personsKey,
} from './person-queries.ts'

type AddProps = {
  /** The organization that it is added from. */
  readonly organizationId?: string | undefined
  readonly onAdded: (id: string) => void
  readonly onClose: () => void
}

export function AddPerson({ organizationId, onAdded, onClose }: AddProps): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  const keyFor = useIdempotencyKey()
  const initial =
    organizationId === undefined ? emptyPerson : { ...emptyPerson, organizationIds: [organizationId] }
  return (
    <PersonDialog
      title={texts.add}
      action={texts.addAction}
      initial={initial}
      onSave={async (form) => {
        const body = bodyOf(form)
        const params = { header: { 'idempotency-key': keyFor(body) } }
        const { id } = await dataOf(api.POST('/api/admin/v1/persons', { params, body }))
        await queries.invalidateQueries({ queryKey: personsKey })
        onAdded(id)
      }}
      onClose={onClose}
    />
  )
}

type ChangeProps = { readonly resource: LoadedResource<Person>; readonly onClose: () => void }

export function ChangePerson({ resource, onClose }: ChangeProps): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  // What the form began with: the person may be loaded again while the dialog is open.
  const [from] = useState(resource.seen)
  if (from === undefined) return null
  return (
    <PersonDialog
      title={texts.editTitle(nameOf(from.data))}
      action={dialogTexts.save}
      initial={formOf(from.data)}
      onSave={async (form) => {
        await resource.change(
          (ifMatch) =>
            api.PUT('/api/admin/v1/persons/{id}', {
              params: { path: { id: from.data.id }, header: { 'if-match': ifMatch } },
              body: bodyOf(form),
            }),
          from,
        )
        await queries.invalidateQueries({ queryKey: personsKey })
      }}
      onClose={onClose}
    />
  )
}

type DialogProps = {
  readonly title: string
  readonly action: string
  readonly initial: PersonForm
  readonly onSave: (form: PersonForm) => Promise<void>
  readonly onClose: () => void
}

function PersonDialog(props: DialogProps): ReactNode {
  const { choices, search } = useOrganizationChoices(props.initial.organizationIds)
  const fields: readonly FormField[] = [
    { name: 'firstName', label: texts.firstName, kind: 'text' },
    { name: 'lastName', label: texts.lastName, kind: 'text', isRequired: true },
    { name: 'emailAddress', label: texts.email, kind: 'text', isRequired: true },
    {
      name: 'organizationIds',
      label: texts.organizations,
      hint: texts.organizationsHint,
      kind: 'choices',
      choices,
      onSearch: search,
      isRequired: true,
    },
    { name: 'userPrincipalName', label: texts.signIn, hint: texts.signInHint, kind: 'text' },
    { name: 'middleName', label: texts.middleName, kind: 'text' },
    { name: 'prefix', label: texts.prefix, kind: 'text' },
    { name: 'suffix', label: texts.suffix, kind: 'text' },
    { name: 'isActive', label: texts.isActive, kind: 'check' },
  ]
  return <FormDialog {...props} fields={fields} />
}
