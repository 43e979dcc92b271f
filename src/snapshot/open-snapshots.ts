/**
 * Opens what the settings name as the source of snapshots: the data folder, or the storage that several nodes share. Each thread
 * opens it for itself; the local disk cache is in the data folder, so that all of them share it.
 */
import { join } from 'node:path'
import { engineDatabase } from '../config/engine-database.ts'
import type { Config } from '../config/load-config.ts'
import type { Observe } from '../observe/observation.ts'
import { DiskCache } from './objects/disk-cache.ts'
import { type ObjectReader, openObjectReader } from './objects/object-reader.ts'
import type { ObjectStore } from './objects/object-store.ts'
import { sharedFileSource, sharedManifestSource } from './objects/shared-source.ts'
import { openSharedStorage } from './objects/shared-storage.ts'
import type { SnapshotIndex } from './objects/snapshot-index.ts'
import { dataFolderSource, type FileSource, type ManifestSource } from './snapshot-source.ts'

export type SnapshotSettings = Pick<Config, 'data'> &
  Partial<Pick<Config, 'snapshots' | 'engineUrl' | 'store'>> & {
    readonly snapshotCacheBytes?: number | undefined
    readonly engine?: Config['engine'] | undefined
  }

/** The part of the control store that says which shared snapshots are published. */
type ReadIndex = Pick<SnapshotIndex, 'current' | 'list' | 'find'>

export type OpenSnapshots = {
  readonly files: FileSource
  readonly manifests: (index: ReadIndex) => ManifestSource
  /** Ends the connections. */
  readonly close: () => void
}

export type SharedSnapshots = { readonly store: ObjectStore; readonly reader: ObjectReader }

export function openSnapshots(settings: SnapshotSettings, observe: Observe): OpenSnapshots {
  if (settings.engine === 'postgres') return openPlacedSnapshots(settings)
  const shared = openSharedSnapshots(settings, observe)
  if (shared === null) {
    const source = dataFolderSource(settings.data)
    return { files: source, manifests: () => source, close: () => undefined }
  }
  return {
    files: sharedFileSource(shared.reader),
    manifests: (index) => sharedManifestSource(index, shared.reader),
    close: shared.store.close,
  }
}

/** Records in PostgreSQL: there are no files. */
function openPlacedSnapshots(settings: SnapshotSettings): OpenSnapshots {
  const url = engineDatabase(settings)
  // Its code is loaded here, because most services do not need it.
  const opening = import('./postgres/placed-manifests.ts').then(({ openPlacedManifests }) =>
    openPlacedManifests(url, settings.data),
  )
  // Callers get the rejection.
  opening.catch(() => undefined)
  const manifests: ManifestSource = {
    currentId: async () => (await opening).currentId(),
    ids: async () => (await opening).ids(),
    examine: async (id) => (await opening).examine(id),
    fileBeside: async (id, name) => (await opening).fileBeside(id, name),
    parallelLoads: 1,
  }
  return {
    files: {
      load: () => Promise.reject(new Error('Records in PostgreSQL have no files')),
      wasRemoved: () => false,
    },
    manifests: () => manifests,
    close: () =>
      void opening.then(
        ({ close }) => close(),
        () => undefined,
      ),
  }
}

/** @returns null unless the settings name a storage */
export function openSharedSnapshots(
  { data, snapshots, snapshotCacheBytes = Number.POSITIVE_INFINITY }: SnapshotSettings,
  observe: Observe,
): SharedSnapshots | null {
  if (snapshots === undefined) return null
  const store = openSharedStorage(snapshots)
  const cache = new DiskCache(join(data, 'snapshot-cache'), { limitBytes: snapshotCacheBytes, observe })
  return { store, reader: openObjectReader(store, cache, observe) }
}
