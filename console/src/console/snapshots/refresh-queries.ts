/** What the pages of snapshots and refreshes read, and the names under which it is kept. */
import type { components, paths } from '../../../generated/api.d.ts'

type Json<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } }
}
  ? Body
  : never

export type Snapshot = Json<'/api/admin/v1/snapshots'>['items'][number]
export type Refresh = Json<'/api/admin/v1/refreshes'>['items'][number]
export type RefreshRecord = Json<'/api/admin/v1/refreshes/{id}'>
export type RefreshOutcome = Refresh['outcome']
export type RejectGroup = components['schemas']['RejectGroup']
export type Reject = Json<'/api/admin/v1/snapshots/{id}/rejects'>['items'][number]

export const snapshotsKey = ['snapshots'] as const
export const refreshesKey = ['refreshes'] as const

/** What a refresh changes, wherever it is shown. */
export const keysOfARefresh = [snapshotsKey, refreshesKey, ['clients'], ['client'], ['system']] as const
