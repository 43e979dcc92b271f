/**
 * Rolls back to an older snapshot while no refresh runs, holds refreshes so that none undoes it, and records both in the trail of
 * changes. All of it happens under the lock of refreshes: none begins in between.
 */
import type { ControlStore } from '../../directory/control-store.ts'
import type { Held } from '../../directory/holds/held.ts'
import type { Holds } from '../../directory/holds/holds.ts'
import { hasControlStore, openControlStore } from '../../directory/open-stores.ts'
import { makeDataFolder } from '../../snapshot/format/layout.ts'
import { sharedDestination } from '../../snapshot/objects/shared-destination.ts'
import { rollBackShared } from '../../snapshot/objects/stored-objects.ts'
import { hasFolder } from '../../snapshot/stored-snapshots.ts'
import { type RolledBack, rollBack } from '../../snapshot/writing/roll-back.ts'
import { alreadyRunning } from '../problems.ts'
import { type DestinationSettings, withRecordDatabase, withSharedSnapshots } from './destination.ts'
import { lockRefresh } from './refresh-lock.ts'

export type RolledBackAndHeld = RolledBack & {
  /** Null where nothing was changed, or where there is no control store. */
  readonly held: Held | null
}

type Wish = {
  /** An id; without it, the newest intact snapshot that is older than the current one. */
  readonly wanted: string | undefined
  /** The actor of the audit entries. */
  readonly by: string
  /** Why; by default the reason only names the snapshot. */
  readonly reason?: string | undefined
}

/**
 * @throws Problem ING121 while a refresh runs, SNP32x when the snapshot cannot become current
 */
export async function rollBackSnapshot(place: DestinationSettings, wish: Wish): Promise<RolledBackAndHeld> {
  const { data: dataFolder, snapshots, engine } = place
  // What is done is recorded there: a store of another version is refused before anything is done.
  if (await hasControlStore(place)) await (await openControlStore(place, { create: false })).close()
  if (engine === 'postgres') return rollBackRecords(place, wish)
  if (snapshots !== undefined) return rollBackOnAllNodes(place, wish)
  // In a folder that does not exist the lock could not be made.
  if (!hasFolder(dataFolder)) return { ...(await rollBack(dataFolder, wish.wanted)), held: null }
  const lock = lockRefresh(dataFolder)
  try {
    return await recorded(place, wish, await rollBack(dataFolder, wish.wanted))
  } finally {
    lock.release()
  }
}

const rollBackRecords = (place: DestinationSettings, wish: Wish): Promise<RolledBackAndHeld> =>
  withRecordDatabase(place, async ({ pool, name, lock: lockAllNodes }) => {
    const { rollBackPlaced } = await import('../../snapshot/postgres/placed-operations.ts')
    const lock = await lockAllNodes()
    if (lock === null) throw alreadyRunning(name, undefined)
    try {
      return await recorded(place, wish, await rollBackPlaced(pool, wish.wanted))
    } finally {
      await lock.release()
    }
  })

/** The trail of changes has its entry from the same transaction. */
const rollBackOnAllNodes = (place: DestinationSettings, wish: Wish): Promise<RolledBackAndHeld> =>
  withSharedSnapshots(place, async (parts) => {
    const { wanted, by } = wish
    if (parts === null) throw new Error('The snapshots are shared')
    const { lock: lockAllNodes, name } = sharedDestination({ ...parts, by })
    makeDataFolder(parts.dataFolder)
    const lock = lockRefresh(parts.dataFolder)
    try {
      const ofAllNodes = await lockAllNodes?.()
      if (ofAllNodes === null) throw alreadyRunning(name, undefined)
      try {
        const done = await rollBackShared(parts, wanted, by)
        return await changed(place, done, ({ holds }) => holdRefreshes(holds, done, wish))
      } finally {
        await ofAllNodes?.release()
      }
    } finally {
      lock.release()
    }
  })

const recorded = (place: DestinationSettings, wish: Wish, done: RolledBack): Promise<RolledBackAndHeld> =>
  changed(place, done, async ({ audit, holds }) => {
    const { snapshot, before = null } = done
    const after = { snapshot, before }
    await audit.note({ actor: wish.by, action: 'snapshot.rollback', subjectId: 'snapshots', after })
    return holdRefreshes(holds, done, wish)
  })

/** Works on the control store if the rollback has changed something, and if there is one. */
async function changed(
  place: DestinationSettings,
  done: RolledBack,
  work: (store: ControlStore) => Promise<Held | null>,
): Promise<RolledBackAndHeld> {
  if (done.snapshot === done.before || !(await hasControlStore(place))) return { ...done, held: null }
  const store = await openControlStore(place, { create: false })
  try {
    return { ...done, held: await work(store) }
  } finally {
    await store.close()
  }
}

async function holdRefreshes(holds: Holds, { snapshot }: RolledBack, wish: Wish): Promise<Held | null> {
  const reason = wish.reason ?? `rolled back to snapshot ${snapshot}`
  const { held } = await holds.hold('refreshes', { at: new Date().toISOString(), by: wish.by, reason })
  return held
}
