/** Metrics of snapshots and of the data of clients in memory, once for the whole process. */
import type { Registry } from 'prom-client'
import type { Recorders } from './observation.ts'
import { Counter, Gauge, Histogram } from './prometheus.ts'
import { requestSeconds } from './request-counts.ts'

export function snapshotRecorders(registry: Registry) {
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
  const snapshotBytes = new Gauge({
    name: 'tripfolio_snapshot_bytes',
    help: 'Bytes of the files of the current snapshot, loaded or not.',
    labelNames: ['snapshot'],
    registers,
  })
  const warnings = new Gauge({
    name: 'tripfolio_snapshot_warnings',
    help: 'Possible faults of the current snapshot, although its refresh was published, by kind of warning.',
    labelNames: ['warning'],
    registers,
  })
  const emptied = new Gauge({
    name: 'tripfolio_snapshot_emptied_clients',
    help: 'Clients that lost all of their bookings or all of their invoices with the current snapshot.',
    registers,
  })
  const damaged = new Counter({
    name: 'tripfolio_snapshot_damaged_files_total',
    help: 'Snapshot files that were missing or did not match their checksum.',
    registers,
  })
  const loads = new Histogram({
    name: 'tripfolio_partition_load_duration_seconds',
    help: "Time to load one client's stored collection into memory.",
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
  const replacedBytes = new Gauge({
    name: 'tripfolio_replaced_bytes',
    help: 'Bytes of replaced or evicted files that stay in memory until the answers that are read from them are sent. They count towards memoryBudget.',
    registers,
  })
  const fetches = new Histogram({
    name: 'tripfolio_object_fetch_duration_seconds',
    help: 'Time to fetch one file of shared snapshots from their storage.',
    buckets: requestSeconds,
    registers,
  })
  const fetchedBytes = new Counter({
    name: 'tripfolio_object_fetched_bytes_total',
    help: 'Bytes of the files of shared snapshots fetched so far.',
    registers,
  })
  const fetchFailures = new Counter({
    name: 'tripfolio_object_fetch_failures_total',
    help: 'Files of shared snapshots that could not be fetched, or arrived damaged.',
    registers,
  })
  const cachedBytes = new Gauge({
    name: 'tripfolio_snapshot_cache_bytes',
    help: 'Bytes of the files of shared snapshots on the local disk.',
    registers,
  })
  return {
    'object-fetched': (o) => {
      fetches.observe(o.milliseconds / 1000)
      fetchedBytes.inc(o.bytes)
    },
    'object-fetch-failed': () => fetchFailures.inc(),
    'object-fetches-resumed': () => undefined,
    'snapshot-cache-held': (o) => cachedBytes.set(o.bytes),
    'snapshot-cache-not-written': () => undefined,
    'partitions-held': (o) => {
      replacedBytes.set(o.replacedBytes)
      held.set(o.count)
      heldBytes.set(o.bytes)
    },
    'snapshot-announced': (o) => {
      extractedAt = o.extractedAt
      clients.set(o.clients)
      current.reset()
      current.set({ snapshot: o.snapshot }, 1)
      snapshotBytes.reset()
      snapshotBytes.set({ snapshot: o.snapshot }, o.bytes)
      warnings.reset()
      emptied.set(0)
    },
    'snapshot-warned': (o) => {
      warnings.inc({ warning: o.warning })
      if (o.warning === 'clients-emptied') emptied.set(o.clients)
    },
    'budget-exceeded': () => undefined,
    'snapshot-skipped': () => undefined,
    'snapshot-damaged': () => damaged.inc(),
    'partition-loaded': (o) => {
      loads.observe({ stored: o.stored }, o.milliseconds / 1000)
      loadedBytes.inc({ stored: o.stored }, o.bytes)
    },
  } satisfies Partial<Recorders>
}
