/** What the pages of accounts read, and the names under which it is kept. */
import type { paths } from '../../../generated/api.d.ts'

export type Account =
  paths['/api/admin/v1/accounts']['get']['responses'][200]['content']['application/json']['items'][number]
export type AccountWithHistory =
  paths['/api/admin/v1/accounts/{id}']['get']['responses'][200]['content']['application/json']

export const accountKey = (id: string) => ['account', id] as const
export const accountsKey = ['accounts'] as const
