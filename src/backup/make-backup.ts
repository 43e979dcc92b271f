/**
 * Copies a data folder into a new folder, while a service may run on it. Everything is written and verified under another
 * name; the last step renames it. So a backup is complete, or there is nothing under its name.
 *
 * The stores come before the keys: a key is made before the first value that it seals is stored, so a copied value always has
 * its key. Refreshes go on meanwhile. When one of them removes the snapshot that is being copied, the newer one is copied.
 */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { controlStorePath, copyStores, refuseUnfinishedRestore } from '../directory/open-stores.ts'
import { noControlStore } from '../directory/problems.ts'
import { version } from '../kernel/files/version.ts'
import { Problem } from '../kernel/problem.ts'
import { leftOutSnapshots } from '../snapshot/changes/stored-successions.ts'
import { listSnapshotIds, readCurrentId, snapshotFolder } from '../snapshot/format/layout.ts'
import { usableManifest } from '../snapshot/intact-manifest.ts'
import { filesOf, MANIFEST_FILE, readManifest } from '../snapshot/manifest.ts'
import { fileDamaged, noDataFolder } from '../snapshot/problems.ts'
import { hasFolder } from '../snapshot/stored-snapshots.ts'
import { verifyFile } from '../snapshot/verify.ts'
import { isAlive } from '../snapshot/writing/leftovers.ts'
import { type BackupDisk, backupDisk } from './backup-disk.ts'
import {
  BACKUP_FORMAT,
  BACKUP_LIST,
  type BackedUpFile,
  type BackupList,
  describeFile,
} from './backup-list.ts'
import { backupExists } from './problems.ts'

export type BackupOptions = {
  /** `current`: the one that is served; `all`: every intact one; `none`: they can be made again from extracts. */
  readonly snapshots: 'current' | 'all' | 'none'
  /** Whether the records of runs are included. */
  readonly history: boolean
  /** Whether accounts, endpoints and the history are in a database, which has backups of its own. */
  readonly storeOutside?: boolean
}

/**
 * @throws Problem DIR450 for a data folder that was restored only in part, DIR453 when the folder exists, DIR456 when a file
 *   cannot be written, SNP301 when a snapshot is damaged
 */
export async function makeBackup(
  dataFolder: string,
  folder: string,
  { snapshots, history, storeOutside = false }: BackupOptions,
  disk: BackupDisk = backupDisk,
): Promise<BackupList> {
  if (!hasFolder(dataFolder)) throw noDataFolder(dataFolder)
  refuseUnfinishedRestore(dataFolder)
  const target = resolve(folder)
  if (existsSync(target)) throw backupExists(folder)
  await removeLeftovers(target, disk)
  const draft = draftOf(target)
  try {
    await disk.makeFolder(draft)
    const stores = await copyStores(dataFolder, draft, { history })
    const keys = await copyFiles(dataFolder, draft, ['secret.key', 'token.key', 'tripfolio.json'], disk)
    const { snapshot, paths } = await copySnapshots(dataFolder, draft, snapshots, disk)
    // Probably a mistyped name: a backup of nothing would be noticed when it is needed.
    const hasContent = stores.length > 0 || snapshot !== null || (storeOutside && keys.length > 0)
    if (!hasContent) throw noControlStore(controlStorePath(dataFolder))
    const files: BackedUpFile[] = []
    // `current` comes last, after the snapshot that it names.
    for (const path of [...stores, ...keys, ...paths]) files.push(await describeFile(draft, path))
    const madeAt = new Date().toISOString()
    const list: BackupList = { format: BACKUP_FORMAT, madeAt, version, snapshot, files }
    await disk.write(join(draft, BACKUP_LIST), `${JSON.stringify(list, null, 1)}\n`)
    for (const each of foldersOf(files)) await disk.syncFolder(join(draft, each))
    await disk.rename(draft, target)
    await disk.syncFolder(dirname(target))
    return list
  } catch (error) {
    await disk.remove(draft).catch(() => undefined)
    throw error
  }
}

/** The folders that hold these files, the deepest first. */
export const foldersOf = (files: readonly BackedUpFile[]): readonly string[] =>
  [...new Set(files.flatMap(({ path }) => above(path)))].sort((a, b) => b.length - a.length)

const above = (path: string): readonly string[] => {
  const folder = dirname(path)
  return folder === '.' ? ['.'] : [folder, ...above(folder)]
}

async function copyFiles(
  from: string,
  to: string,
  paths: readonly string[],
  disk: BackupDisk,
): Promise<readonly string[]> {
  const there = paths.filter((path) => existsSync(join(from, path)))
  for (const path of there) {
    await disk.makeFolder(dirname(join(to, path)))
    await disk.copy(join(from, path), join(to, path))
  }
  return there
}

