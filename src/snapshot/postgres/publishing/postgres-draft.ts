/**
 * A snapshot that a refresh builds in PostgreSQL. Rows of changed clients go into the tables of a new generation, which no
 * reader looks at; publishing makes the snapshot current in one transaction. When the refresh is killed before that, the
 * previous snapshot stays current and the next refresh drops the tables.
 */
import { rename, rm } from 'node:fs/promises'
import type { DatabasePool } from '../../../postgres/connect.ts'
import { type StoredName, storedNames } from '../../../schema/datasets.ts'
import { noRows } from '../../changes/compare-collections.ts'
import { createStepRecorder, type StepRecorder } from '../../changes/step-recorder.ts'
import type { CollectionBuilder } from '../../format/collection-builder.ts'
import { makeDataFolder, newSnapshotId } from '../../format/layout.ts'
import { partitionOf } from '../../format/read-collection.ts'
import { serializeCollection } from '../../format/serialize-collection.ts'
import type { SnapshotCounts } from '../../manifest.ts'
import { contentOf } from '../../writing/old-snapshots.ts'
import type { SnapshotDraft } from '../../writing/snapshot-writer.ts'
import { placedRows, tableStepSink } from '../step-table.ts'
import { besideFolder, draftBesideFolder } from './beside-folder.ts'
import { chooseMoves } from './compaction.ts'
import { createGeneration, type Generation } from './generations.ts'
import {
  type Collection,
  currentOnes,
  type Known,
  keyOf,
  openOnes,
  readKnown,
  rowCountsOf,
  tablesOf,
} from './known-collections.ts'
import { type Changes, isPublishedForGood, type Publication, publishChanges } from './publication.ts'

type Place = { readonly pool: DatabasePool; readonly dataFolder: string }

/** The labels are needed for new rows only. */
type Entry = Collection & { readonly labels?: readonly string[] }

/** @param refresh number of this refresh: while another one has begun since, nothing is published */
export async function beginDraft({ pool, dataFolder }: Place, refresh: number): Promise<SnapshotDraft> {
  const known = await pool.withConnection(readKnown)
  const id = newSnapshotId(new Date(), known.newestId)
  const folder = draftBesideFolder(dataFolder, id)
  makeDataFolder(folder)
  const generation = createGeneration(pool)
  const entries = new Map<string, Entry>()
  const { current } = known
  const before = currentOnes(known)
  const steps = createStepRecorder(
    current && {
      version: (clientNumber, stored) => before.get(keyOf({ clientNumber, stored }))?.version,
      clientNumbers: () => new Set([...before.values()].map(({ clientNumber }) => clientNumber)),
      load: async (clientNumber, stored) => {
        const { rows, generation } = before.get(keyOf({ clientNumber, stored })) as Collection
        // A client without records has no tables.
        if (rows === 0) return { rows: noRows }
        return { rows: await placedRows(pool, { clientNumber, stored, generation }) }
      },
    },
    tableStepSink(pool, id),
  )

  return {
    id,
    folder,
    previous: current === null ? null : { id: current.id, counts: current.counts },
    rowsBefore: rowCountsOf(known),
    bookingsBefore: current?.counts.bookings ?? 0,

    async add(builder) {
      const { entry, kept } = await placed(builder, known, { generation, steps })
      entries.set(keyOf(entry), entry)
      return { bytes: entry.bytes, kept }
    },

    async publish({
      extractedAt,
      clients,
      rejects,
      tables = {},
      invoicesWithoutBooking = null,
      warnings = [],
    }) {
      for (const { clientNumber } of clients) requireAll(clientNumber, entries)
      const { warnings: found, ...stored } = await steps.finish(
        clients.map(({ clientNumber }) => clientNumber),
      )
      await moveRows(entries, known, generation)
      await generation.finish()
      const snapshot = {
        id,
        sequence: known.newest + 1,
        extractedAt,
        facts: {
          ...totalsOf([...entries.values()]),
          clients: clients.length,
          content: contentOf(clients, (clientNumber, stored) => versionIn(entries, clientNumber, stored)),
          rejects,
          tables,
          invoicesWithoutBooking,
          warnings: [...warnings, ...found],
        },
      }
      const changes = { ...changesOf(entries, known), ...changedNames(clients, known) }
      const written = { number: generation.number(), rows: generation.written }
      // Before the publication, because nothing may fail after it. Readers do not look for the files of unknown snapshots.
      await rename(folder, besideFolder(dataFolder, id))
      const recorded = { compared: current?.id ?? null, ...stored }
      await publishedSurely(pool, { refresh, snapshot, changes, recorded, written })
      return { id, warnings: found }
    },

    async abandon() {
      for (const path of [folder, besideFolder(dataFolder, id)]) {
        await rm(path, { recursive: true, force: true })
      }
      // Otherwise the connection broke while the server committed: the tables are in use.
      if (await isPublishedForGood(pool, { refresh, id })) return
      await generation.drop()
      await steps.abandon()
    },
  }
}

