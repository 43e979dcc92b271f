/**
 * Builds and publishes one snapshot. Everything is written into a draft folder that no reader looks at; publishing syncs
 * it, renames it, and then switches the `current` file in one durable step. Killed at any point, the previous snapshot is
 * current and a later run removes the leftovers. Files of unchanged clients are linked from the previous snapshot.
 */
import { createHash } from 'node:crypto'
import { link, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RecordBatchFileWriter } from 'apache-arrow'
import { storedNames } from '../schema/datasets.ts'
import type { CollectionBuilder } from './collection-builder.ts'
import { FORMAT_VERSION } from './file-format.ts'
import { bookingsBefore, usableManifest } from './intact-manifest.ts'
import {
  clientFolder,
  currentFile,
  draftFolder,
  listDrafts,
  listSnapshotIds,
  makeDataFolder,
  newSnapshotId,
  readCurrentId,
  snapshotFolder,
  snapshotsFolder,
  syncFolder,
} from './layout.ts'
import {
  type ClientFiles,
  countsOf,
  type FileEntry,
  MANIFEST_FILE,
  type Manifest,
  type RefreshWarning,
  type SnapshotCounts,
  serializeManifest,
} from './manifest.ts'
import { type RowCounts, rowCountsOf, type TableRows } from './row-counts.ts'
import { verifyFile } from './verify.ts'

export interface SnapshotDraft {
  readonly id: string
  /** On the data folder's file system; whatever is left in it is published with the snapshot. */
  readonly folder: string
  /** The snapshot that is current while this one is built. */
  readonly previous: {
    readonly id: string
    readonly counts: SnapshotCounts
    readonly rows: RowCounts
  } | null
  /** In the snapshot before this one, whichever format it has. */
  readonly bookingsBefore: number
  /** Writes a client's collection; `kept` when an equal file could be linked from the previous snapshot. */
  add(builder: CollectionBuilder): Promise<{ readonly bytes: number; readonly kept: boolean }>
  /** Makes the draft the current snapshot. Every client must have had all of its collections added. */
  publish(about: {
    readonly extractedAt: Date
    readonly clients: readonly { readonly clientNumber: string; readonly name: string }[]
    readonly rejects: number
    readonly tables?: TableRows
    readonly warnings?: readonly RefreshWarning[]
  }): Promise<{ readonly id: string }>
  /** Removes the draft; the current snapshot stays. */
  abandon(): Promise<void>
}

/** @throws Problem SNP201 when the data folder cannot be written */
export async function beginSnapshot(dataFolder: string): Promise<SnapshotDraft> {
  makeDataFolder(snapshotsFolder(dataFolder))
  await removeDeadDrafts(dataFolder)
  const id = newSnapshotId(new Date(), (await listSnapshotIds(dataFolder))[0])
  const folder = draftFolder(dataFolder, id)
  makeDataFolder(folder)
  const previous = await usableManifest(dataFolder)
  const entries = new Map<string, Partial<ClientFiles>>()

  return {
    id,
    folder,
    previous:
      previous === null ? null : { id: previous.id, counts: countsOf(previous), rows: rowCountsOf(previous) },
    bookingsBefore: await bookingsBefore(dataFolder),

    async add(builder) {
      const before = previous?.clients.find(({ clientNumber }) => clientNumber === builder.clientNumber)?.[
        builder.stored
      ]
      const beforePath = before && join(snapshotFolder(dataFolder, previous?.id as string), before.path)
      const { entry, kept } = await writeCollection(
        folder,
        builder,
        before && { entry: before, path: beforePath as string },
      )
      entries.set(builder.clientNumber, { ...entries.get(builder.clientNumber), [builder.stored]: entry })
      return { bytes: entry.bytes, kept }
    },

    async publish({ extractedAt, clients, rejects, tables, warnings = [] }) {
      const manifest: Manifest = {
        format: FORMAT_VERSION,
        id,
        extractedAt: extractedAt.toISOString(),
        publishedAt: new Date().toISOString(),
        rejects,
        clients: clients.map(({ clientNumber, name }) => {
          return { clientNumber, name, ...complete(clientNumber, entries.get(clientNumber)) }
        }),
        ...(tables !== undefined && { tables }),
        warnings: [...warnings],
      }
      await writeDurably(join(folder, MANIFEST_FILE), [Buffer.from(serializeManifest(manifest))])
      await syncFolder(folder)
      await rename(folder, snapshotFolder(dataFolder, id))
      await syncFolder(snapshotsFolder(dataFolder))
      await makeCurrent(dataFolder, id)
      return { id }
    },

    abandon: () => rm(folder, { recursive: true, force: true }),
  }
}

