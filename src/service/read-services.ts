/**
 * Opens what a thread needs to answer queries for records: the snapshots and the engine. Besides the tests, this is the only
 * place that names an engine.
 */
import { type Config, queryLimits, workBudget } from '../config/load-config.ts'
import { createMemoryEngine } from '../engine/memory/memory-engine.ts'
import type { Observe } from '../observe/observation.ts'
import type { AnswerDeps } from '../read/answer.ts'
import type { OpenCollectionFiles } from '../snapshot/files/collection-files.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { SnapshotCatalogue } from '../snapshot/snapshot-catalogue.ts'
import type { ManifestSource } from '../snapshot/snapshot-source.ts'

/** All nodes switch within two seconds; a node notices a new snapshot within one. */
const PREPARE_SHARED_MS = 700

export type ReadServicesParts = {
  readonly config: Config
  readonly observe: Observe
  readonly openFiles: OpenCollectionFiles
  /** Where the manifests are read from. */
  readonly manifests: ManifestSource
}

export type ReadServices = AnswerDeps & {
  readonly catalogue: SnapshotCatalogue
  /** Answers from this snapshot from now on. Null when this snapshot or a later one is current already. */
  readonly announce: (manifest: Manifest) => Promise<Snapshot | null>
}

export function openReadServices({ config, observe, openFiles, manifests }: ReadServicesParts): ReadServices {
  const catalogue = new SnapshotCatalogue(manifests, observe, openFiles)
  let newest: Manifest | null = null
  return {
    catalogue,
    engine: createMemoryEngine({ budget: workBudget(config) }),
    limits: queryLimits(config),
    unknownLabels: config.unknownLabels,
    observe,
    announce: async (manifest) => {
      if (catalogue.current()?.id === manifest.id) return null
      newest = manifest
      // Only a share of the budget, so that files of the snapshot in use are not evicted.
      const mostMs = config.snapshots === undefined ? undefined : PREPARE_SHARED_MS
      await catalogue.prepare(manifest, { mostBytes: config.memoryBudget / 4, mostMs })
      return newest === manifest ? catalogue.announce(manifest) : null
    },
  }
}
