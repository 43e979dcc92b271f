/**
 * The admin API (`/api/admin/v1`): everything that operators read and change, for tokens with a role that the route asks for;
 * and the notifications of each user (`/api/notifications/v1`), for any valid token.
 * Each resource has a file of routes; this file registers them.
 */
import type { FastifyInstance } from 'fastify'
import { accountRoutes } from './accounts/account-routes.ts'
import { auditRoutes } from './accounts/audit-routes.ts'
import { clientRoutes } from './accounts/client-routes.ts'
import { tenantRoutes } from './accounts/tenant-routes.ts'
import { usageRoutes } from './accounts/usage-routes.ts'
import type { AdminDeps, ResourceRoutes } from './admin-deps.ts'
import { type AdminOperation, MOST_BODY_BYTES, NOTIFICATIONS_PREFIX, routeAdder } from './admin-route.ts'
import { endpointRoutes } from './endpoints/endpoint-routes.ts'
import { executionBatchRoutes } from './endpoints/execution-batch-routes.ts'
import { executionRoutes } from './endpoints/execution-routes.ts'
import { executionSeriesRoutes } from './endpoints/execution-series-routes.ts'
import { functionRoutes } from './endpoints/function-routes.ts'
import { liveRoutes } from './endpoints/live-routes.ts'
import { moduleRoutes } from './endpoints/module-routes.ts'
import { secretRoutes } from './endpoints/secret-routes.ts'
import { stateRoutes } from './endpoints/state-routes.ts'
import { trialRoutes } from './endpoints/trial-routes.ts'
import { endpointVersionRoutes } from './endpoints/version-routes.ts'
import { holdRoutes } from './holds/hold-routes.ts'
import { jsonBodies } from './json-bodies.ts'
import { meRoutes } from './me/me-routes.ts'
import { signInRoutes } from './me/sign-in-routes.ts'
import { notificationRoutes } from './notifications/notification-routes.ts'
import { readerRoutes } from './notifications/reader-routes.ts'
import { addComponents } from './openapi-components.ts'
import { directoryFileRoutes } from './people/directory-file-routes.ts'
import { facetRoutes } from './people/facet-routes.ts'
import { organizationRoutes } from './people/organization-routes.ts'
import { personRoutes } from './people/person-routes.ts'
import { openReadingTrail } from './reading-trail.ts'
import { scheduleRoutes } from './schedules/schedule-routes.ts'
import { differenceRoutes } from './snapshots/difference-routes.ts'
import { refreshRoutes } from './snapshots/refresh-routes.ts'
import { rejectRoutes } from './snapshots/reject-routes.ts'
import { rollbackRoute } from './snapshots/rollback-route.ts'
import { snapshotRoutes } from './snapshots/snapshot-routes.ts'
import { attentionRoute } from './system/attention-route.ts'
import { systemRoutes } from './system/system-routes.ts'
import { webhookRoutes } from './webhooks/webhook-routes.ts'

export type { AdminDeps } from './admin-deps.ts'

/** Register it in a scope of its own: it turns off Fastify's validation and serialization for all routes of the scope. */
export function adminRoutes(scope: FastifyInstance, deps: AdminDeps): void {
  scope.setValidatorCompiler(() => () => true)
  scope.setSerializerCompiler(() => (body) => JSON.stringify(body))
  jsonBodies(scope, MOST_BODY_BYTES)
  addComponents(scope)
  const operations: AdminOperation[] = []
  const guard = { ...deps, noteReading: openReadingTrail(deps.store.audit) }
  const add = routeAdder(scope, guard, operations)
  for (const addRoutes of [meRoutes(operations), ...resources]) addRoutes(add, deps, scope)
  readerRoutes(routeAdder(scope, guard, [], NOTIFICATIONS_PREFIX), deps.store.notifications, {
    path: '',
    own: 'Own',
    role: 'signed-in',
  })
}

const resources: readonly ResourceRoutes[] = [
  signInRoutes,
  endpointRoutes,
  endpointVersionRoutes,
  trialRoutes,
  functionRoutes,
  stateRoutes,
  moduleRoutes,
  executionRoutes,
  liveRoutes,
  executionSeriesRoutes,
  executionBatchRoutes,
  scheduleRoutes,
  clientRoutes,
  accountRoutes,
  usageRoutes,
  snapshotRoutes,
  rollbackRoute,
  rejectRoutes,
  differenceRoutes,
  refreshRoutes,
  secretRoutes,
  organizationRoutes,
  facetRoutes,
  personRoutes,
  directoryFileRoutes,
  notificationRoutes,
  webhookRoutes,
  auditRoutes,
  tenantRoutes,
  systemRoutes,
  holdRoutes,
  attentionRoute,
]