type Copied = { readonly snapshot: string | null; readonly paths: readonly string[] }

async function copySnapshots(
  dataFolder: string,
  draft: string,
  which: BackupOptions['snapshots'],
  disk: BackupDisk,
): Promise<Copied> {
  if (which === 'none') return { snapshot: null, paths: await noteLeftOut(dataFolder, draft, disk) }
  const paths = which === 'all' ? await copyOthers(dataFolder, draft, disk) : new Map<string, string[]>()
  const snapshot = await copyCurrent(dataFolder, draft, paths, disk)
  if (snapshot === null) return { snapshot, paths: [...paths.values()].flat() }
  await disk.write(join(draft, 'current'), `${snapshot}\n`)
  return { snapshot, paths: [...paths.values()].flat().concat('current') }
}

/** Who asks what changed must not be told that nobody had any records before the first refresh after a restore. */
async function noteLeftOut(dataFolder: string, draft: string, disk: BackupDisk): Promise<readonly string[]> {
  const snapshot = (await readCurrentId(dataFolder)) ?? (await listSnapshotIds(dataFolder))[0]
  if (snapshot === undefined) return []
  const { path, content } = leftOutSnapshots(snapshot)
  await disk.makeFolder(dirname(join(draft, path)))
  await disk.write(join(draft, path), content)
  return [path]
}

/** Snapshots that are damaged, of another format or removed meanwhile are left out: only the current one matters. */
async function copyOthers(
  dataFolder: string,
  draft: string,
  disk: BackupDisk,
): Promise<Map<string, readonly string[]>> {
  const paths = new Map<string, readonly string[]>()
  for (const id of await listSnapshotIds(dataFolder)) {
    try {
      paths.set(id, await copySnapshot(dataFolder, id, draft, disk))
    } catch (error) {
      if (!isFaultOfSnapshot(error) && (await listSnapshotIds(dataFolder)).includes(id)) throw error
      await disk.remove(snapshotFolder(draft, id))
    }
  }
  return paths
}

const isFaultOfSnapshot = (error: unknown): boolean =>
  error instanceof Problem && error.kind === 'storage-failure'

/** @returns its id; null when there is no snapshot */
async function copyCurrent(
  dataFolder: string,
  draft: string,
  paths: Map<string, readonly string[]>,
  disk: BackupDisk,
): Promise<string | null> {
  for (;;) {
    const id = (await usableManifest(dataFolder))?.id
    if (id === undefined) return null
    if (paths.has(id)) return id
    try {
      paths.set(id, await copySnapshot(dataFolder, id, draft, disk))
      return id
    } catch (error) {
      await disk.remove(snapshotFolder(draft, id))
      // A refresh has removed it meanwhile; there is a newer one then.
      if ((await listSnapshotIds(dataFolder)).includes(id)) throw error
    }
  }
}

/**
 * Verifies what was written, not what was read.
 *
 * @throws Problem SNP301 when a file of the snapshot does not match the manifest
 */
async function copySnapshot(
  dataFolder: string,
  id: string,
  draft: string,
  disk: BackupDisk,
): Promise<readonly string[]> {
  const [from, to] = [snapshotFolder(dataFolder, id), snapshotFolder(draft, id)]
  const manifest = await readManifest(from)
  const entries = manifest.clients.flatMap(filesOf)
  const names = await readdir(from, { recursive: true, withFileTypes: true })
  const paths = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1))
    .filter((path) => path !== MANIFEST_FILE)
  await copyFiles(from, to, [...paths, MANIFEST_FILE], disk)
  for (const entry of entries) {
    const reason = await verifyFile(join(to, entry.path), entry)
    if (reason !== null) throw fileDamaged(join(from, entry.path), reason)
  }
  return [...paths, MANIFEST_FILE].map((path) => `snapshots/${id}/${path}`)
}

const draftOf = (target: string): string =>
  join(dirname(target), `.${basename(target)}.partial-${process.pid}`)

/** Removes what killed backups have left beside it, under any name: each backup may have the date in its name. */
async function removeLeftovers(target: string, disk: BackupDisk): Promise<void> {
  const folder = dirname(target)
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const pid = Number(/^\..+\.partial-(\d+)$/.exec(name)?.[1] ?? Number.NaN)
    // A container may give each process the same number, so the number says nothing about drafts of other names.
    const isOwn = join(folder, name) === draftOf(target)
    if (isOwn || (!Number.isNaN(pid) && pid !== process.pid && !isAlive(pid)))
      await disk.remove(join(folder, name))
  }
}
