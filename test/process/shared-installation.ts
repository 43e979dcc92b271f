/** An installation whose nodes share their snapshots: one control store, one storage, and a data folder for each node. */
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ControlStore } from '../../src/directory/control-store.ts'
import { openControlStore } from '../../src/directory/open-stores.ts'
import type { Observation } from '../../src/observe/observation.ts'
import { SharedFiles } from '../../src/snapshot/files/shared-files.ts'
import { newSnapshotId } from '../../src/snapshot/format/layout.ts'
import { openShared } from '../../src/snapshot/objects/open-shared.ts'
import { sharedDestination } from '../../src/snapshot/objects/shared-destination.ts'
import { openSharedStorage } from '../../src/snapshot/objects/shared-storage.ts'
import type { ReadIndex } from '../../src/snapshot/objects/snapshot-index.ts'
import type { S3Server } from '../../src/snapshot/objects/testing/s3-server.ts'
import { openSnapshots } from '../../src/snapshot/open-snapshots.ts'
import { SnapshotCatalogue } from '../../src/snapshot/snapshot-catalogue.ts'
import { type Locators, publishLocators } from '../../src/snapshot/testing/data-folder.ts'
import type { SnapshotDestination } from '../../src/snapshot/writing/snapshot-writer.ts'

type Node = {
  readonly data: string
  readonly catalogue: SnapshotCatalogue
  /** What the node has observed. */
  readonly seen: Observation[]
}

type NodeOptions = {
  readonly data?: string
  readonly cacheBytes?: number
  /** What the control store says to this node. */
  readonly index?: ReadIndex
}

export type Installation = {
  readonly location: string
  readonly control: ControlStore
  readonly destination: (graceMs?: number) => SnapshotDestination
  /** Publishes a snapshot in which each client has one booking. */
  readonly publish: (locators: Locators) => Promise<{ readonly id: string; readonly kept: number }>
  /** Publishes what another version might. @returns its id */
  readonly publishManifest: (manifest: object) => Promise<string>
  /** A node with a data folder of its own, or with that of a node that has ended. */
  readonly node: (options?: NodeOptions) => Promise<Node>
  /** The keys of all objects. */
  readonly keys: () => Promise<readonly string[]>
  readonly delete: (keys: readonly string[]) => Promise<void>
}

/** The storages on which every promise must hold. */
export const storages: Readonly<Record<string, (s3: S3Server, root: string) => string>> = {
  S3: (s3) => s3.location(),
  'a shared folder': (_, root) => join(root, 'shared'),
}

/** @param place gets a folder that is removed after the test */
export async function openInstallation(
  t: TestContext,
  place: (root: string) => string,
): Promise<Installation> {
  const root = await mkdtemp(join(tmpdir(), 'tripfolio-shared-'))
  const location = place(root)
  const control = await openControlStore(join(root, 'control'))
  const { id: installation } = await control.tenant()
  const store = openSharedStorage(location)
  const closers = [store.close]
  t.after(async () => {
    for (const close of closers) close()
    await control.close()
    // What a node was loading at its end may still be written.
    await rm(root, { recursive: true, force: true, maxRetries: 10 })
  })
  let folders = 0
  const newFolder = () => join(root, `node-${++folders}`)

  const destination = (graceMs?: number): SnapshotDestination => {
    const dataFolder = newFolder()
    const place = { location, dataFolder, cacheBytes: 1e9 }
    const shared = openShared(place, () => undefined)
    closers.push(shared.close)
    return sharedDestination({
      ...shared,
      dataFolder,
      index: control.snapshots,
      installation,
      by: 'test',
      graceMs,
    })
  }

  return {
    location,
    control,
    destination,
    publish: async (locators) => publishLocators(await destination().begin(), locators),
    publishManifest: async (manifest) => {
      const { id } = await control.snapshots.begin((newest) => newSnapshotId(new Date(), newest))
      const content = gzipSync(JSON.stringify({ ...manifest, id }))
      const sha256 = createHash('sha256').update(content).digest('hex')
      const key = `${installation}/${id}/${sha256}`
      const bytes = content.byteLength
      await store.put(key, { chunks: [content], bytes, sha256 })
      await control.snapshots.publish(id, { key, bytes }, 'test')
      return id
    },
    node: async ({ data = newFolder(), cacheBytes, index = control.snapshots } = {}) => {
      const seen: Observation[] = []
      const observe = (observation: Observation) => void seen.push(observation)
      const snapshots = openSnapshots({ data, snapshots: location, snapshotCacheBytes: cacheBytes }, observe)
      closers.push(snapshots.close)
      const files = new SharedFiles(snapshots.files, observe)
      const catalogue = new SnapshotCatalogue(snapshots.manifests(index), observe, files.open)
      await catalogue.refresh()
      return { data, catalogue, seen }
    },
    keys: async () => {
      const keys: string[] = []
      for await (const { key } of store.list(`${installation}/`)) keys.push(key)
      return keys.sort()
    },
    delete: store.delete,
  }
}
