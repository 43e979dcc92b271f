/** Opens shared snapshots for reading: the storage, and the cache in the data folder, which all threads and processes share. */
import { join } from 'node:path'
import type { Observe } from '../../observe/observation.ts'
import type { FileSource, ManifestSource } from '../snapshot-source.ts'
import { DiskCache } from './disk-cache.ts'
import { type ObjectReader, openObjectReader } from './object-reader.ts'
import type { ObjectStore } from './object-store.ts'
import { sharedFileSource, sharedManifestSource } from './shared-source.ts'
import { openSharedStorage } from './shared-storage.ts'
import type { ReadIndex } from './snapshot-index.ts'

export type SharedSnapshots = {
  readonly store: ObjectStore
  readonly reader: ObjectReader
  readonly files: (index: Pick<ReadIndex, 'find'>) => FileSource
  readonly manifests: (index: ReadIndex) => ManifestSource
  readonly close: () => void
}

type Place = { readonly location: string; readonly dataFolder: string; readonly cacheBytes: number }

export function openShared({ location, dataFolder, cacheBytes }: Place, observe: Observe): SharedSnapshots {
  const store = openSharedStorage(location)
  const cache = new DiskCache(join(dataFolder, 'snapshot-cache'), { limitBytes: cacheBytes, observe })
  const reader = openObjectReader(store, cache, observe)
  return {
    store,
    reader,
    files: (index) => sharedFileSource(index, reader),
    manifests: (index) => sharedManifestSource(index, reader),
    close: () => {
      reader.close()
      store.close()
    },
  }
}