function complete(clientNumber: string, files: Partial<ClientFiles> = {}): ClientFiles {
  const missing = storedNames.filter((stored) => files[stored] === undefined)
  if (missing.length > 0)
    throw new Error(`Client '${clientNumber}' lacks ${missing.join(', ')} in the snapshot`)
  return files as ClientFiles
}

/** Removes all but the newest `keep` snapshots. The current one always stays. */
export async function removeOldSnapshots(dataFolder: string, keep: number): Promise<void> {
  const current = await readCurrentId(dataFolder)
  const ids = await listSnapshotIds(dataFolder)
  for (const id of ids.slice(keep)) {
    if (id !== current) await rm(snapshotFolder(dataFolder, id), { recursive: true, force: true })
  }
}

async function writeCollection(
  draft: string,
  builder: CollectionBuilder,
  before: { readonly entry: FileEntry; readonly path: string } | undefined,
): Promise<{ entry: FileEntry; kept: boolean }> {
  const { chunks, bytes, sha256 } = await serialize(builder)
  const clientPath = clientFolder(builder.clientNumber)
  const path = `${clientPath}/${builder.stored}.arrow`
  const entry = { path, bytes, sha256, rows: builder.rowCount, elements: builder.elementCount }
  await mkdir(join(draft, clientPath), { recursive: true })
  const kept = before?.entry.sha256 === sha256 && (await linkIntact(before, join(draft, path)))
  if (!kept) await writeDurably(join(draft, path), chunks)
  await syncFolder(join(draft, clientPath))
  return { entry, kept }
}

/** The file's pieces, views over the builder's arrays: the checksum decides whether they are written at all. */
async function serialize(builder: CollectionBuilder) {
  const writer = new RecordBatchFileWriter()
  writer.write(builder.finish())
  writer.finish()
  const hash = createHash('sha256')
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of writer) {
    hash.update(chunk)
    chunks.push(chunk)
    bytes += chunk.byteLength
  }
  return { chunks, bytes, sha256: hash.digest('hex') }
}

/** Links the previous file unless it was damaged meanwhile, or the file system has no links. */
async function linkIntact(before: { entry: FileEntry; path: string }, target: string): Promise<boolean> {
  if ((await verifyFile(before.path, before.entry)) !== null) return false
  return link(before.path, target).then(
    () => true,
    () => false,
  )
}

async function writeDurably(path: string, chunks: readonly Uint8Array[]): Promise<void> {
  const handle = await open(path, 'w')
  try {
    for (const chunk of chunks) await writeWhole(handle, chunk)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function writeWhole(handle: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.byteLength; ) {
    written += (await handle.write(chunk, written)).bytesWritten
  }
}

async function makeCurrent(dataFolder: string, id: string): Promise<void> {
  const temporary = `${currentFile(dataFolder)}.${process.pid}`
  await writeDurably(temporary, [Buffer.from(`${id}\n`)])
  await rename(temporary, currentFile(dataFolder))
  await syncFolder(dataFolder)
}

async function removeDeadDrafts(dataFolder: string): Promise<void> {
  for (const { folder, pid } of await listDrafts(dataFolder)) {
    // A process has one draft at a time; in a container a new process often has the pid of the one that was killed.
    if (pid === process.pid || !isAlive(pid)) await rm(folder, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
