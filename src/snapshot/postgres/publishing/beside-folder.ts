/**
 * Files that a refresh writes beside the records, such as the list of rejects: `<data>/rejects/<id>/` of the machine that
 * refreshed, and `<data>/rejects/.draft-<id>/` until the snapshot is published.
 */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const parent = (dataFolder: string): string => join(dataFolder, 'rejects')

export const besideFolder = (dataFolder: string, id: string): string => join(parent(dataFolder), id)

export const besidePath = (dataFolder: string, id: string, name: string): string =>
  join(besideFolder(dataFolder, id), name)

export const draftBesideFolder = (dataFolder: string, id: string): string =>
  join(parent(dataFolder), DRAFT + id)

const DRAFT = '.draft-'

/** The caller holds the lock of the data folder, so every draft is a leftover. */
export const removeDraftFolders = (dataFolder: string): Promise<void> =>
  removeWhere(dataFolder, (name) => name.startsWith(DRAFT))

export const removeFoldersExcept = (dataFolder: string, kept: ReadonlySet<string>): Promise<void> =>
  removeWhere(dataFolder, (name) => !name.startsWith(DRAFT) && !kept.has(name))

async function removeWhere(dataFolder: string, isUnused: (name: string) => boolean): Promise<void> {
  const names = await readdir(parent(dataFolder)).catch(() => [])
  for (const name of names.filter(isUnused)) {
    await rm(join(parent(dataFolder), name), { recursive: true, force: true })
  }
}
