/**
 * Makes an older retained snapshot current: every file of it is verified, then the file `current` is switched in one durable
 * step. A running service answers from it within a second or two. Ids of later snapshots stay larger, so the next refresh
 * publishes as always. The caller holds the lock of refreshes.
 */
import { stepsInDataFolder } from '../changes/stored-steps.ts'
import { noteReturn } from '../changes/stored-successions.ts'
import { currentFile, listSnapshotIds, readCurrentId } from '../format/layout.ts'
import { noDataFolder, nothingToRollBackTo, rollBackDamaged, unknownSnapshot } from '../problems.ts'
import { hasFolder, type VerifiedSnapshot, verifySnapshot } from '../stored-snapshots.ts'
import { replaceDurably, type SnapshotDisk, snapshotDisk } from './snapshot-disk.ts'

export type RolledBack = {
  readonly snapshot: string
  /** The snapshot that was current before; undefined when the folder named none. */
  readonly before: string | undefined
  /** Snapshots between the two that were passed over because they are damaged. */
  readonly damaged: readonly string[]
}

/**
 * @param wanted an id; without it, the newest intact snapshot that is older than the current one
 * @throws Problem SNP320 for an unknown id, SNP321 when there is no older snapshot, SNP322 when it is damaged
 */
export async function rollBack(
  dataFolder: string,
  wanted: string | undefined,
  disk: SnapshotDisk = snapshotDisk,
): Promise<RolledBack> {
  if (!hasFolder(dataFolder)) throw noDataFolder(dataFolder)
  const before = await readCurrentId(dataFolder)
  const ids = await listSnapshotIds(dataFolder)
  const { snapshot, damaged } =
    wanted === undefined ? await newestIntact(dataFolder, before, ids) : await known(dataFolder, wanted, ids)
  if (snapshot !== before) {
    await noteReturn(stepsInDataFolder(dataFolder), snapshot, before ?? ids[0])
    await replaceDurably(disk, currentFile(dataFolder), `${snapshot}\n`)
  }
  return { snapshot, before, damaged }
}

type Chosen = Pick<RolledBack, 'snapshot' | 'damaged'>

async function known(dataFolder: string, wanted: string, ids: readonly string[]): Promise<Chosen> {
  if (!ids.includes(wanted)) throw unknownSnapshot(wanted, ids)
  const damages = damagesOf(await verifySnapshot(dataFolder, wanted))
  if (damages.length > 0) throw rollBackDamaged(wanted, damages)
  return { snapshot: wanted, damaged: [] }
}

async function newestIntact(
  dataFolder: string,
  current: string | undefined,
  ids: readonly string[],
): Promise<Chosen> {
  const older = current === undefined ? [] : ids.filter((id) => id < current)
  const damaged: string[] = []
  let first: readonly string[] = []
  for (const snapshot of older) {
    const damages = damagesOf(await verifySnapshot(dataFolder, snapshot))
    if (damages.length === 0) return { snapshot, damaged }
    if (damaged.length === 0) first = damages
    damaged.push(snapshot)
  }
  const [newest] = damaged
  throw newest === undefined ? nothingToRollBackTo(current) : rollBackDamaged(newest, first)
}

/** A snapshot of another format cannot be used by this version. */
const damagesOf = ({ damaged, note }: VerifiedSnapshot): readonly string[] =>
  note === undefined ? damaged : [note]
