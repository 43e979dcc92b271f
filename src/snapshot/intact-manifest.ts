/**
 * Finds the snapshots that can be used: the manifest verifies, and every file exists and has its size. That is enough to
 * refuse a truncated or half-copied snapshot without reading gigabytes; contents are verified when they are loaded.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Problem } from '../kernel/problem.ts'
import { listSnapshotIds, readCurrentId, snapshotFolder } from './format/layout.ts'
import {
  type CountedManifest,
  damaged,
  type Examined,
  examineManifest,
  filesOf,
  MANIFEST_FILE,
  type Manifest,
  readCountedManifest,
} from './manifest.ts'
import { fileDamaged } from './problems.ts'

export async function intactManifest(dataFolder: string, id: string): Promise<Examined> {
  const folder = snapshotFolder(dataFolder, id)
  const examined = await examineManifest(folder)
  if (examined.state !== 'intact') return examined
  const { manifest } = examined
  if (manifest.id !== id) {
    return damaged(fileDamaged(join(folder, MANIFEST_FILE), `it belongs to snapshot ${manifest.id}`))
  }
  const problem = await wrongSize(folder, manifest)
  return problem === null ? examined : damaged(problem)
}

/**
 * The wanted snapshot, then the older ones from new to old, then those with newer ids: a clock that ran ahead for a while
 * leaves such ids behind, and an old snapshot is better than none.
 */
export function candidates(wanted: string | undefined, ids: readonly string[]): readonly string[] {
  if (wanted === undefined) return ids
  return [wanted, ...ids.filter((id) => id < wanted), ...ids.filter((id) => id > wanted)]
}

/** The manifest of the current snapshot, or of the snapshot that would be used instead; null when there is none. */
export async function usableManifest(dataFolder: string): Promise<Manifest | null> {
  for (const id of candidates(await readCurrentId(dataFolder), await listSnapshotIds(dataFolder))) {
    const { manifest } = await intactManifest(dataFolder, id)
    if (manifest !== null) return manifest
  }
  return null
}

/** The counts of the newest readable manifest, even when its format is not the one of this version. */
export async function countedManifest(dataFolder: string): Promise<CountedManifest | null> {
  for (const id of candidates(await readCurrentId(dataFolder), await listSnapshotIds(dataFolder))) {
    const counted = await readCountedManifest(snapshotFolder(dataFolder, id))
    if (counted !== null) return counted
  }
  return null
}

/** The problem of the first file that is missing or has another size. */
async function wrongSize(folder: string, { clients }: Manifest): Promise<Problem | null> {
  for (const entry of clients.flatMap(filesOf)) {
    const path = join(folder, entry.path)
    const size = await stat(path).then(
      (found) => found.size,
      () => undefined,
    )
    if (size === undefined) return fileDamaged(path, 'it is missing')
    if (size !== entry.bytes) return fileDamaged(path, `it has ${size} bytes instead of ${entry.bytes}`)
  }
  return null
}
