/**
 * Where published snapshots are read from: the data folder of one node (`dataFolderSource`), or storage that several nodes share
 * (`objects/shared-source.ts`). A path stands for the data folder there.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CollectionFile } from './files/collection-files.ts'
import { listSnapshotIds, readCurrentId, snapshotFolder } from './format/layout.ts'
import { intactManifest } from './intact-manifest.ts'
import { damaged, type Examined } from './manifest.ts'
import { snapshotGone } from './problems.ts'
import { loadVerified } from './verify.ts'

/** Requests to a storage far away that are under way at the same time. */
export const SHARED_PARALLEL_LOADS = 16

export interface SnapshotSource extends ManifestSource, FileSource {}

/** @throws Problem of the kind `unavailable` when a method cannot know its answer at the moment */
export interface ManifestSource {
  /** The id of the snapshot that should be current; undefined when none is named. */
  currentId(): Promise<string | undefined>
  /** The ids of all published snapshots, newest first. */
  ids(): Promise<readonly string[]>
  /** Whether a snapshot can be used. The contents of its files are verified when they are loaded. */
  examine(id: string): Promise<Examined>
  /** A file that lies beside the records; null when there is none. */
  fileBeside(id: string, name: string): Promise<string | null>
  /** How many files to load at the same time: a disk gains nothing from several, a storage far away does. */
  readonly parallelLoads: number
}

export interface FileSource {
  /**
   * Reads a whole file into shared memory and verifies it.
   *
   * @throws Error with the reason when the file is missing or differs from its entry
   * @throws Problem of the kind `unavailable` when that is not known
   */
  load(file: CollectionFile): Promise<Uint8Array>
  /** Whether the snapshot was removed, so that its missing files are no damage. */
  wasRemoved(snapshot: string): boolean
}

export const dataFolderSource = (dataFolder: string): SnapshotSource => ({
  currentId: () => readCurrentId(dataFolder),
  ids: () => listSnapshotIds(dataFolder),
  examine: async (id) =>
    existsSync(snapshotFolder(dataFolder, id)) ? intactManifest(dataFolder, id) : damaged(snapshotGone(id)),
  fileBeside: async (id, name) => join(snapshotFolder(dataFolder, id), name),
  parallelLoads: 1,
  load: ({ snapshot, entry }) => loadVerified(join(snapshotFolder(dataFolder, snapshot), entry.path), entry),
  wasRemoved: (snapshot) => !existsSync(snapshotFolder(dataFolder, snapshot)),
})

export const manifestSourceOf = (from: ManifestSource | string): ManifestSource =>
  typeof from === 'string' ? dataFolderSource(from) : from

export const fileSourceOf = (from: FileSource | string): FileSource =>
  typeof from === 'string' ? dataFolderSource(from) : from
