/** `/livez`, `/readyz` and `/metrics`: for load balancers, orchestrators and Prometheus. No key is asked for. */
import type { FastifyInstance } from 'fastify'
import { METRICS_CONTENT_TYPE } from '../observe/metrics.ts'
import { notReady } from '../read/problems.ts'
import type { Catalogue } from '../snapshot/snapshot.ts'
import { livezOperation, metricsOperation, readyzOperation } from './openapi-operations.ts'

export type HealthRouteDeps = {
  readonly catalogue: Pick<Catalogue, 'current'>
  /** The Prometheus text of this moment. Without it there is no `/metrics`. */
  readonly metricsText?: () => Promise<string>
  readonly isClosing: () => boolean
}

/** What is answered on every connection, whatever else is not. */
const probes: ReadonlySet<string | undefined> = new Set(['/livez', '/readyz', '/metrics'])

export const isProbe = (route: string | undefined): boolean => probes.has(route)

export function healthRoutes(
  server: FastifyInstance,
  { catalogue, metricsText, isClosing }: HealthRouteDeps,
): void {
  const json = 'application/json; charset=utf-8'
  server.get('/livez', { schema: livezOperation }, (_request, reply) =>
    reply.header('cache-control', 'no-store').type(json).send('{"status":"live"}'),
  )
  server.get('/readyz', { schema: readyzOperation }, (_request, reply) => {
    if (isClosing() || catalogue.current() === null) throw notReady()
    return reply.header('cache-control', 'no-store').type(json).send('{"status":"ready"}')
  })
  if (metricsText === undefined) return
  server.get('/metrics', { schema: metricsOperation }, async (_request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type(METRICS_CONTENT_TYPE)
      .send(await metricsText()),
  )
}
