/** `/livez`, `/readyz` and `/metrics`: for load balancers, orchestrators and Prometheus. They need no key. */
import type { FastifyInstance } from 'fastify'
import { METRICS_CONTENT_TYPE } from '../observe/metrics.ts'
import type { Readiness } from '../observe/service-health.ts'
import { accountsNotChecked, notReady, stillStarting, storeAway } from '../read/problems.ts'
import type { Catalogue } from '../snapshot/snapshot.ts'
import { livezOperation, metricsOperation, readyzOperation } from './openapi/operations.ts'

export type HealthRouteDeps = {
  readonly catalogue: Pick<Catalogue, 'current'>
  /** The current metrics as Prometheus text. Without it the route `/metrics` does not exist. */
  readonly metricsText?: () => Promise<string>
  readonly isClosing: () => boolean
  /** What a running service cannot do, for the operator. */
  readonly readiness?: () => Promise<Readiness>
}

const healthy: Readiness = { notWritten: [], skipped: null }

/** The routes that are answered on every connection, also beyond the limits. */
const probes: ReadonlySet<string | undefined> = new Set(['/livez', '/readyz', '/metrics'])

export const isProbe = (route: string | undefined): boolean => probes.has(route)

export function healthRoutes(
  server: FastifyInstance,
  { catalogue, metricsText, isClosing, readiness = async () => healthy }: HealthRouteDeps,
): void {
  const json = 'application/json; charset=utf-8'
  server.get('/livez', { schema: livezOperation }, (_request, reply) =>
    reply.header('cache-control', 'no-store').type(json).send('{"status":"live"}'),
  )
  server.get('/readyz', { schema: readyzOperation }, async (_request, reply) => {
    const {
      notWritten,
      away = [],
      accounts,
      hasOtherKey,
      held,
      skipped,
      storage,
      isStarting,
    } = await readiness()
    if (isClosing()) throw notReady()
    // No credential can be checked: a load balancer asks another node, which may reach the database.
    if (away.includes('control')) throw storeAway()
    if (hasOtherKey) throw accountsNotChecked()
    if (catalogue.current() === null) throw notReady(skipped ?? storage)
    if (isStarting) throw stillStarting()
    const body = {
      status: 'ready',
      ...(notWritten.length > 0 && { notWritten }),
      accounts,
      held,
      ...(skipped !== null && { skipped }),
      storage,
    }
    return reply.header('cache-control', 'no-store').type(json).send(JSON.stringify(body))
  })
  if (metricsText === undefined) return
  server.get('/metrics', { schema: metricsOperation }, async (_request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type(METRICS_CONTENT_TYPE)
      .send(await metricsText()),
  )
}
