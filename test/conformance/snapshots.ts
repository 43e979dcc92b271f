/** The snapshots for the engines: the fixture extract as a refresh publishes it, and snapshots of random records. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FixtureRow, partitionOf } from '../../src/engine/memory/testing/partitions.ts'
import { storedPartition } from '../../src/engine/memory/testing/stored-partition.ts'
import { runRefresh } from '../../src/ingest/cycle.ts'
import { namedFields, storedCollections } from '../../src/schema/datasets.ts'
import type { Field, FieldValue } from '../../src/schema/field.ts'
import { SharedFiles } from '../../src/snapshot/files/shared-files.ts'
import { CollectionBuilder } from '../../src/snapshot/format/collection-builder.ts'
import type { Snapshot } from '../../src/snapshot/snapshot.ts'
import { SnapshotCatalogue } from '../../src/snapshot/snapshot-catalogue.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { writeExtract } from '../fixtures/write-extract.ts'

const ignore = () => undefined

export async function publish(
  tables: ExtractTables,
): Promise<{ readonly snapshot: Snapshot; readonly close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-conformance-'))
  const [source, dataFolder] = [join(folder, 'extract'), join(folder, 'data')]
  await writeExtract(source, tables, 'csv')
  await runRefresh({ source, dataFolder, maxRejectShare: 0, retainSnapshots: 1, observe: ignore })
  const catalogue = new SnapshotCatalogue(dataFolder, ignore, new SharedFiles(dataFolder, ignore).open)
  await catalogue.refresh()
  return {
    snapshot: catalogue.current() as Snapshot,
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Makes a snapshot of one client with these records, and returns the records in default order. */
export function snapshotOf(
  stored: 'bookings' | 'invoices',
  given: readonly FixtureRow[],
  labels: readonly string[],
) {
  const { rows } = partitionOf(stored, given.map(wellFormed), labels)
  const { fields, additionalFields, nested, additionalCollections } = storedCollections[stored]
  const builder = new CollectionBuilder(stored, 'C1', labels)
  for (const row of rows) {
    builder.append({
      values: inOrder(row.fields, fields),
      custom: labels.map((label) => row.custom[label] ?? null),
      elements: row.elements.map((element) => inOrder(element, namedFields(nested))),
      lists: {},
      additional: inOrder(row.fields, additionalFields),
      collections: additionalCollections.map(({ name, fields: of }) =>
        (row.additional[name] ?? []).map((element) => inOrder(element, of)),
      ),
    })
  }
  const partition = storedPartition(builder)
  const [id, extractedAt] = ['20260102T030405678Z-1f3a', new Date(0)]
  const loaded = { partition, snapshotId: id, extractedAt, hold: () => ignore }
  const snapshot: Snapshot = {
    id,
    extractedAt,
    publishedAt: extractedAt,
    currentSince: extractedAt,
    clients: async () => [],
    byteLength: () => partition.byteLength,
    partition: async () => loaded,
  }
  return { snapshot, rows }
}

type Values = Readonly<Record<string, FieldValue>>

const inOrder = (values: Values, fields: readonly Field[]): readonly FieldValue[] =>
  fields.map(({ name }) => values[name] ?? null)

/** Makes texts well-formed, because a refresh only accepts UTF-8. */
function wellFormed({ fields, custom = {}, elements = [], additional = {} }: FixtureRow): FixtureRow {
  const texts = <V extends FieldValue>(values: Readonly<Record<string, V>>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'string' ? (value.toWellFormed() as V) : value,
      ]),
    )
  return {
    fields: texts(fields),
    custom: texts(custom),
    elements: elements.map(texts),
    additional: Object.fromEntries(
      Object.entries(additional).map(([name, given]) => [name, given.map(texts)]),
    ),
  }
}
