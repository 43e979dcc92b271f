/** Asks for the name of a module and makes its draft. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { FormDialog, type FormField } from '../../parts/form-dialog.tsx'
import { moduleTexts as texts } from '../../texts/scripts/modules.ts'
import { useSession } from '../session/session.tsx'

const fields: readonly FormField[] = [
  { kind: 'text', name: 'name', label: texts.name, hint: texts.nameHint, isRequired: true },
  { kind: 'text', name: 'description', label: texts.description },
]

type Props = { readonly onClose: () => void }

export function CreateModule({ onClose }: Props): ReactNode {
  const { api } = useSession()
  const navigate = useNavigate()
  const queries = useQueryClient()
  return (
    <FormDialog
      title={texts.create}
      action={texts.createAction}
      fields={fields}
      initial={{ name: '', description: '' }}
      onSave={async ({ name, description }) => {
        const body = { name: name.trim(), description, script: '' }
        const made = await dataOf(api.POST('/api/admin/v1/modules', { body }))
        await queries.invalidateQueries({ queryKey: ['modules'] })
        await navigate({ to: `/modules/${made.name}` })
      }}
      onClose={onClose}
    />
  )
}
