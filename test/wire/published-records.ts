/** Databases with the records of an extract, each published once per process and copied from then on. */
import { after } from 'node:test'
import { type TestDatabase, testDatabase } from '../../src/postgres/testing/postgres-server.ts'
import { RecordDatabase } from '../../src/snapshot/postgres/testing/record-database.ts'
import type { SnapshotDestination } from '../../src/snapshot/writing/snapshot-writer.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'

type Publish = (extract: ExtractTables, destination: SnapshotDestination) => Promise<void>

const published = new Map<string, Promise<TestDatabase>>()

/** Records of a database of its own, as a first refresh leaves them. */
export async function makePublishedRecords(
  extract: ExtractTables,
  publish: Publish,
): Promise<RecordDatabase> {
  const key = JSON.stringify(extract)
  const known = published.get(key) ?? publishIntoNew(extract, publish)
  published.set(key, known)
  return RecordDatabase.make(await testDatabase(undefined, await known))
}

async function publishIntoNew(extract: ExtractTables, publish: Publish): Promise<TestDatabase> {
  const database = await testDatabase()
  // It stays when its connections are closed.
  const records = await RecordDatabase.make({ ...database, drop: async () => undefined })
  await publish(extract, records.destination)
  await records.remove()
  return database
}

after(async () => {
  // A server that this file has started is gone by now.
  for (const database of published.values()) await (await database).drop().catch(() => undefined)
})
