/** What a file of admin routes is: it adds its routes, each a row, over what the composition root hands in. */
import type { FastifyInstance } from 'fastify'
import type { VerifyToken } from '../auth/tokens/verifier.ts'
import type { EndpointOperations } from '../automation/operations/endpoint-operations.ts'
import type { ControlStore } from '../directory/control-store.ts'
import type { History } from '../directory/history/history.ts'
import type { Refreshing } from '../ingest/refresh/refresh-state.ts'
import type { Observe } from '../observe/observation.ts'
import type { Manifests } from '../snapshot/manifests.ts'
import type { AddRoute, RefuseAdmin } from './admin-route.ts'

export type AdminDeps = {
  readonly verifyToken: VerifyToken
  /** How callers without a good token are refused; each with a 401 unless given. */
  readonly refuse?: RefuseAdmin
  readonly store: ControlStore
  readonly history: History
  readonly operations: EndpointOperations
  readonly observe: Observe
  readonly dataFolder: string
  readonly manifests: Pick<Manifests, 'published' | 'intact'>
  readonly currentSnapshotId: () => string | null
  readonly refreshing: Refreshing
}

/** The scope is for hooks alone. */
export type ResourceRoutes = (add: AddRoute, deps: AdminDeps, scope: FastifyInstance) => void
