/**
 * The client's labels. The API has no list of them, so they are those of the newest records; a label that none of these has can
 * be written by its name.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Api } from '../../api/client.ts'
import { readRecords } from '../list/read-records.ts'
import { defaultsOf, writeSort } from '../query/list-query.ts'
import { useSession } from '../session/session.tsx'
import type { ListName } from './list-fields.ts'

const SAMPLED_RECORDS = 500

type Labels = { readonly sorted: readonly string[]; readonly mostUsed: string | null }

const none: Labels = { sorted: [], mostUsed: null }

const labelsQuery = (api: Api, list: ListName) => ({
  queryKey: ['labels', list],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<Labels> => {
    const { records } = await readRecords(
      api,
      list,
      {
        $select: 'customDataFields',
        $orderby: writeSort(defaultsOf[list].sort),
        $top: SAMPLED_RECORDS,
      },
      { signal },
    )
    const used = records.flatMap(({ customDataFields }) => Object.keys(customDataFields ?? {}))
    const counts = new Map<string, number>()
    for (const label of used) counts.set(label, (counts.get(label) ?? 0) + 1)
    const sorted = [...counts.keys()].sort((a, b) => a.localeCompare(b))
    return {
      sorted,
      mostUsed: sorted.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))[0] ?? null,
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
})

/** Sorted; empty while they are being read. */
export function useLabels(list: ListName): readonly string[] {
  const { api } = useSession()
  const { data = none } = useQuery(labelsQuery(api, list))
  return data.sorted
}

/** The label that most records have: null when there is none, undefined while it is not known. */
export function useMostUsedLabel(list: ListName): {
  readonly label: string | null | undefined
  readonly error: Error | null
  readonly retry: () => void
} {
  const { api } = useSession()
  const { data, error, refetch } = useQuery(labelsQuery(api, list))
  return { label: data?.mostUsed, error: data === undefined ? error : null, retry: () => void refetch() }
}

/** For completion, which asks when it needs them. Empty when they cannot be read. */
export function useLabelReader(list: ListName): () => Promise<readonly string[]> {
  const { api } = useSession()
  const queries = useQueryClient()
  return useCallback(
    async () => (await queries.fetchQuery(labelsQuery(api, list)).catch(() => none)).sorted,
    [queries, api, list],
  )
}
