/** The values that a field or label has in the records, the most frequent ones first, for suggestions. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Api } from '../../api/client.ts'
import type { ListName } from '../fields/list-fields.ts'
import { readGroups } from '../list/read-records.ts'
import { useSession } from '../session/session.tsx'

export type KnownValue = { readonly value: string; readonly count: number }

const SUGGESTED = 200
const none: readonly KnownValue[] = []

const valuesQuery = (api: Api, list: ListName, path: string) => ({
  queryKey: ['values', list, path],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<readonly KnownValue[]> => {
    const groups = await readGroups(
      api,
      list,
      {
        $apply: `groupby((${path} as value),aggregate($count as n))`,
        $orderby: 'n desc',
        $top: SUGGESTED,
      },
      { signal },
    )
    return groups.flatMap(({ value, n }) => (typeof value === 'string' ? [{ value, count: Number(n) }] : []))
  },
  staleTime: 300_000,
})

/** @param path undefined where there is nothing to suggest */
export function useValues(list: ListName, path: string | undefined): readonly KnownValue[] {
  const { api } = useSession()
  const { data = none } = useQuery({ ...valuesQuery(api, list, path ?? ''), enabled: path !== undefined })
  return path === undefined ? none : data
}

/** For completion, which asks when it needs them. Empty when they cannot be read. */
export function useValueReader(list: ListName): (path: string) => Promise<readonly KnownValue[]> {
  const { api } = useSession()
  const queries: QueryClient = useQueryClient()
  return useCallback(
    (path) => queries.fetchQuery(valuesQuery(api, list, path)).catch(() => none),
    [queries, api, list],
  )
}
