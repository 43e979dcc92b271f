/**
 * Counts and times observations for Prometheus. Labels are routes, statuses and stages: never clients, whose number is
 * unbounded and whose names are nobody's business on a scrape page.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type DurationHistogram, durationHistogram } from './duration-histogram.ts'
import type { Observation } from './observation.ts'

export type Metrics = {
  readonly contentType: string
  readonly record: (observation: Observation) => void
  /** The Prometheus text of this moment. */
  readonly text: () => Promise<string>
}

type Recorders = {
  readonly [K in Observation['kind']]: (observation: Extract<Observation, { kind: K }>) => void
}

/** Metrics of a registry of their own, so that several servers in one process do not share counters. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = durationHistogram({
    name: 'tripfolio_http_request_duration_seconds',
    help: 'Requests by method, route pattern and status, from arrival to the last byte handed over.',
    bounds: requestSeconds,
    labelsOf: (labels) => labels,
  })
  const stages = durationHistogram({
    name: 'tripfolio_stage_duration_seconds',
    help: 'Time spent in each stage of an answer.',
    bounds: stageSeconds,
    labelsOf: (stage) => `stage="${stage}"`,
  })
  const recorders: Recorders = {
    ...requestRecorders(registry, requests, stages),
    ...snapshotRecorders(registry),
    ...refreshRecorders(registry),
  }
  return {
    contentType: registry.contentType,
    record: (observation) => (recorders[observation.kind] as (o: Observation) => void)(observation),
    text: async () => `${requests.text()}${stages.text()}${await registry.metrics()}`,
  }
}

const requestSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const stageSeconds = [0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1]
const refreshSeconds = [1, 5, 15, 30, 60, 120, 300, 600, 1800]

function requestRecorders(registry: Registry, requests: DurationHistogram, stages: DurationHistogram) {
  const registers = [registry]
  const bytes = new Counter({
    name: 'tripfolio_http_response_bytes_total',
    help: 'Bytes of response bodies by route pattern.',
    labelNames: ['route'],
    registers,
  })
  const aborted = new Counter({
    name: 'tripfolio_http_requests_aborted_total',
    help: 'Requests whose caller went away before the last byte.',
    labelNames: ['route'],
    registers,
  })
  const failures = new Counter({
    name: 'tripfolio_http_request_failures_total',
    help: 'Requests that failed on our side; each has an error line in the log.',
    registers,
  })
  const rotations = new Counter({
    name: 'tripfolio_key_rotations_total',
    help: 'API keys rotated by their owners.',
    registers,
  })
  return {
    'request-answered': (o) => {
      const labels = `method="${o.method}",route="${o.route}",status="${o.status}"`
      requests.observe(labels, o.milliseconds / 1000)
      if (o.bytes > 0) bytes.inc({ route: o.route }, o.bytes)
      if (o.aborted) aborted.inc({ route: o.route })
    },
    'request-failed': () => failures.inc(),
    'stage-timed': (o) => stages.observe(o.stage, o.milliseconds / 1000),
    'key-rotated': () => rotations.inc(),
  } satisfies Partial<Recorders>
}

function snapshotRecorders(registry: Registry) {
  const registers = [registry]
  let extractedAt: Date | null = null
  new Gauge({
    name: 'tripfolio_snapshot_age_seconds',
    help: 'Time since the source of the current snapshot was extracted; NaN before the first snapshot.',
    registers,
    collect() {
      this.set(extractedAt === null ? Number.NaN : (Date.now() - extractedAt.getTime()) / 1000)
    },
  })
  const current = new Gauge({
    name: 'tripfolio_snapshot_info',
    help: 'Always 1; the label names the current snapshot.',
    labelNames: ['snapshot'],
    registers,
  })
  const clients = new Gauge({
    name: 'tripfolio_snapshot_clients',
    help: 'Clients in the current snapshot.',
    registers,
  })
  const damaged = new Counter({
    name: 'tripfolio_snapshot_damaged_files_total',
    help: 'Snapshot files found missing or not matching their checksum.',
    registers,
  })
  const loads = new Histogram({
    name: 'tripfolio_partition_load_duration_seconds',
    help: "Loading one client's stored collection into memory.",
    labelNames: ['stored'],
    buckets: requestSeconds,
    registers,
  })
  const loadedBytes = new Counter({
    name: 'tripfolio_partition_loaded_bytes_total',
    help: 'Bytes of the partitions loaded into memory so far.',
    labelNames: ['stored'],
    registers,
  })
  const held = new Gauge({
    name: 'tripfolio_loaded_partitions',
    help: "Clients' stored collections in memory.",
    registers,
  })
  const heldBytes = new Gauge({
    name: 'tripfolio_loaded_bytes',
    help: "Bytes of the clients' stored collections in memory.",
    registers,
  })
  return {
    'partitions-held': (o) => {
      held.set(o.count)
      heldBytes.set(o.bytes)
    },
    'snapshot-announced': (o) => {
      extractedAt = o.extractedAt
      clients.set(o.clients)
      current.reset()
      current.set({ snapshot: o.snapshot }, 1)
    },
    'snapshot-skipped': () => undefined,
    'snapshot-damaged': () => damaged.inc(),
    'partition-loaded': (o) => {
      loads.observe({ stored: o.stored }, o.milliseconds / 1000)
      loadedBytes.inc({ stored: o.stored }, o.bytes)
    },
  } satisfies Partial<Recorders>
}

function refreshRecorders(registry: Registry) {
  const registers = [registry]
  const refreshes = new Counter({
    name: 'tripfolio_refreshes_total',
    help: 'Refreshes by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const running = new Gauge({
    name: 'tripfolio_refresh_running',
    help: '1 while a refresh is being built.',
    registers,
  })
  const duration = new Histogram({
    name: 'tripfolio_refresh_duration_seconds',
    help: 'Duration of refreshes that were published.',
    buckets: refreshSeconds,
    registers,
  })
  const rejects = new Gauge({
    name: 'tripfolio_refresh_rejects',
    help: 'Records set aside by the last published refresh.',
    registers,
  })
  return {
    'refresh-started': () => running.set(1),
    'refresh-published': (o) => {
      running.set(0)
      refreshes.inc({ outcome: 'published' })
      duration.observe(o.milliseconds / 1000)
      rejects.set(o.rejects)
    },
    'refresh-refused': () => {
      running.set(0)
      refreshes.inc({ outcome: 'refused' })
    },
  } satisfies Partial<Recorders>
}
