/** Rolls back to an older snapshot while no refresh runs, and records it in the trail of changes. */
import { hasControlStore, openControlStore } from '../../directory/open-stores.ts'
import { makeDataFolder } from '../../snapshot/format/layout.ts'
import { sharedDestination } from '../../snapshot/objects/shared-destination.ts'
import { rollBackShared } from '../../snapshot/objects/stored-objects.ts'
import { hasFolder } from '../../snapshot/stored-snapshots.ts'
import { type RolledBack, rollBack } from '../../snapshot/writing/roll-back.ts'
import { alreadyRunning } from '../problems.ts'
import { type DestinationSettings, withRecordDatabase, withSharedSnapshots } from './destination.ts'
import { lockRefresh } from './refresh-lock.ts'

/**
 * @param by the actor of the audit entry
 * @throws Problem ING121 while a refresh runs, SNP32x when the snapshot cannot become current
 */
export async function rollBackSnapshot(
  place: DestinationSettings,
  wanted: string | undefined,
  by: string,
): Promise<RolledBack> {
  const { data: dataFolder, snapshots, engine } = place
  if (engine === 'postgres') return recorded(place, by, await rollBackRecords(place, wanted))
  if (snapshots !== undefined) return rollBackOnAllNodes(place, wanted, by)
  // In a folder that does not exist the lock could not be made.
  if (!hasFolder(dataFolder)) return rollBack(dataFolder, wanted)
  const lock = lockRefresh(dataFolder)
  let done: RolledBack
  try {
    done = await rollBack(dataFolder, wanted)
  } finally {
    lock.release()
  }
  return recorded(place, by, done)
}

async function recorded(place: DestinationSettings, by: string, done: RolledBack): Promise<RolledBack> {
  if (done.snapshot !== done.before && (await hasControlStore(place))) await record(place, done, by)
  return done
}

const rollBackRecords = (place: DestinationSettings, wanted: string | undefined): Promise<RolledBack> =>
  withRecordDatabase(place, async ({ pool, name, lock: lockAllNodes }) => {
    const { rollBackPlaced } = await import('../../snapshot/postgres/placed-operations.ts')
    const lock = await lockAllNodes()
    if (lock === null) throw alreadyRunning(name, undefined)
    return rollBackPlaced(pool, wanted).finally(lock.release)
  })

/** The trail of changes has its entry from the same transaction. */
const rollBackOnAllNodes = (
  place: DestinationSettings,
  wanted: string | undefined,
  by: string,
): Promise<RolledBack> =>
  withSharedSnapshots(place, async (parts) => {
    if (parts === null) throw new Error('The snapshots are shared')
    const { lock: lockAllNodes, name } = sharedDestination({ ...parts, by })
    makeDataFolder(parts.dataFolder)
    const lock = lockRefresh(parts.dataFolder)
    try {
      const ofAllNodes = await lockAllNodes?.()
      if (ofAllNodes === null) throw alreadyRunning(name, undefined)
      return await rollBackShared(parts, wanted, by).finally(ofAllNodes?.release)
    } finally {
      lock.release()
    }
  })

async function record(
  place: DestinationSettings,
  { snapshot, before }: RolledBack,
  by: string,
): Promise<void> {
  const store = await openControlStore(place, { create: false })
  try {
    await store.audit.note({
      actor: by,
      action: 'snapshot.rollback',
      subjectId: 'snapshots',
      after: { snapshot, before: before ?? null },
    })
  } finally {
    await store.close()
  }
}
