/** What the supervisor and a thread ask of each other. Arguments and results are plain data or shared memory. */
import type { MetricValues } from '../observe/metrics.ts'
import type { Observation } from '../observe/observation.ts'
import type { CollectionFile, HeldFile } from '../snapshot/collection-files.ts'
import type { Manifest } from '../snapshot/manifest.ts'

/** Offered by the supervisor. */
export type SupervisorFunctions = {
  /** Of the snapshot to announce before the first request; null while there is none. */
  readonly currentManifest: () => Promise<Manifest | null>
  /** The thread answers at this address from now on. */
  readonly listening: (address: string) => void
  readonly loadFile: (file: CollectionFile) => Promise<HeldFile>
  readonly keepOnly: (checksums: readonly string[]) => void
  /** For what concerns the whole process, and is counted there. */
  readonly report: (observation: Observation) => void
  readonly writeLog: (lines: string) => void
  /** Of the whole process. */
  readonly metricsText: () => Promise<string>
}

/** Offered by a thread. */
export type ThreadFunctions = {
  /** Done when the next request is answered from the snapshot. */
  readonly announce: (manifest: Manifest) => Promise<void>
  readonly letGo: (sha256: string) => void
  readonly metricValues: () => Promise<MetricValues>
  /** Lets requests in flight finish, and ends the thread. */
  readonly close: () => Promise<void>
}
