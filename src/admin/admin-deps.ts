/** The dependencies of the admin API, from the composition root, and the type of a file of admin routes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ReadOperatorRoles } from '../auth/operator-roles.ts'
import type { VerifyToken } from '../auth/tokens/verifier.ts'
import type { LiveControl } from '../automation/live/live-control.ts'
import type { EndpointOperations } from '../automation/operations/endpoint-operations.ts'
import type { Config } from '../config/load-config.ts'
import type { ControlStore } from '../directory/control-store.ts'
import type { History } from '../directory/history/history.ts'
import type { Refreshing } from '../ingest/refresh/refresh-state.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Observe } from '../observe/observation.ts'
import type { TargetRules } from '../outbound/target.ts'
import type { ListName } from '../schema/datasets.ts'
import type { StepSource } from '../snapshot/changes/step-store.ts'
import type { Manifests } from '../snapshot/manifests.ts'
import type { RefuseAdmin } from './admin-guard.ts'
import type { AddRoute } from './admin-route.ts'

/**
 * Answers a list of version 2, with the parameters and headers of the request, as its client gets it.
 * `beforeAnswer` is called once when the request is understood, before anything is sent.
 */
type SendRecords = (
  list: ListName,
  request: FastifyRequest,
  reply: FastifyReply,
  reader: {
    readonly principal: Principal
    readonly beforeAnswer: (answer: { readonly snapshotId: string }) => Promise<void>
  },
) => Promise<FastifyReply>

export type AdminDeps = {
  readonly verifyToken: VerifyToken
  readonly operatorRoles: ReadOperatorRoles
  /** Decides how callers without a valid token are refused; by default each with 401. */
  readonly refuse?: RefuseAdmin
  readonly config: Config
  /** How many threads answer requests, and how many run scripts. */
  readonly threads: { readonly api: number; readonly script: number }
  readonly store: ControlStore
  readonly history: History
  readonly operations: EndpointOperations
  readonly live: LiveControl
  readonly observe: Observe
  readonly dataFolder: string
  readonly manifests: Pick<Manifests, 'published' | 'intact' | 'source'>
  /** What is known of changes between snapshots. */
  readonly steps: StepSource
  readonly currentSnapshotId: () => string | null
  readonly sendRecords: SendRecords
  readonly refreshing: Refreshing
  /** Where webhooks may be sent. */
  readonly targetRules: TargetRules
}

/** Adds the routes of one resource. The scope is only for hooks. */
export type ResourceRoutes = (add: AddRoute, deps: AdminDeps, scope: FastifyInstance) => void
