/** A warehouse in PostgreSQL is read value for value, as of one moment. */
import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { ask, testDatabase } from '../../src/postgres/testing/postgres-server.ts'
import { usableManifest } from '../../src/snapshot/intact-manifest.ts'
import { campaignSeed, repeated } from '../campaign.ts'
import { arbitraryExtract } from '../fixtures/arbitrary-extract.ts'
import { fixtureExtract as anyOrder } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { fillWarehouse, inOrderOfTexts, inSchema } from '../fixtures/warehouse.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { assertPublished, type Folders, makeFolders, refresh, rejectsIn } from './ingest-fixture.ts'
import { blockedRefresh, readerOf } from './warehouse-fixture.ts'

const fixtureExtract = inOrderOfTexts(anyOrder)

async function filled(t: TestContext, options?: { typed: boolean }): Promise<Folders> {
  const { url } = await testDatabase(t)
  await fillWarehouse(url, fixtureExtract, options)
  return { ...(await makeFolders(t)), source: url }
}

/** Client, collection and checksum of everything that a snapshot holds. */
async function checksums(data: string): Promise<unknown> {
  return (await usableManifest(data))?.clients
}

describe('a refresh from a warehouse', () => {
  for (const typed of [true, false]) {
    it(`publishes what the same rows as files give, byte for byte, from ${typed ? 'typed columns' : 'texts'}`, async (t) => {
      const folders = await filled(t, { typed })
      const source = await readerOf(t, folders.source)
      const { rejects, notes, warnings } = await refresh({ ...folders, source })
      assert.deepEqual([rejects, notes, warnings], [0, [], []])
      await assertPublished(folders, fixtureExtract)
      const files = await makeFolders(t)
      await publishExtract(files, fixtureExtract)
      assert.deepEqual(await checksums(folders.data), await checksums(files.data))
      assert.deepEqual((await refresh(folders)).clients, { total: 3, unchanged: 3 })
      assert.deepEqual((await readdir(folders.data)).sort(), [
        'changes',
        'current',
        'refresh.lock',
        'snapshots',
      ])
    })
  }

  it('publishes whatever valid extract value for value', async (t) => {
    await fc.assert(
      fc.asyncProperty(arbitraryExtract(), async (tables) => {
        const { url, drop } = await testDatabase()
        try {
          // Texts, because the calendar of PostgreSQL has no year 0.
          await fillWarehouse(url, tables, { typed: false })
          const { data } = await makeFolders(t)
          const files = await makeFolders(t)
          const { rejects } = await refresh({ data, source: url }, { databaseThreads: 1 })
          assert.equal(rejects, 0)
          await writeExtract(files.source, inOrderOfTexts(tables), 'csv')
          await refresh(files)
          assert.deepEqual(await checksums(data), await checksums(files.data))
        } finally {
          await drop()
        }
      }),
      { seed: campaignSeed, numRuns: repeated(2, 100) },
    )
  })

  it('sees all tables as of one moment, which is the time of the extract', async (t) => {
    const folders = await filled(t)
    const { source, data } = folders
    const blocked = await blockedRefresh(t, folders)
    // The refresh waits in its first table; the others change before it reads them.
    await ask(source, 'delete from segments')
    await ask(source, `update invoices set company = 'later'`)
    const before = Date.now()
    await new Promise((resolve) => setTimeout(resolve, 5))
    const { extractedAt } = await blocked.release()
    assert.ok(extractedAt.getTime() <= before, 'the moment of the snapshot lies before the changes')
    await assertPublished({ source, data }, fixtureExtract)
  })

  it('reads the schema that the URL names, and only columns that a table has', async (t) => {
    const { url } = await testDatabase(t)
    await ask(url, 'create schema "Export"; create table clients (client_number text)')
    const source = inSchema(url, '"Export"')
    await fillWarehouse(source, fixtureExtract)
    await ask(source, 'alter table clients add rating integer[]')
    await ask(source, 'drop table travellers, booking_custom_data')
    const folders = { ...(await makeFolders(t)), source }
    const { notes, warnings } = await refresh(folders)
    assert.deepEqual(notes, [
      "Export.clients: column 'rating' is unknown in table 'clients' and is ignored",
      "Table 'travellers', which whole records of version 2 do not show, is not in the warehouse, so it is empty",
    ])
    assert.deepEqual(
      warnings.filter(({ kind }) => kind === 'table-missing').map(({ message }) => message),
      [
        "Table 'booking_custom_data' is not in the warehouse, so it is empty. If this is intended, make a view without rows",
      ],
    )
  })

  it('takes no table for one that its mapping leaves out', async (t) => {
    const folders = await filled(t)
    const mapping = join(folders.data, '..', 'some.sql')
    await writeFile(
      mapping,
      'CREATE VIEW clients AS SELECT * FROM clients;\nCREATE VIEW bookings AS SELECT * FROM bookings',
    )
    const { tables } = await refresh(folders, { mapping })
    assert.deepEqual(
      tables.filter(({ rows }) => rows > 0).map(({ table }) => table),
      ['clients', 'bookings'],
    )
  })
})

describe('values of a warehouse that are no values of a column', () => {
  it('set their rows aside, and are shown', async (t) => {
    const { url } = await testDatabase(t)
    await fillWarehouse(url, fixtureExtract)
    const name = new URL(url).pathname.slice(1)
    for (const setting of [`datestyle = 'German'`, `timezone = 'Pacific/Auckland'`])
      await ask(url, `alter database ${name} set ${setting}`)
    const folders = { ...(await makeFolders(t)), source: url }
    const wrong = [
      [`booking_date = 'infinity'`, 'type.date', 'infinity'],
      [`booking_date = '0044-03-15 BC'`, 'type.date', '0044-03-15 BC'],
      [`modified_at = '-infinity'`, 'type.minute', '-infinity'],
      [`modified_at = '0044-03-15 10:30 BC'`, 'type.minute', '0044-03-15 10:30:00 BC'],
      [`originating_agency = ''`, 'required', null],
    ] as const
    const locators = fixtureExtract.bookings.map((row) => row.record_locator)
    for (const [at, [change]] of wrong.entries())
      await ask(url, `update bookings set ${change} where record_locator = $1`, [locators[at]])
    const { snapshot } = await refresh(folders, { maxRejectShare: 1 })
    const rejects = await rejectsIn(join(folders.data, 'snapshots', snapshot))
    for (const [at, [, rule, value]] of wrong.entries()) {
      const found = rejects.find(({ key }) => key?.record_locator === locators[at])
      assert.deepEqual([found?.rule, found?.value, found?.file], [rule, value, 'public.bookings'])
    }
  })
})
