/** What commands look up in the published snapshots, wherever the settings keep them. */
import { usableManifest } from '../../snapshot/intact-manifest.ts'
import type { Manifest } from '../../snapshot/manifest.ts'
import { describeShared, usableShared, verifyShared } from '../../snapshot/objects/stored-objects.ts'
import {
  describeSnapshots,
  type SnapshotDescription,
  type VerifiedSnapshot,
  verifySnapshots,
} from '../../snapshot/stored-snapshots.ts'
import { type DestinationSettings, withRecordDatabase, withSharedSnapshots } from './destination.ts'

export type StoredSnapshots = {
  /** Newest first. */
  readonly describe: () => Promise<readonly SnapshotDescription[]>
  readonly verify: () => Promise<readonly VerifiedSnapshot[]>
  /** The manifest of the snapshot that the service would answer from; null while there is none. */
  readonly usable: () => Promise<Manifest | null>
}

export function withStoredSnapshots<T>(
  settings: DestinationSettings,
  work: (snapshots: StoredSnapshots) => Promise<T>,
): Promise<T> {
  const { data } = settings
  if (settings.engine === 'postgres') {
    return withRecordDatabase(settings, async ({ pool }) => {
      const { describePlaced, verifyPlaced } = await import('../../snapshot/postgres/placed-operations.ts')
      const { usablePlaced } = await import('../../snapshot/postgres/placed-manifests.ts')
      return work({
        describe: () => describePlaced(pool),
        verify: () => verifyPlaced(pool),
        usable: () => usablePlaced(pool),
      })
    })
  }
  return withSharedSnapshots(settings, (shared) =>
    work(
      shared === null
        ? {
            describe: () => describeSnapshots(data),
            verify: () => verifySnapshots(data),
            usable: () => usableManifest(data),
          }
        : {
            describe: () => describeShared(shared),
            verify: () => verifyShared(shared),
            usable: () => usableShared(shared),
          },
    ),
  )
}