/** When the connection breaks in the commit, only the server knows whether the snapshot is published. */
async function publishedSurely(pool: DatabasePool, publication: Publication): Promise<void> {
  try {
    await publishChanges(pool, publication)
  } catch (cause) {
    const { refresh, snapshot } = publication
    const published = await isPublishedForGood(pool, { refresh, id: snapshot.id }).catch(() => false)
    if (!published) throw cause
  }
}

/** Finds the collection in the database, or writes it there. */
async function placed(
  builder: CollectionBuilder,
  { collections, canReuse, lost }: Known,
  { generation, steps }: { readonly generation: Generation; readonly steps: StepRecorder },
): Promise<{ readonly entry: Entry; readonly kept: boolean }> {
  const { clientNumber, stored } = builder
  const { batch, bytes, sha256: version } = await serializeCollection(builder)
  const partition = partitionOf(batch, bytes, { clientNumber, stored, version })
  await steps.note(partition, () => partition)
  const same = canReuse
    ? collections.get(keyOf(builder))?.findLast((one) => one.version === version && !lost.has(tablesOf(one)))
    : undefined
  if (same !== undefined) return { entry: same, kept: true }
  const { labels, rowCount: rows, nested } = partition
  const entry = { clientNumber, stored, version, bytes, labels, rows, elements: nested?.elementCount ?? 0 }
  // A client without records has no rows, so it needs no tables.
  if (rows === 0) return { entry: { ...entry, generation: 0 }, kept: false }
  await generation.write(partition)
  return { entry: { ...entry, generation: generation.number() as number }, kept: false }
}

const versionIn = (entries: ReadonlyMap<string, Entry>, clientNumber: string, stored: StoredName): string =>
  entries.get(keyOf({ clientNumber, stored }))?.version ?? ''

function requireAll(clientNumber: string, entries: ReadonlyMap<string, Entry>): void {
  const missing = storedNames.filter((stored) => !entries.has(keyOf({ clientNumber, stored })))
  if (missing.length > 0)
    throw new Error(`Client '${clientNumber}' lacks ${missing.join(', ')} in the snapshot`)
}

/** Moves current rows out of old generations into this one, if it has any. */
async function moveRows(entries: Map<string, Entry>, known: Known, generation: Generation): Promise<void> {
  for (const [stored, written] of [...generation.written]) {
    const older = [...entries.values()].filter(
      (entry) => entry.stored === stored && entry.rows > 0 && entry.generation !== generation.number(),
    )
    for (const { clientNumber, generation: from } of chooseMoves(
      older,
      totalsOfStored(known, stored),
      written,
    )) {
      await generation.copyFrom(from, clientNumber, stored)
      const key = keyOf({ clientNumber, stored })
      entries.set(key, { ...(entries.get(key) as Entry), generation: generation.number() as number })
    }
  }
}

const totalsOfStored = ({ totals }: Known, stored: StoredName): ReadonlyMap<number, number> =>
  new Map(totals.flatMap((total) => (total.stored === stored ? [[total.generation, total.rows]] : [])))

function totalsOf(entries: readonly Entry[]): { bytes: number; counts: SnapshotCounts } {
  const sum = (stored: StoredName, count: 'rows' | 'elements') =>
    entries.reduce((total, entry) => (entry.stored === stored ? total + entry[count] : total), 0)
  return {
    bytes: entries.reduce((total, { bytes }) => total + bytes, 0),
    counts: {
      bookings: sum('bookings', 'rows'),
      invoices: sum('invoices', 'rows'),
      segments: sum('bookings', 'elements'),
      lineItems: sum('invoices', 'elements'),
    },
  }
}

/** What differs from the newest snapshot. */
function changesOf(entries: ReadonlyMap<string, Entry>, known: Known): Pick<Changes, 'begun' | 'ended'> {
  const open = openOnes(known)
  const continues = (entry: Entry | undefined, before: Collection | undefined) =>
    entry?.version === before?.version && entry?.generation === before?.generation
  return {
    begun: [...entries].flatMap(([key, entry]) => (continues(entry, open.get(key)) ? [] : [entry])),
    ended: [...open].flatMap(([key, before]) => (continues(entries.get(key), before) ? [] : [before])),
  }
}

function changedNames(
  clients: readonly { readonly clientNumber: string; readonly name: string }[],
  { names }: Known,
): Pick<Changes, 'named' | 'unnamed'> {
  const now = new Map(clients.map(({ clientNumber, name }) => [clientNumber, name]))
  return {
    named: clients.filter(({ clientNumber, name }) => names.get(clientNumber) !== name),
    unnamed: [...names.keys()].filter((clientNumber) => now.get(clientNumber) !== names.get(clientNumber)),
  }
}
