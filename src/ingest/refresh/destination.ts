/**
 * Opens the destination that the settings name for refreshes: the data folder, the storage that several nodes share, or the
 * database of the records.
 */
import { engineDatabase } from '../../config/engine-database.ts'
import type { Config } from '../../config/load-config.ts'
import type { SharedParts } from '../../snapshot/objects/shared-destination.ts'
import { openSharedSnapshots } from '../../snapshot/open-snapshots.ts'
import type { PostgresDestination } from '../../snapshot/postgres/publishing/postgres-destination.ts'
import type { SnapshotDestination } from '../../snapshot/writing/snapshot-writer.ts'

export type DestinationSettings = Pick<Config, 'data'> &
  Partial<Pick<Config, 'store' | 'snapshots' | 'engineUrl'>> & {
    readonly snapshotCacheBytes?: number | undefined
    readonly engine?: Config['engine'] | undefined
  }

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
): Promise<T> => {
  if (settings.engine === 'postgres') return withRecordDatabase(settings, work)
  return withSharedSnapshots(settings, async (parts) => {
    if (parts === null) return work(undefined)
    // Loaded here, because most refreshes do not need it.
    const { sharedDestination } = await import('../../snapshot/objects/shared-destination.ts')
    return work(sharedDestination({ ...parts, by }))
  })
}

/** Opens what commands and refreshes need of shared snapshots, while they work. It is null where none are shared. */
export async function withSharedSnapshots<T>(
  settings: DestinationSettings,
  work: (parts: Omit<SharedParts, 'by'> | null) => Promise<T>,
): Promise<T> {
  const shared = await openSharedSnapshots(settings, () => undefined)
  if (shared === null) return work(null)
  try {
    // Loaded here, because refreshes into the data folder do not need it.
    const { openControlStore } = await import('../../directory/open-stores.ts')
    const control = await openControlStore(settings)
    try {
      const { data: dataFolder, store: lockUrl } = settings
      const { id: installation } = await control.tenant()
      return await work({ ...shared, dataFolder, index: control.snapshots, installation, lockUrl })
    } finally {
      await control.close()
    }
  } finally {
    shared.close()
  }
}

/** Opens the database of the records, while a command or a refresh works with it. */
export async function withRecordDatabase<T>(
  settings: DestinationSettings,
  work: (database: PostgresDestination) => Promise<T>,
): Promise<T> {
  const { openPostgresDestination } = await import(
    '../../snapshot/postgres/publishing/postgres-destination.ts'
  )
  const database = openPostgresDestination(engineDatabase(settings), settings.data)
  return work(database).finally(database.close)
}
