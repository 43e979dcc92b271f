/** How the service is set up and how it does, as the overview and the system page read it. */
import { queryOptions } from '@tanstack/react-query'
import type { paths } from '../../../generated/api.d.ts'
import { type Api, dataOf } from '../../api/client.ts'

export type System = paths['/api/admin/v1/system']['get']['responses'][200]['content']['application/json']

const REFETCH_MS = 30_000

export const systemQuery = (api: Api) =>
  queryOptions({
    queryKey: ['system'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/admin/v1/system', { signal })),
    refetchInterval: REFETCH_MS,
  })
