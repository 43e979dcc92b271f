/** For tests of snapshots: makes a data folder for each test, and publishes small snapshots into it. */
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Observation } from '../../observe/observation.ts'
import { type StoredName, storedNames } from '../../schema/datasets.ts'
import type { FieldValue } from '../../schema/field.ts'
import { SharedFiles } from '../files/shared-files.ts'
import { CollectionBuilder } from '../format/collection-builder.ts'
import { snapshotFolder } from '../format/layout.ts'
import { MANIFEST_FILE, readManifest, serializeManifest } from '../manifest.ts'
import type { TextColumn } from '../partition.ts'
import type { Snapshot } from '../snapshot.ts'
import { SnapshotCatalogue } from '../snapshot-catalogue.ts'
import { beginSnapshot, type SnapshotDraft } from '../writing/snapshot-writer.ts'

export class DataFolder {
  readonly path: string
  /** The observations of catalogues that were opened here. */
  readonly seen: Observation[] = []

  private constructor(path: string) {
    this.path = path
  }

  static async make(): Promise<DataFolder> {
    return new DataFolder(await mkdtemp(join(tmpdir(), 'tripfolio-snapshot-')))
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true })
  }

  readonly observe = (observation: Observation): void => {
    this.seen.push(observation)
  }

  /** Publishes a snapshot in which each client has one booking with the given locator in both versions, and no invoices. */
  async publish(locators: Locators): Promise<{ id: string; kept: number }> {
    return publishLocators(await beginSnapshot(this.path), locators)
  }

  async open(memoryBudget?: number): Promise<SnapshotCatalogue> {
    const files = new SharedFiles(this.path, this.observe, memoryBudget)
    const catalogue = new SnapshotCatalogue(this.path, this.observe, files.open)
    await catalogue.refresh()
    return catalogue
  }

  /** The collections that have been loaded so far, such as `A bookings`. */
  get loads(): readonly string[] {
    return this.seen.flatMap((o) => (o.kind === 'partition-loaded' ? [`${o.clientNumber} ${o.stored}`] : []))
  }

  manifestFile(id: string): string {
    return join(snapshotFolder(this.path, id), MANIFEST_FILE)
  }

  async bookingsFile(id: string, clientNumber: string, stored: StoredName = 'bookings'): Promise<string> {
    const { clients } = await readManifest(snapshotFolder(this.path, id))
    const path = clients.find((client) => client.clientNumber === clientNumber)?.[stored].path as string
    return join(snapshotFolder(this.path, id), path)
  }

  /** Makes a snapshot look as if it had been published under another id. */
  async renameSnapshot(from: string, to: string): Promise<void> {
    const manifest = await readManifest(snapshotFolder(this.path, from))
    await rename(snapshotFolder(this.path, from), snapshotFolder(this.path, to))
    await writeFile(this.manifestFile(to), serializeManifest({ ...manifest, id: to }))
  }
}

/** The locator of each client's booking. */
export type Locators = Readonly<Record<string, string>>

/** Like {@link DataFolder.publish}, into any draft. */
export async function publishLocators(
  draft: SnapshotDraft,
  locators: Locators,
): Promise<{ id: string; kept: number }> {
  const kept = await addLocators(draft, locators)
  const clients = Object.keys(locators).map((clientNumber) => ({ clientNumber, name: clientNumber }))
  const { id } = await draft.publish({ extractedAt: new Date('2026-01-02T03:04:05Z'), clients, rejects: 0 })
  return { id, kept }
}

/** @returns how many collections were kept */
export async function addLocators(draft: SnapshotDraft, locators: Locators): Promise<number> {
  let kept = 0
  for (const [clientNumber, locator] of Object.entries(locators)) {
    for (const stored of storedNames) {
      const builder = new CollectionBuilder(stored, clientNumber, [])
      const values = bookingValues[stored]?.(clientNumber, locator)
      if (values !== undefined) builder.append({ values, custom: [], elements: [], lists: noLists })
      if ((await draft.add(builder)).kept) kept++
    }
  }
  return kept
}

const noLists = { travellers: '[]', segments: '[]', lineItems: '[]', payments: '[]' }

const bookingValues: {
  readonly [Name in StoredName]?: (clientNumber: string, locator: string) => readonly FieldValue[]
} = {
  bookings: (clientNumber, locator) => [clientNumber, locator, 'Agency', 0, 0, true, false, 0, 0],
  'bookings-v1': (clientNumber, locator) => [
    ...[locator, 'Agency', clientNumber, 0, 0, true, false],
    ...new Array<null>(9).fill(null),
    ...[0, 0, 0],
    ...new Array<null>(5).fill(null),
  ],
}

/** The locator of a client's first booking; undefined when there is none. */
export async function locatorIn(
  snapshot: Snapshot | null | undefined,
  clientNumber: string,
  stored: StoredName = 'bookings',
): Promise<string | undefined> {
  const partition = (await snapshot?.partition(clientNumber, stored))?.partition
  const column = partition?.columns.get('recordLocator') as TextColumn
  return partition?.rowCount === 0 ? undefined : column.dictionary.text(column.codes[0] as number)
}

/** The locator of a client's first booking in the current snapshot. */
export const locatorOf = (catalogue: SnapshotCatalogue, clientNumber: string, stored?: StoredName) =>
  locatorIn(catalogue.current(), clientNumber, stored)

/** Changes one byte in the middle, keeping the size. */
export async function damage(path: string): Promise<void> {
  const bytes = await readFile(path)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 0xff
  await writeFile(path, bytes)
}
