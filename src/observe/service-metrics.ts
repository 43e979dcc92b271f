/** The metrics of a whole process, in its main thread. They load more than other threads need (`metrics.ts`). */
import collectDefaultMetrics from 'prom-client/lib/defaultMetrics.js'
import { type Metrics, metricsOf } from './metrics.ts'
import type { Recorders } from './observation.ts'
import { processRecorders } from './process-metrics.ts'
import { Registry } from './prometheus.ts'
import { requestRecorders } from './request-metrics.ts'
import { snapshotRecorders } from './snapshot-metrics.ts'

/** Metrics with their own registry, so that several servers in one process do not share counters. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const recorders: Recorders = {
    ...requestRecorders(registry),
    ...snapshotRecorders(registry),
    ...processRecorders(registry),
  }
  return metricsOf(registry, recorders)
}
