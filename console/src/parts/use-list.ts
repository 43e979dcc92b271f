/** Reads a list of the admin API page by page: `{items, next, total}`, where `next` is the cursor of the page after. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'

type ListPage<Row> = { readonly items: readonly Row[]; readonly next: string | null; readonly total?: number }

export type LoadedList<Row> = {
  readonly rows: readonly Row[]
  /** Of all pages; as many as there are rows when the API does not say. */
  readonly total: number
  readonly isLoading: boolean
  readonly isLoadingMore: boolean
  readonly error: Error | null
  readonly retry: () => void
  /** Undefined on the last page. */
  readonly more: (() => void) | undefined
}

type ListOptions<Row> = {
  /** Names the list and all its parameters. */
  readonly key: readonly unknown[]
  readonly read: (after: string | undefined, signal: AbortSignal) => Promise<ListPage<Row>>
  readonly refetchMs?: number
  readonly isEnabled?: boolean
}

/** While other parameters load, the rows of the parameters before stay, so that nothing blinks. */
export function useList<Row>({ key, read, refetchMs, isEnabled = true }: ListOptions<Row>): LoadedList<Row> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    enabled: isEnabled,
    ...(refetchMs !== undefined && { refetchInterval: refetchMs }),
  })
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? []
  return {
    rows,
    total: query.data?.pages.at(-1)?.total ?? rows.length,
    isLoading: query.isLoading,
    isLoadingMore: query.isFetchingNextPage,
    error: query.error,
    retry: () => void query.refetch(),
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
  }
}
