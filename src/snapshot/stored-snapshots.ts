/** Lists and verifies the retained snapshots of a data folder, newest first. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { storedNames } from '../schema/datasets.ts'
import type { CollectionFile } from './files/collection-files.ts'
import { noteSharedGarbage } from './files/shared-memory.ts'
import { listSnapshotIds, readCurrentId, snapshotFolder } from './format/layout.ts'
import { countsOf, type Examined, examineManifest, type Manifest } from './manifest.ts'
import { noDataFolder, reasonOf } from './problems.ts'
import { loadVerified } from './verify.ts'

/** @throws Problem SNP303 when there is no such folder: a mistyped name must not look like a folder without snapshots */
export async function describeSnapshots(dataFolder: string): Promise<readonly SnapshotDescription[]> {
  refuseMissingFolder(dataFolder)
  const current = await readCurrentId(dataFolder)
  const ids = await listSnapshotIds(dataFolder)
  return Promise.all(
    ids.map(async (id) => {
      const examined = await examineManifest(snapshotFolder(dataFolder, id))
      return { id, current: id === current, ...describeExamined(examined) }
    }),
  )
}

export type SnapshotDescription = { readonly id: string; readonly current: boolean } & ReturnType<
  typeof describeExamined
>

export function describeExamined({ state, manifest }: Examined) {
  if (manifest === null) return { state: state === 'other-format' ? 'other format' : 'damaged' }
  const { extractedAt, publishedAt, rejects, clients } = manifest
  return { state: 'ok', extractedAt, publishedAt, clients: clients.length, ...countsOf(manifest), rejects }
}

export type VerifiedSnapshot = {
  readonly id: string
  readonly files: number
  readonly bytes: number
  /** A message for each damaged file. */
  readonly damaged: readonly string[]
  /** Why nothing was checked, when the reason is not damage. */
  readonly note?: string
}

/** Reads every file. @throws Problem SNP303 */
export async function verifySnapshots(dataFolder: string): Promise<readonly VerifiedSnapshot[]> {
  refuseMissingFolder(dataFolder)
  const verified: VerifiedSnapshot[] = []
  for (const id of await listSnapshotIds(dataFolder)) verified.push(await verifySnapshot(dataFolder, id))
  return verified
}

export async function verifySnapshot(dataFolder: string, id: string): Promise<VerifiedSnapshot> {
  const folder = snapshotFolder(dataFolder, id)
  const { state, manifest, problem } = await examineManifest(folder)
  // Only another version of Tripfolio can check it.
  if (state === 'other-format') return { id, files: 0, bytes: 0, damaged: [], note: problem.message }
  if (state === 'damaged') return { id, files: 0, bytes: 0, damaged: [problem.message] }
  const files = collectionFilesOf(manifest)
  const damaged: string[] = []
  for (const file of files) {
    const reason = await damageIn(folder, file)
    if (reason !== null) damaged.push(`${file.entry.path}: ${reason}`)
  }
  return { id, files: files.length, bytes: files.reduce((sum, { entry }) => sum + entry.bytes, 0), damaged }
}

/** The files of all clients, each with what it must hold. */
export const collectionFilesOf = ({
  id,
  clients,
}: Pick<Manifest, 'id' | 'clients'>): readonly CollectionFile[] =>
  clients.flatMap((client) =>
    storedNames.map((stored) => ({
      snapshot: id,
      clientNumber: client.clientNumber,
      stored,
      entry: client[stored],
    })),
  )

async function damageIn(folder: string, file: CollectionFile): Promise<string | null> {
  const { path, bytes } = file.entry
  try {
    return await refusalOf(await loadVerified(join(folder, path), file.entry), file)
  } catch (error) {
    return reasonOf(error)
  } finally {
    noteSharedGarbage(bytes)
  }
}

/** Why the service would refuse these bytes as the file, which it opens with the same code; null when it would not. */
export async function refusalOf(
  bytes: Uint8Array,
  { clientNumber, stored, entry }: CollectionFile,
): Promise<string | null> {
  // Only those who verify need the format.
  const { readCollection } = await import('./format/read-collection.ts')
  try {
    readCollection(bytes, { clientNumber, stored, version: entry.sha256 })
    return null
  } catch (error) {
    return reasonOf(error)
  }
}

/** @throws Problem SNP303 */
export function refuseMissingFolder(dataFolder: string): void {
  if (!hasFolder(dataFolder)) throw noDataFolder(dataFolder)
}

export const hasFolder = (dataFolder: string): boolean =>
  statSync(dataFolder, { throwIfNoEntry: false })?.isDirectory() === true
