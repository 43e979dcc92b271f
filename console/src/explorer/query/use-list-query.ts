/** The query of the list page that is shown, kept in its address. */
import { useRouter, useRouterState } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { useAddress } from '../../parts/use-address.ts'
import { type ListName, listNames } from '../fields/list-fields.ts'
import { type ListQuery, readQuery, writeQuery } from './list-query.ts'

export type ListAddress = {
  readonly query: ListQuery
  /** Changes some members of the query; a change of the filter is a step that Back undoes. */
  readonly change: (changes: Partial<Omit<ListQuery, 'list'>>) => void
}

export function useListQuery(): ListAddress {
  const list = useRouterState({ select: ({ location }) => listOf(location.pathname) })
  const router = useRouter()
  const [{ filter, orderby, columns, pinned, widths }, changeAddress] = useAddress()
  const query = useMemo(
    () => readQuery(list, { filter, orderby, columns, pinned, widths }),
    [list, filter, orderby, columns, pinned, widths],
  )
  const change = useCallback(
    (changes: Partial<Omit<ListQuery, 'list'>>) => {
      // What was written last may come when another page is shown, whose address it must not change.
      if (router.state.location.pathname !== `/${list}`) return
      changeAddress(writeQuery({ ...query, ...changes }), changes.filter === undefined ? 'replace' : 'push')
    },
    [router, list, query, changeAddress],
  )
  return { query, change }
}

const listOf = (path: string): ListName => listNames.find((name) => path === `/${name}`) ?? 'bookings'
