/** Adds, changes and deletes a secret. The value is write-only: left empty, the present one stays. */
import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { FormDialog, type FormField } from '../../parts/form-dialog.tsx'
import { orNull } from '../../parts/form-values.ts'
import { FailedDialog } from '../../parts/resource/failed-dialog.tsx'
import { useFirst } from '../../parts/resource/use-first.ts'
import { useResource } from '../../parts/resource/use-resource.ts'
import { TypedConfirmDialog } from '../../parts/typed-confirm-dialog.tsx'
import { dialogTexts } from '../../texts/dialogs.ts'
import { secretTexts as texts } from '../../texts/secrets.ts'
import { useSession } from '../session/session.tsx'
import { type Secret, secretsKey } from './secrets-page.tsx'

const described: readonly FormField[] = [
  { name: 'description', label: texts.description, hint: texts.descriptionHint, kind: 'area' },
  { name: 'expires', label: texts.expires, hint: texts.expiresHint, kind: 'text' },
  { name: 'isActive', label: texts.isActive, kind: 'check' },
]

type Closing = { readonly onClose: () => void }

export function AddSecret({ onClose }: Closing): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  return (
    <FormDialog
      title={texts.add}
      action={texts.addAction}
      initial={{ name: '', value: '', description: '', expires: '', isActive: true }}
      fields={[
        { name: 'name', label: texts.name, hint: texts.nameHint, kind: 'text', isRequired: true },
        { name: 'value', label: texts.value, hint: texts.valueHint, kind: 'secret', isRequired: true },
        ...described,
      ]}
      onSave={async ({ name, value, description, expires, isActive }) => {
        await dataOf(
          api.PUT('/api/admin/v1/secrets/{name}', {
            params: { path: { name: name.trim() } },
            body: { value, description: orNull(description), expiresAt: orNull(expires), isActive },
          }),
        ).catch((cause: unknown) => {
          // Without a version the service changes no secret that there is.
          throw cause instanceof ApiProblem && cause.status === 428
            ? new Error(texts.exists(name.trim()))
            : cause
        })
        await queries.invalidateQueries({ queryKey: secretsKey })
      }}
      onClose={onClose}
    />
  )
}

export function ChangeSecret({ name, onClose }: Closing & { readonly name: string }): ReactNode {
  const { api, may } = useSession()
  const queries = useQueryClient()
  const [isRemoving, setRemoving] = useState(false)
  const path = { name }
  const resource = useResource<Secret>({
    key: ['secret', name],
    read: (signal) =>
      api.GET('/api/admin/v1/secrets/{name}', { params: { path }, ...(signal && { signal }) }),
  })
  const seen = useFirst(resource.seen)
  if (seen === undefined) {
    return resource.error === null ? null : (
      <FailedDialog
        title={texts.editTitle(name)}
        error={resource.error}
        onRetry={resource.retry}
        onClose={onClose}
      />
    )
  }
  const refresh = () => queries.invalidateQueries({ queryKey: secretsKey })
  if (isRemoving) {
    return (
      <TypedConfirmDialog
        isOpen
        title={texts.removeTitle(name)}
        name={name}
        action={texts.remove}
        onConfirm={async () => {
          await resource.remove((ifMatch) =>
            api.DELETE('/api/admin/v1/secrets/{name}', { params: { path, header: { 'if-match': ifMatch } } }),
          )
          await refresh()
        }}
        onClose={onClose}
      >
        <Text>{texts.removeText}</Text>
      </TypedConfirmDialog>
    )
  }
  const { description, expiresAt, isActive } = seen.data
  return (
    <FormDialog
      title={texts.editTitle(name)}
      action={dialogTexts.save}
      initial={{ value: '', description: description ?? '', expires: expiresAt ?? '', isActive }}
      fields={[{ name: 'value', label: texts.value, hint: texts.newValueHint, kind: 'secret' }, ...described]}
      onSave={async (form) => {
        await resource.change(
          (ifMatch) =>
            api.PUT('/api/admin/v1/secrets/{name}', {
              params: { path, header: { 'if-match': ifMatch } },
              body: {
                ...(form.value !== '' && { value: form.value }),
                description: orNull(form.description),
                expiresAt: orNull(form.expires),
                isActive: form.isActive,
              },
            }),
          seen,
        )
        await refresh()
      }}
      onClose={onClose}
    >
      {may('removeSecret') && (
        <Button variant="default" size="xs" c="var(--tone-bad)" onClick={() => setRemoving(true)}>
          {texts.remove}
        </Button>
      )}
    </FormDialog>
  )
}
