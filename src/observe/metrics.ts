/**
 * Counts and times observations for Prometheus. Labels are routes, statuses and stages, never clients: their number is
 * unbounded, and their names must not be on a scrape page. Each thread counts its own requests; the thread that answers the
 * scrape adds them up.
 */
import type { MetricObjectWithValues } from 'prom-client'
import type { Observation, Recorders } from './observation.ts'
import { AggregatorRegistry, Registry } from './prometheus.ts'
import { requestRecorders } from './request-metrics.ts'

/** The values of one thread at one time; plain data, which can be sent to another thread. */
export type MetricValues = readonly MetricObjectWithValues<never>[]

export type Metrics = {
  readonly record: (observation: Observation) => void
  readonly values: () => Promise<MetricValues>
}

/** Metrics of a thread that serves requests; another thread of the process has the other metrics. */
export function createRequestMetrics(): Metrics {
  const registry = new Registry()
  return metricsOf(registry, requestRecorders(registry))
}

export function metricsOf(registry: Registry, recorders: Partial<Recorders>): Metrics {
  return {
    record: (observation) =>
      (recorders[observation.kind] as ((o: Observation) => void) | undefined)?.(observation),
    values: () => valuesOf(registry),
  }
}

const valuesOf = async (registry: Registry): Promise<MetricValues> =>
  (await registry.getMetricsAsJSON()) as unknown as MetricValues

/** The merged values of several threads. */
export const mergedValues = (all: readonly MetricValues[]): Promise<MetricValues> =>
  valuesOf(AggregatorRegistry.aggregate(all as object[]))

/** The Prometheus text of the merged values of all threads of a process. */
export function metricsText(threads: readonly MetricValues[]): Promise<string> {
  return AggregatorRegistry.aggregate(threads as object[]).metrics()
}

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE
