/** Opens the destination that the settings name for refreshes: the data folder, or the storage that several nodes share. */
import { type Config, engineDatabase } from '../../config/load-config.ts'
import { openSharedSnapshots } from '../../snapshot/open-snapshots.ts'
import type { SnapshotDestination } from '../../snapshot/writing/snapshot-writer.ts'

export type DestinationSettings = Pick<Config, 'data'> &
  Partial<Pick<Config, 'store' | 'snapshots' | 'engineUrl'>> & {
    readonly snapshotCacheBytes?: number | undefined
    readonly engine?: Config['engine'] | undefined
  }

/**
 * @param by who publishes, for the trail of changes
 * @param work gets undefined for the data folder
 */
export async function withDestination<T>(
  settings: DestinationSettings,
  by: string,
  work: (destination: SnapshotDestination | undefined) => Promise<T>,
): Promise<T> {
  if (settings.engine === 'postgres') return withRecordDatabase(settings, work)
  const shared = openSharedSnapshots(settings, () => undefined)
  if (shared === null) return work(undefined)
  // Loaded here, because most refreshes do not need it.
  const { openControlStore } = await import('../../directory/open-stores.ts')
  const { sharedDestination } = await import('../../snapshot/objects/shared-destination.ts')
  try {
    const control = await openControlStore(settings)
    try {
      const { id: installation } = await control.tenant()
      const { data: dataFolder, store: lockUrl } = settings
      return await work(
        sharedDestination({ ...shared, dataFolder, index: control.snapshots, installation, lockUrl, by }),
      )
    } finally {
      await control.close()
    }
  } finally {
    shared.store.close()
  }
}

async function withRecordDatabase<T>(
  settings: DestinationSettings,
  work: (destination: SnapshotDestination) => Promise<T>,
): Promise<T> {
  const { openPostgresDestination } = await import(
    '../../snapshot/postgres/publishing/postgres-destination.ts'
  )
  const destination = openPostgresDestination(engineDatabase(settings), settings.data)
  return work(destination).finally(destination.close)
}

/** The author of what scheduled and requested refreshes publish. */
export const REFRESH = 'refresh'
