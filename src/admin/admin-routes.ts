/**
 * The admin API (`/api/admin/v1`): everything that operators look at and change, for holders of the role `admin`. Each subject
 * has a file of routes; this one puts them together.
 */
import type { FastifyInstance } from 'fastify'
import { accountRoutes } from './account-routes.ts'
import { MOST_BODY_BYTES, routeAdder } from './admin-route.ts'
import { auditRoutes } from './audit-routes.ts'
import { clientRoutes } from './client-routes.ts'
import { endpointRoutes } from './endpoint-routes.ts'
import { endpointTestRoutes } from './endpoint-test-routes.ts'
import { endpointVersionRoutes } from './endpoint-version-routes.ts'
import { executionRoutes } from './execution-routes.ts'
import { facetRoutes } from './facet-routes.ts'
import { jsonBodies } from './json-bodies.ts'
import { notificationRoutes } from './notification-routes.ts'
import { addComponents } from './openapi-components.ts'
import { organizationRoutes } from './organization-routes.ts'
import { personRoutes } from './person-routes.ts'
import { secretRoutes } from './secret-routes.ts'
import { snapshotRoutes } from './snapshot-routes.ts'
import type { AdminDeps, Subject } from './subject.ts'
import { tenantRoutes } from './tenant-routes.ts'

export type { AdminDeps } from './subject.ts'

/** To be registered in a scope of its own, whose routes neither validate nor serialize by themselves. */
export function adminRoutes(scope: FastifyInstance, deps: AdminDeps): void {
  scope.setValidatorCompiler(() => () => true)
  scope.setSerializerCompiler(() => (body) => JSON.stringify(body))
  jsonBodies(scope, MOST_BODY_BYTES)
  addComponents(scope)
  const add = routeAdder(scope, deps.verifyToken, deps.refuse)
  for (const subject of subjects) subject(add, deps, scope)
}

const subjects: readonly Subject[] = [
  endpointRoutes,
  endpointVersionRoutes,
  endpointTestRoutes,
  executionRoutes,
  clientRoutes,
  accountRoutes,
  snapshotRoutes,
  secretRoutes,
  organizationRoutes,
  facetRoutes,
  personRoutes,
  notificationRoutes,
  auditRoutes,
  tenantRoutes,
]
