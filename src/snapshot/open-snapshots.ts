/**
 * Opens what the settings name as the source of snapshots: the data folder, the storage that several nodes share, or a database.
 * Each thread opens it for itself. What only some of them need is loaded with its first use, to keep other starts cheap.
 */
import { engineDatabase } from '../config/engine-database.ts'
import type { Config } from '../config/load-config.ts'
import type { Observe } from '../observe/observation.ts'
import type { StepFiles } from './changes/step-files.ts'
import type { StepSource } from './changes/step-store.ts'
import { fileStepSource, stepsInDataFolder, stepsInStorage } from './changes/stored-steps.ts'
import type { SharedSnapshots } from './objects/open-shared.ts'
import type { ReadIndex } from './objects/snapshot-index.ts'
import {
  dataFolderSource,
  type FileSource,
  type ManifestSource,
  SHARED_PARALLEL_LOADS,
} from './snapshot-source.ts'

export type SnapshotSettings = Pick<Config, 'data'> &
  Partial<Pick<Config, 'snapshots' | 'engineUrl' | 'store'>> & {
    readonly snapshotCacheBytes?: number | undefined
    readonly engine?: Config['engine'] | undefined
  }

export type OpenSnapshots = {
  readonly files: FileSource
  readonly manifests: (index: ReadIndex) => ManifestSource
  /** Ends the connections. */
  readonly close: () => void
}

export function openSnapshots(settings: SnapshotSettings, observe: Observe): OpenSnapshots {
  if (settings.engine === 'postgres') return openPlacedSnapshots(settings)
  const { data, snapshots: location } = settings
  if (location === undefined) {
    const source = dataFolderSource(data)
    return { files: source, manifests: () => source, close: () => undefined }
  }
  let opened: Promise<SharedSnapshots> | undefined
  const shared = () => (opened ??= openAt(location, settings, observe))
  // Files are loaded only for manifests, which were read by means of the index.
  const givenIndex = Promise.withResolvers<ReadIndex>()
  let files: FileSource | undefined
  const openFiles = async () => (files ??= (await shared()).files(await givenIndex.promise))
  return {
    files: {
      load: async (file) => (await openFiles()).load(file),
      wasRemoved: (snapshot) => files?.wasRemoved(snapshot) ?? false,
    },
    manifests: (index) => {
      givenIndex.resolve(index)
      const source = async () => (await shared()).manifests(index)
      return {
        currentId: async () => (await source()).currentId(),
        ids: async () => (await source()).ids(),
        examine: async (id) => (await source()).examine(id),
        fileBeside: async (id, name) => (await source()).fileBeside(id, name),
        parallelLoads: SHARED_PARALLEL_LOADS,
      }
    },
    close: () => void opened?.then(({ close }) => close()),
  }
}

/**
 * Opens what is known of changes between snapshots in files. Storage that several nodes share is opened with the first question.
 *
 * @param installation the id of the control store
 */
export function openStepFiles(
  settings: SnapshotSettings,
  observe: Observe,
  installation: () => Promise<string>,
): { readonly steps: StepSource; readonly close: () => void } {
  let opened: Promise<SharedSnapshots> | undefined
  async function open(): Promise<StepFiles> {
    const { data, snapshots: location } = settings
    if (location === undefined) return stepsInDataFolder(data)
    opened ??= openAt(location, settings, observe)
    return stepsInStorage(await opened, await installation())
  }
  return { steps: fileStepSource(open), close: () => void opened?.then(({ close }) => close()) }
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
