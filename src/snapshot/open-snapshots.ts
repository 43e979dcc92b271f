/**
 * Opens what the settings name as the source of snapshots: the data folder, or the storage that several nodes share. Each thread
 * opens it for itself; the local disk cache is in the data folder, so that all of them share it.
 */
import { join } from 'node:path'
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
  Partial<Pick<Config, 'snapshots'>> & { readonly snapshotCacheBytes?: number | undefined }

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
