/** Adds, changes and deletes a facet definition. */
import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { FormDialog, type FormField } from '../../parts/form-dialog.tsx'
import { FailedDialog } from '../../parts/resource/failed-dialog.tsx'
import { useFirst } from '../../parts/resource/use-first.ts'
import { useIdempotencyKey } from '../../parts/resource/use-idempotency-key.ts'
import { useResource } from '../../parts/resource/use-resource.ts'
import { TypedConfirmDialog } from '../../parts/typed-confirm-dialog.tsx'
import { dialogTexts } from '../../texts/dialogs.ts'
import { facetTexts as texts } from '../../texts/facets.ts'
import { useSession } from '../session/session.tsx'
import { type FacetDefinition, facetsKey } from './facets-page.tsx'

const choicesOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))

const fields: readonly FormField[] = [
  {
    name: 'resourceType',
    label: texts.resourceType,
    kind: 'choice',
    choices: choicesOf(texts.resourceTypes),
    isRequired: true,
  },
  { name: 'category', label: texts.category, hint: texts.categoryHint, kind: 'text', isRequired: true },
  { name: 'name', label: texts.name, kind: 'text', isRequired: true },
  { name: 'description', label: texts.description, kind: 'area' },
  { name: 'values', label: texts.values, hint: texts.valuesHint, kind: 'tags' },
  { name: 'allowFreeText', label: texts.allowFreeText, kind: 'check' },
  { name: 'allowMultipleValues', label: texts.allowMultipleValues, kind: 'check' },
  {
    name: 'dataSensitivity',
    label: texts.sensitivity,
    kind: 'choice',
    choices: choicesOf(texts.sensitivities),
    isRequired: true,
  },
  { name: 'isCritical', label: texts.isCritical, kind: 'check' },
  { name: 'isActive', label: texts.isActive, kind: 'check' },
]

type Form = Pick<
  FacetDefinition,
  | 'resourceType'
  | 'category'
  | 'name'
  | 'description'
  | 'values'
  | 'allowFreeText'
  | 'allowMultipleValues'
  | 'dataSensitivity'
  | 'isCritical'
  | 'isActive'
>

const emptyForm: Form = {
  ...{ resourceType: 'Organization', category: '', name: '', description: '', values: [] },
  ...{ allowFreeText: true, allowMultipleValues: false, dataSensitivity: 'Internal', isCritical: false },
  isActive: true,
}

function formOf(definition: FacetDefinition): Form {
  const members = Object.keys(emptyForm) as (keyof Form)[]
  return Object.fromEntries(members.map((name) => [name, definition[name]])) as unknown as Form
}

type Closing = { readonly onClose: () => void }

export function AddFacet({ onClose }: Closing): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  const keyFor = useIdempotencyKey()
  return (
    <FormDialog
      title={texts.add}
      action={texts.addAction}
      initial={emptyForm}
      fields={fields}
      onSave={async (body) => {
        const params = { header: { 'idempotency-key': keyFor(body) } }
        await dataOf(api.POST('/api/admin/v1/facet-definitions', { params, body }))
        await queries.invalidateQueries({ queryKey: facetsKey })
      }}
      onClose={onClose}
    />
  )
}

export function ChangeFacet({ id, onClose }: Closing & { readonly id: string }): ReactNode {
  const { api, may } = useSession()
  const queries = useQueryClient()
  const [isRemoving, setRemoving] = useState(false)
  const path = { id }
  const resource = useResource<FacetDefinition>({
    key: ['facet', id],
    read: (signal) =>
      api.GET('/api/admin/v1/facet-definitions/{id}', { params: { path }, ...(signal && { signal }) }),
  })
  const seen = useFirst(resource.seen)
  if (seen === undefined) {
    return resource.error === null ? null : (
      <FailedDialog title={texts.title} error={resource.error} onRetry={resource.retry} onClose={onClose} />
    )
  }
  const { name } = seen.data
  const refresh = () => queries.invalidateQueries({ queryKey: facetsKey })
  if (isRemoving) {
    return (
      <TypedConfirmDialog
        isOpen
        title={texts.removeTitle(name)}
        name={name}
        action={texts.remove}
        onConfirm={async () => {
          await resource.remove((ifMatch) =>
            api.DELETE('/api/admin/v1/facet-definitions/{id}', {
              params: { path, header: { 'if-match': ifMatch } },
            }),
          )
          await refresh()
        }}
        onClose={onClose}
      >
        <Text>{texts.removeText}</Text>
      </TypedConfirmDialog>
    )
  }
  return (
    <FormDialog
      title={texts.editTitle(name)}
      action={dialogTexts.save}
      initial={formOf(seen.data)}
      fields={fields}
      onSave={async (body) => {
        await resource.change(
          (ifMatch) =>
            api.PUT('/api/admin/v1/facet-definitions/{id}', {
              params: { path, header: { 'if-match': ifMatch } },
              body,
            }),
          seen,
        )
        await refresh()
      }}
      onClose={onClose}
    >
      {may('removeFacetDefinition') && (
        <Button variant="default" size="xs" c="var(--tone-bad)" onClick={() => setRemoving(true)}>
          {texts.remove}
        </Button>
      )}
    </FormDialog>
  )
}
