/** Organizations to choose from in a form: what a search finds, and those that are chosen already. */
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import type { Choice } from '../../parts/form-dialog.tsx'
import { useSession } from '../session/session.tsx'
import { nameQuery, organizationsKey, titleOf } from './organization-queries.ts'

const MOST_CHOICES = 50
const PAUSE_MS = 200

type Choices = { readonly choices: readonly Choice[]; readonly search: (text: string) => void }

export function useOrganizationChoices(chosen: readonly string[]): Choices {
  const { api } = useSession()
  const [typed, search] = useState('')
  const [text] = useDebouncedValue(typed, PAUSE_MS)
  const found = useQuery({
    queryKey: [...organizationsKey, 'choices', text],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/admin/v1/organizations', {
          params: { query: given({ text: text || undefined, limit: MOST_CHOICES }) },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })
  const known = useQueries({ queries: chosen.map((id) => nameQuery(api, id)) })
  const choices = new Map<string, string>()
  for (const [index, { data }] of known.entries()) {
    if (data !== undefined) choices.set(chosen[index] as string, titleOf(data))
  }
  for (const one of found.data?.items ?? []) choices.set(one.id, titleOf(one))
  return { choices: [...choices].map(([value, label]) => ({ value, label })), search }
}
