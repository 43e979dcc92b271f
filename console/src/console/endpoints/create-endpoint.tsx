/** Asks for what an endpoint needs at least, and makes its draft. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { type Choice, FormDialog, type FormField } from '../../parts/form-dialog.tsx'
import { endpointTexts as texts } from '../../texts/scripts/endpoints.ts'
import type { EndpointDefinition } from '../scripting/definition-types.ts'
import { useSession } from '../session/session.tsx'
import { categories, methods } from './words.ts'

const choicesOf = (values: readonly string[]): readonly Choice[] =>
  values.map((value) => ({ value, label: value }))

const fields: readonly FormField[] = [
  { kind: 'text', name: 'name', label: texts.name, isRequired: true },
  {
    kind: 'choice',
    name: 'category',
    label: texts.category,
    choices: choicesOf(categories),
    isRequired: true,
  },
  {
    ...{ kind: 'choice', name: 'method', label: texts.method, hint: texts.methodHint },
    ...{ choices: choicesOf(methods), isRequired: true },
  },
  { kind: 'text', name: 'path', label: texts.path, hint: texts.pathHint },
]

/** The smallest script that answers. */
const script = 'Data._payload = { ok: true }\n'

type Props = { readonly onClose: () => void }

export function CreateEndpoint({ onClose }: Props): ReactNode {
  const { api } = useSession()
  const navigate = useNavigate()
  const queries = useQueryClient()
  return (
    <FormDialog
      title={texts.create}
      action={texts.createAction}
      fields={fields}
      initial={{ name: '', category: 'Utility', method: 'GET', path: '' }}
      onSave={async ({ name, category, method, path }) => {
        const place = path === '' ? { path: null, method: null } : { path, method }
        const body = { name, category, ...place, script } as EndpointDefinition
        const made = await dataOf(api.POST('/api/admin/v1/endpoints', { body }))
        await queries.invalidateQueries({ queryKey: ['endpoints'] })
        await navigate({ to: `/endpoints/${made.id}` })
      }}
      onClose={onClose}
    />
  )
}
