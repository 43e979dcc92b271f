/**
 * The values that a field or label has in the records, the most frequent ones first, for suggestions. Where there are more than
 * are suggested at once, what has been written narrows them.
 */
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Api } from '../../api/client.ts'
import type { ListName } from '../fields/list-fields.ts'
import { readGroups } from '../list/read-records.ts'
import { useSession } from '../session/session.tsx'
import { containing } from './filter-fields.ts'

type KnownValue = { readonly value: string; readonly count: number }

export type KnownValues = {
  readonly values: readonly KnownValue[]
  /** Of the values that were asked for; more than there are here when only the most frequent ones were read. */
  readonly total: number
  /** Whether what is written decides which ones are read, because they are too many to read them all. */
  readonly isNarrowed: boolean
}

const SUGGESTED = 200
export const noValues: KnownValues = { values: [], total: 0, isNarrowed: false }

/** Time to write on before values are looked up. */
const PAUSE_MS = 150

/** @param written a part of the values; empty for all */
const valuesQuery = (api: Api, list: ListName, path: string, written: string) => ({
  queryKey: ['values', list, path, written],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<KnownValues> => {
    const { groups, total } = await readGroups(
      api,
      list,
      {
        ...(written !== '' && { $filter: containing(path, written) }),
        $apply: `groupby((${path} as value),aggregate($count as n))`,
        $orderby: 'n desc',
        $top: SUGGESTED,
      },
      { signal },
    )
    const values = groups.flatMap(({ value, n }) =>
      typeof value === 'string' ? [{ value, count: Number(n) }] : [],
    )
    return { values, total, isNarrowed: written !== '' || isCut({ values, total }) }
  },
  staleTime: 300_000,
})

/** Records without a value are counted in the total. */
export const isCut = ({ values, total }: Pick<KnownValues, 'values' | 'total'>): boolean =>
  total > values.length + 1

/**
 * @param path undefined where there is nothing to suggest
 * @param written so far
 */
export function useValues(list: ListName, path: string | undefined, written: string): KnownValues {
  const { api } = useSession()
  const [paused] = useDebouncedValue(written, PAUSE_MS)
  const isAsked = path !== undefined
  const { data: frequent = noValues } = useQuery({
    ...valuesQuery(api, list, path ?? '', ''),
    enabled: isAsked,
  })
  const { data: found } = useQuery({
    ...valuesQuery(api, list, path ?? '', paused),
    enabled: isAsked && paused !== '' && isCut(frequent),
    placeholderData: keepPreviousData,
  })
  if (!isAsked) return noValues
  return written === '' || !isCut(frequent) ? frequent : (found ?? frequent)
}

/** For completion, which asks when it needs them. Empty when they cannot be read. */
export function useValueReader(list: ListName): (path: string, written: string) => Promise<KnownValues> {
  const { api } = useSession()
  const queries: QueryClient = useQueryClient()
  return useCallback(
    async (path, written) => {
      const read = (text: string) =>
        queries.fetchQuery(valuesQuery(api, list, path, text)).catch(() => noValues)
      const frequent = await read('')
      return written === '' || !isCut(frequent) ? frequent : await read(written)
    },
    [queries, api, list],
  )
}
