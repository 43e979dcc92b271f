/**
 * The rows of a table, read in parts as they come into view. The first part says how many there are and pins the snapshot
 * that the others are read from. While another query loads, the rows of the one before stay. The rows are not replaced by those
 * of a newer snapshot until somebody asks for it: nothing moves under a reader.
 */
import {
  keepPreviousData,
  type UseQueryResult,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import type { ListName } from '../fields/list-fields.ts'
import { type ListQuery, queryParameters } from '../query/list-query.ts'
import { useSession } from '../session/session.tsx'
import { type ListRecord, selectOf } from './columns.ts'
import { type RecordsPart, readRecords } from './read-records.ts'

const PART_ROWS = 200

export type Records = {
  /** Undefined until the first answer. */
  readonly total: number | undefined
  /** Undefined while it is being read. */
  readonly at: (index: number) => ListRecord | undefined
  /** Whether the rows are those of the query before. */
  readonly isStale: boolean
  readonly error: Error | null
  /** Some rows could not be read; the others are there. */
  readonly partError: Error | null
  /** When the source of the rows was extracted. */
  readonly extractedAt: string | undefined
  readonly newer: NewerData
  readonly retry: () => void
}

/** What has come since the rows were read. */
type NewerData = {
  readonly isThere: boolean
  readonly isLoading: boolean
  readonly show: () => void
}

type Wanted = {
  /** The first and the last row in view. */
  readonly shown: readonly [first: number, last: number]
  /** Read even when it is out of view. */
  readonly active: number
}

export function useRecords(query: ListQuery, wanted: Wanted): Records {
  const { api } = useSession()
  const { list } = query
  const parameters = { ...queryParameters(query), $select: selectOf(query) }
  const key = ['records', list, parameters] as const
  const first = useQuery({
    queryKey: [...key, 0],
    queryFn: ({ signal }) => readRecords(api, list, { ...parameters, $top: PART_ROWS }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  })
  const answered = useRef<RecordsPart>(undefined)
  if (first.data !== undefined) answered.current = first.data
  const start = answered.current
  const snapshotId = first.data?.snapshotId
  const isCurrent = first.data !== undefined && !first.isPlaceholderData
  const parts = isCurrent ? partsOf(wanted, first.data.total) : []
  const others = useQueries({
    queries: parts.map((part) => ({
      queryKey: [...key, part, snapshotId],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        readRecords(
          api,
          list,
          { ...parameters, $top: PART_ROWS, $skip: part * PART_ROWS },
          { signal, snapshotId },
        ),
      // A snapshot does not change.
      staleTime: Number.POSITIVE_INFINITY,
    })),
  })
  const failure = others.find(({ error }) => error !== null)?.error ?? null
  const isGone = failure instanceof ApiProblem && failure.status === 410
  const refetch = first.refetch
  const newer = useNewerData(list, first)
  useEffect(() => {
    if (isGone) void refetch()
  }, [isGone, refetch])
  const read = new Map<number, RecordsPart | undefined>(
    parts.map((part, index) => [part, others[index]?.data]),
  )
  const at = (index: number) => {
    const part = Math.floor(index / PART_ROWS)
    const records = part === 0 ? start?.records : read.get(part)?.records
    return records?.[index % PART_ROWS]
  }
  return {
    total: start?.total,
    at,
    isStale: !isCurrent,
    // What was read stays when it cannot be read again in the background.
    error: isCurrent && !isGone ? null : first.error,
    partError: isGone ? null : failure,
    extractedAt: start?.extractedAt,
    newer: { ...newer, isThere: newer.isThere && isCurrent },
    retry: () => {
      void refetch()
      for (const other of others) if (other.error !== null) void other.refetch()
    },
  }
}

const LOOK_EVERY_MS = 300_000

/** Looks for a newer snapshot from time to time, and when the reader comes back to the page. */
function useNewerData(list: ListName, first: UseQueryResult<RecordsPart>): NewerData {
  const { api } = useSession()
  const queries = useQueryClient()
  const shown = first.data?.snapshotId
  const { data: newest } = useQuery({
    queryKey: ['newest-snapshot', list, shown],
    queryFn: async ({ signal }) => (await readRecords(api, list, { $top: 0 }, { signal })).snapshotId ?? null,
    initialData: shown,
    initialDataUpdatedAt: first.dataUpdatedAt,
    enabled: shown !== undefined,
    refetchInterval: LOOK_EVERY_MS,
  })
  return {
    isThere: shown !== undefined && typeof newest === 'string' && newest !== shown,
    isLoading: first.isFetching,
    show: () => {
      void first.refetch()
      void queries.invalidateQueries({ predicate: ({ queryKey: [kind] }) => !ofTable.has(String(kind)) })
    },
  }
}

/** What is keyed by its snapshot, and so read anew by itself. */
const ofTable: ReadonlySet<string> = new Set(['records', 'newest-snapshot'])

/** All but the first, which is always read. */
function partsOf({ shown: [first, last], active }: Wanted, total: number): readonly number[] {
  const partOf = (row: number) => Math.floor(Math.max(0, Math.min(row, total - 1)) / PART_ROWS)
  const parts = new Set([partOf(active)])
  for (let part = partOf(first); part <= partOf(last); part++) parts.add(part)
  parts.delete(0)
  return [...parts]
}
