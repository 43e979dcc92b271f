/**
 * Opens what the settings name as the source of snapshots: the data folder, or the storage that several nodes share. Each thread
 * opens it for itself. What only shared snapshots need is loaded with their first use, to keep the start of others cheap.
 */
import type { Config } from '../config/load-config.ts'
import type { Observe } from '../observe/observation.ts'
import type { SharedSnapshots } from './objects/open-shared.ts'
import type { ReadIndex } from './objects/snapshot-index.ts'
import {
  dataFolderSource,
  type FileSource,
  type ManifestSource,
  SHARED_PARALLEL_LOADS,
} from './snapshot-source.ts'

export type SnapshotSettings = Pick<Config, 'data'> &
  Partial<Pick<Config, 'snapshots'>> & { readonly snapshotCacheBytes?: number | undefined }

export type OpenSnapshots = {
  readonly files: FileSource
  readonly manifests: (index: ReadIndex) => ManifestSource
  /** Ends the connections. */
  readonly close: () => void
}

export function openSnapshots(settings: SnapshotSettings, observe: Observe): OpenSnapshots {
  const { data, snapshots: location } = settings
  if (location === undefined) {
    const source = dataFolderSource(data)
    return { files: source, manifests: () => source, close: () => undefined }
  }
  let opened: Promise<SharedSnapshots> | undefined
  const shared = () => (opened ??= openAt(location, settings, observe))
  return {
    files: { load: async (file) => (await shared()).files.load(file), wasRemoved: () => false },
    manifests: (index) => {
      const source = async () => (await shared()).manifests(index)
      return {
        currentId: async () => (await source()).currentId(),
        ids: async () => (await source()).ids(),
        examine: async (id) => (await source()).examine(id),
        fileBeside: async (id, name) => (await source()).fileBeside(id, name),
        parallelLoads: SHARED_PARALLEL_LOADS,
      }
    },
    close: () => void opened?.then(({ store }) => store.close()),
  }
}

/** @returns null unless the settings name a storage */
export async function openSharedSnapshots(
  settings: SnapshotSettings,
  observe: Observe,
): Promise<SharedSnapshots | null> {
  return settings.snapshots === undefined ? null : openAt(settings.snapshots, settings, observe)
}

async function openAt(
  location: string,
  { data: dataFolder, snapshotCacheBytes: cacheBytes = Number.POSITIVE_INFINITY }: SnapshotSettings,
  observe: Observe,
): Promise<SharedSnapshots> {
  const { openShared } = await import('./objects/open-shared.ts')
  return openShared({ location, dataFolder, cacheBytes }, observe)
}
