/** What operators hold, as every page reads it. */
import { queryOptions } from '@tanstack/react-query'
import type { paths } from '../../../generated/api.d.ts'
import { type Api, dataOf } from '../../api/client.ts'

export type Hold =
  paths['/api/admin/v1/holds']['get']['responses'][200]['content']['application/json']['items'][number]

export const holdsKey = ['holds'] as const

/** Somebody may hold it elsewhere. */
const REFETCH_MS = 10_000

export const holdsQuery = (api: Api) =>
  queryOptions({
    queryKey: holdsKey,
    queryFn: ({ signal }) => dataOf(api.GET('/api/admin/v1/holds', { signal })),
    refetchInterval: REFETCH_MS,
  })

/** The operation without which holding is not offered. */
export const holdRights: { readonly [Subject in Hold['subject']]: string } = {
  outbound: 'holdOutbound',
  schedules: 'holdSchedules',
  refreshes: 'holdRefreshes',
}

/** The operation without which resuming is not offered. */
export const resumeRights: { readonly [Subject in Hold['subject']]: string } = {
  outbound: 'resumeOutbound',
  schedules: 'resumeSchedules',
  refreshes: 'resumeRefreshes',
}
