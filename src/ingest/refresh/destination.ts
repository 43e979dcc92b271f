/** Opens the destination that the settings name for refreshes: the data folder, or the storage that several nodes share. */
import type { Config } from '../../config/load-config.ts'
import { openControlStore } from '../../directory/open-stores.ts'
import type { SharedParts } from '../../snapshot/objects/shared-destination.ts'
import { openSharedSnapshots } from '../../snapshot/open-snapshots.ts'
import type { SnapshotDestination } from '../../snapshot/writing/snapshot-writer.ts'

export type DestinationSettings = Pick<Config, 'data'> &
  Partial<Pick<Config, 'store' | 'snapshots'>> & { readonly snapshotCacheBytes?: number | undefined }

/** The author of what scheduled and requested refreshes publish. */
export const REFRESH = 'refresh'

/**
 * @param by who publishes, for the trail of changes
 * @param work gets undefined for the data folder
 */
export const withDestination = <T>(
  settings: DestinationSettings,
  by: string,
  work: (destination: SnapshotDestination | undefined) => Promise<T>,
): Promise<T> =>
  withSharedSnapshots(settings, async (parts) => {
    if (parts === null) return work(undefined)
    // Loaded here, because most refreshes do not need it.
    const { sharedDestination } = await import('../../snapshot/objects/shared-destination.ts')
    return work(sharedDestination({ ...parts, by }))
  })

/** Opens what commands and refreshes need of shared snapshots, while they work. It is null where none are shared. */
export async function withSharedSnapshots<T>(
  settings: DestinationSettings,
  work: (parts: Omit<SharedParts, 'by'> | null) => Promise<T>,
): Promise<T> {
  const shared = await openSharedSnapshots(settings, () => undefined)
  if (shared === null) return work(null)
  try {
    const control = await openControlStore(settings)
    try {
      const { data: dataFolder, store: lockUrl } = settings
      const { id: installation } = await control.tenant()
      return await work({ ...shared, dataFolder, index: control.snapshots, installation, lockUrl })
    } finally {
      await control.close()
    }
  } finally {
    shared.store.close()
  }
}
