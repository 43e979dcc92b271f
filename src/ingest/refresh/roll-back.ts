/** Rolls back to an older snapshot while no refresh runs, and records it in the trail of changes. */
import { hasControlStore, openControlStore, type StorePlace } from '../../directory/open-stores.ts'
import { hasFolder } from '../../snapshot/stored-snapshots.ts'
import { type RolledBack, rollBack } from '../../snapshot/writing/roll-back.ts'
import { lockRefresh } from './refresh-lock.ts'

/**
 * @param by the actor of the audit entry
 * @throws Problem ING121 while a refresh runs, SNP32x when the snapshot cannot become current
 */
export async function rollBackSnapshot(
  place: StorePlace,
  wanted: string | undefined,
  by: string,
): Promise<RolledBack> {
  const dataFolder = typeof place === 'string' ? place : place.data
  // In a folder that does not exist the lock could not be made.
  if (!hasFolder(dataFolder)) return rollBack(dataFolder, wanted)
  const lock = lockRefresh(dataFolder)
  let done: RolledBack
  try {
    done = await rollBack(dataFolder, wanted)
  } finally {
    lock.release()
  }
  if (done.snapshot !== done.before && (await hasControlStore(place))) await record(place, done, by)
  return done
}

async function record(place: StorePlace, { snapshot, before }: RolledBack, by: string): Promise<void> {
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
