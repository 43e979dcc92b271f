/** What the tests of ingestion share: temp folders that go away, extracts as files, and records as they were published. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { type RefreshRequest, type RefreshSummary, runRefresh } from '../../src/ingest/cycle.ts'
import type { Reject } from '../../src/ingest/reject-log.ts'
import { extractTables } from '../../src/schema/extract-tables.ts'
import type { FieldType } from '../../src/schema/field.ts'
import { SharedFiles } from '../../src/snapshot/files/shared-files.ts'
import type { Partition } from '../../src/snapshot/partition.ts'
import { SnapshotCatalogue } from '../../src/snapshot/snapshot-catalogue.ts'
import { expectedRecords } from '../fixtures/expected-records.ts'
import { expectedVersion1Records } from '../fixtures/expected-version-1.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import type { JsonDataset } from '../fixtures/json-record.ts'
import { writeExtract } from '../fixtures/write-extract.ts'

export type Folders = { readonly source: string; readonly data: string }

/** Folders that go away when the test, or whatever else it is of, is over. */
export async function makeFolders(t: {
  readonly after: (work: () => Promise<void>) => void
}): Promise<Folders> {
  const root = await mkdtemp(join(tmpdir(), 'tripfolio-ingest-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  return { source: join(root, 'source'), data: join(root, 'data') }
}

/** Folders that all tests of a suite share: filled before the first one, and gone after the last one. */
export function sharedFolders(fill: (folders: Folders) => Promise<void>): () => Folders {
  let folders: Folders | undefined
  let remove = async () => {}
  before(async () => {
    folders = await makeFolders({
      after: (work) => {
        remove = work
      },
    })
    await fill(folders)
  })
  after(() => remove())
  return () => {
    if (folders === undefined) throw new Error('The folders are made before the first test')
    return folders
  }
}

export function refresh(
  { source, data }: Folders,
  request: Partial<RefreshRequest> = {},
): Promise<RefreshSummary> {
  return runRefresh({
    source,
    dataFolder: data,
    maxRejectShare: 0.05,
    retainSnapshots: 3,
    // These extracts are tiny: more threads would only wait for each other.
    databaseThreads: 1,
    observe: () => undefined,
    ...request,
  })
}

/** The list of rejects in the folder of a snapshot, or of the last refusal. */
export async function rejectsIn(folder: string): Promise<readonly Reject[]> {
  const text = await readFile(join(folder, 'rejects.ndjson'), 'utf8')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

/** The records of a client in the current snapshot, each as its JSON text. */
export async function publishedRecords(
  dataFolder: string,
  clientNumber: string,
  dataset: JsonDataset,
  version: 1 | 2 = 2,
): Promise<readonly string[]> {
  const ignore = () => undefined
  const catalogue = new SnapshotCatalogue(dataFolder, ignore, new SharedFiles(dataFolder, ignore).open)
  await catalogue.refresh()
  const snapshot = catalogue.current()
  if (snapshot === null) throw new Error('No snapshot is current')
  const stored = dataset === 'invoices' ? 'invoices' : 'bookings'
  const { partition } = await snapshot.partition(clientNumber, version === 1 ? `${stored}-v1` : stored)
  return Array.from({ length: partition.rowCount }, (_, row) => recordText(partition, row, dataset))
}

function recordText({ records }: Partition, row: number, dataset: JsonDataset): string {
  const start = records.offsets[row] as number
  const bytes = Buffer.from(records.bytes)
  if (dataset === 'bookings') {
    return `${bytes.toString('utf8', start, start + (records.bookingLengths?.[row] as number))}}`
  }
  return bytes.toString('utf8', start, records.offsets[row + 1])
}

const parquetTypes: { readonly [Type in FieldType]: string } = {
  text: 'VARCHAR',
  date: 'DATE',
  minute: 'TIMESTAMP',
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
  decimal: 'DECIMAL(18, 5)',
}

/** Writes an extract as Parquet files with the types that a warehouse would give them. */
export async function writeParquetExtract(folder: string, tables: ExtractTables): Promise<void> {
  await writeExtract(folder, tables, 'csv')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  for (const { name, columns } of Object.values(extractTables)) {
    const csv = join(folder, `${name}.csv`)
    const types = columns.map(({ column, type }) => `${column}: '${parquetTypes[type]}'`)
    await connection.run(
      `COPY (SELECT * FROM read_csv('${csv}', columns = {${types.join(', ')}}, auto_detect = false, header = true))
       TO '${join(folder, `${name}.parquet`)}'`,
    )
    await rm(csv)
  }
  connection.closeSync()
  instance.closeSync()
}

/** Replaces files of an extract. */
export async function overwrite(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content)
}

/** A `tripfolio.sql` whose clients the database would count for hours. */
export const endlessMapping = `CREATE VIEW clients AS
  SELECT count(*)::VARCHAR AS client_number, 'endless' AS name FROM range(1000000000000000) AS n(i) WHERE i % 7 = 1;`

/** What each version must show of an extract. */
export const expectations = [
  [2, expectedRecords],
  [1, expectedVersion1Records],
] as const

export const datasets: readonly JsonDataset[] = ['bookings', 'itineraries', 'invoices']

/** Fails unless the current snapshot holds exactly the records of the extract, byte for byte. */
export async function assertPublished({ data }: Folders, tables: ExtractTables): Promise<void> {
  for (const { client_number } of tables.clients) {
    for (const dataset of datasets) {
      for (const [version, expect] of expectations) {
        const expected = expect(tables, client_number as string, dataset)
        assert.deepEqual(
          await publishedRecords(data, client_number as string, dataset, version),
          expected.map((record) => JSON.stringify(record)),
          `version ${version} ${dataset} of ${client_number}`,
        )
      }
    }
  }
}
