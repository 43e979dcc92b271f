/** What the extract says is what the API says, digit for digit, whatever format and layout the extract has. */
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type ExtractColumn, extractTables, type TableName } from '../../src/schema/extract-tables.ts'
import { campaignSeed, repeated } from '../campaign.ts'
import { arbitraryExtract } from '../fixtures/arbitrary-extract.ts'
import { fixtureExtract, harbour, newcomer } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { type ExtractFormat, writeExtract } from '../fixtures/write-extract.ts'
import {
  assertPublished,
  datasets,
  expectations,
  makeFolders,
  overwrite,
  publishedRecords,
  refresh,
  writeParquetExtract,
} from './ingest-fixture.ts'

describe('a refresh', () => {
  const formats = {
    CSV: (folder: string) => writeExtract(folder, fixtureExtract, 'csv'),
    NDJSON: (folder: string) => writeExtract(folder, fixtureExtract, 'ndjson'),
    Parquet: (folder: string) => writeParquetExtract(folder, fixtureExtract),
  }
  for (const [format, write] of Object.entries(formats)) {
    it(`publishes every record of a ${format} extract byte for byte`, async (t) => {
      const folders = await makeFolders(t)
      await write(folders.source)
      const summary = await refresh(folders)
      assert.equal(summary.rejects, 0)
      assert.deepEqual(summary.notes, [])
      // The third client has no records.
      assert.deepEqual(summary.clients, { total: 3, unchanged: 0 })
      assert.deepEqual(await publishedRecords(folders.data, newcomer, 'bookings'), [])
      await assertPublished(folders, fixtureExtract)
    })
  }

  it('publishes whatever valid extract value for value', async (t) => {
    const format = fc.constantFrom<ExtractFormat>('csv', 'ndjson')
    await fc.assert(
      fc.asyncProperty(arbitraryExtract(), format, async (tables, format) => {
        // The expectation knows labels by the exact name of a column only.
        fc.pre(tables.custom_field_labels.every(({ field }) => field !== 'Department'))
        const folders = await makeFolders(t)
        await writeExtract(folders.source, tables, format)
        await fillEmptyFiles(folders.source)
        const { rejects } = await refresh(folders)
        assert.equal(rejects, 0)
        for (const { client_number } of tables.clients) {
          for (const dataset of datasets) {
            for (const [version, expect] of expectations) {
              const published = await publishedRecords(
                folders.data,
                client_number as string,
                dataset,
                version,
              )
              assert.deepEqual(
                published.map((record) => JSON.parse(record)),
                expect(tables, client_number as string, dataset),
              )
            }
          }
        }
      }),
      { seed: campaignSeed, numRuns: repeated(5, 200) },
    )
  })

  it('keeps the files of unchanged clients', async (t) => {
    const folders = await makeFolders(t)
    await publishExtract(folders, fixtureExtract)
    await writeExtract(folders.source, fixtureExtract, 'ndjson')
    await removeAll(folders.source, '.csv')
    assert.deepEqual((await refresh(folders)).clients, { total: 3, unchanged: 3 })
    const bookings = fixtureExtract.bookings.map((row) =>
      row.client_number === harbour && row.record_locator === 'ZZ9' ? { ...row, is_ticketed: 'true' } : row,
    )
    // A change that one version alone shows is a change, too.
    const invoices = fixtureExtract.invoices.map((row) =>
      row.client_number === harbour ? row : { ...row, balance_amount: '7' },
    )
    await writeExtract(folders.source, { ...fixtureExtract, bookings, invoices }, 'ndjson')
    assert.deepEqual((await refresh(folders)).clients, { total: 3, unchanged: 1 })
  })

  it('announces the published snapshot, reports it with the time of its newest file, and keeps as many as asked for', async (t) => {
    const folders = await makeFolders(t)
    await publishExtract(folders, fixtureExtract)
    for (const file of await readdir(folders.source)) {
      await utimes(join(folders.source, file), 1_700_000_000, 1_700_000_000)
    }
    await utimes(join(folders.source, 'segments.csv'), 1_700_000_500, 1_700_000_500)
    const announced: string[] = []
    const observed: string[] = []
    const stages = new Set<string>()
    const published: string[] = []
    for (let i = 0; i < 2; i++) {
      const { snapshot, extractedAt } = await refresh(folders, {
        retainSnapshots: 2,
        announce: (id) => void announced.push(id),
        observe: ({ kind }) => observed.push(kind),
        onProgress: ({ stage }) => stages.add(stage),
      })
      assert.equal(extractedAt.getTime(), 1_700_000_500_000)
      published.push(snapshot)
    }
    assert.deepEqual(announced, published)
    assert.deepEqual(observed.slice(0, 2), ['refresh-started', 'refresh-published'])
    assert.deepEqual([...stages], ['read', 'validate', 'build', 'publish'])
    assert.deepEqual(await readdir(join(folders.data, 'snapshots')), published)
    assert.deepEqual((await readdir(folders.data)).sort(), [
      'changes',
      'current',
      'refresh.lock',
      'snapshots',
    ])
  })
})

describe('the layout of an extract', () => {
  it('may have parts in the order of their names, a byte order mark, Windows line ends or both, and no last line end', async (t) => {
    const folders = await makeFolders(t)
    const { source } = folders
    await writeExtract(source, fixtureExtract, 'csv')
    await splitInTwo(source, 'segments.csv', ['segments-1.csv', 'segments-2.csv'])
    await mkdir(join(source, 'bookings'))
    await splitInTwo(source, 'bookings.csv', ['bookings/a.csv', 'bookings/b.csv'])
    const text = (file: string) => readFile(join(source, file), 'utf8')
    await overwrite(source, {
      'segments-1.csv': `\ufeff${(await text('segments-1.csv')).replaceAll('\n', '\r\n')}`,
      'invoices.csv': (await text('invoices.csv')).replace('\n', '\r\n').trimEnd(),
    })
    await refresh(folders)
    await assertPublished(folders, fixtureExtract)
  })

  it('may have columns in any order and letter case, more of them, and none of the optional ones', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    await overwrite(folders.source, {
      'clients.csv':
        'Internal Rating;NAME;Client_Number\n5;Harbour;C100\n4;"Limmat; Söhne";C200\n3;New;C300\n',
      'invoices.csv': columnsOf(
        'invoices',
        ({ column }) => !['department', 'balance_amount'].includes(column),
      ),
    })
    const { notes } = await refresh(folders)
    assert.deepEqual(notes, [
      "clients.csv: column 'Internal Rating' is unknown in table 'clients' and is ignored",
    ])
    const names = new Map([
      ['C100', 'Harbour'],
      ['C200', 'Limmat; Söhne'],
      ['C300', 'New'],
    ])
    await assertPublished(folders, {
      ...fixtureExtract,
      clients: fixtureExtract.clients.map((row) => ({
        ...row,
        name: names.get(row.client_number ?? '') ?? '',
      })),
      invoices: fixtureExtract.invoices.map((row) => ({ ...row, department: null, balance_amount: null })),
    })
  })

  it('may leave out every table and column that only version 1 shows, which is then null or empty there', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    const without = { ...fixtureExtract, travellers: [], payments: [] }
    for (const { name, columns } of Object.values(extractTables)) {
      const path = join(folders.source, `${name}.csv`)
      if (name === 'travellers' || name === 'payments') await rm(path)
      else await overwrite(folders.source, { [`${name}.csv`]: columnsOf(name, (column) => column.required) })
      const optional = columns.filter((column) => !column.required)
      const nulls = Object.fromEntries(optional.map(({ column }) => [column, null]))
      Object.assign(without, { [name]: without[name].map((row) => ({ ...row, ...nulls })) })
    }
    const { rejects, tables, notes, warnings } = await refresh(folders)
    assert.equal(rejects, 0)
    assert.deepEqual(
      notes,
      ['travellers', 'payments'].map(
        (table) =>
          `Table '${table}', which whole records of version 2 do not show, has no file, so it is empty`,
      ),
    )
    assert.deepEqual(warnings, [])
    assert.deepEqual(
      tables.filter(({ rows }) => rows === 0).map(({ table }) => table),
      ['travellers', 'payments'],
    )
    await assertPublished(folders, without)
    const [invoice] = await publishedRecords(folders.data, harbour, 'invoices', 1)
    assert.match(invoice as string, /"department":null,.*"balanceAmount":null,.*"payments":\[\]\}$/)
    const [booking] = await publishedRecords(folders.data, harbour, 'bookings', 1)
    assert.match(booking as string, /"traveller":null,"travellers":\[\],"department":null/)
  })

  it('may be anything that the SQL of a mapping turns into the tables', async (t) => {
    const { data, source: parent } = await makeFolders(t)
    const source = join(parent, "1,2 [x] 'y'")
    const folders = { data, source }
    await writeExtract(source, fixtureExtract, 'csv')
    await mkdir(join(source, 'export'))
    await rename(join(source, 'bookings.csv'), join(source, 'export', 'pnr.csv'))
    await rm(join(source, 'clients.csv'))
    await overwrite(source, {
      'tripfolio.sql': `
        CREATE VIEW bookings AS SELECT * REPLACE (
          modified_at::TIMESTAMP AS modified_at, booking_date::TIMESTAMP AS booking_date, is_ticketed::BOOLEAN AS is_ticketed
        ) FROM read_csv('export/pnr.csv', all_varchar = true);
        CREATE TABLE clients AS SELECT DISTINCT client_number, 'Client ' || client_number AS name FROM bookings
          UNION ALL SELECT 'C300', 'Client C300';`,
    })
    const summary = await refresh(folders)
    assert.equal(summary.rejects, 0)
    const clients = fixtureExtract.clients.map((row) => ({ ...row, name: `Client ${row.client_number}` }))
    await assertPublished(folders, { ...fixtureExtract, clients })
  })
})

/** The columns of a table in the fixture that pass, as CSV. */
function columnsOf(table: TableName, wanted: (column: ExtractColumn) => boolean): string {
  const names = extractTables[table].columns.filter(wanted).map(({ column }) => column)
  const rows = fixtureExtract[table].map((row: { readonly [column: string]: string | null }) =>
    names.map((column) => `"${(row[column] ?? '').replaceAll('"', '""')}"`).join(','),
  )
  return `${[names.join(','), ...rows].join('\n')}\n`
}

async function splitInTwo(folder: string, file: string, parts: readonly [string, string]): Promise<void> {
  const text = await readFile(join(folder, file), 'utf8')
  const [header = '', ...lines] = text.trimEnd().split('\n')
  const half = Math.ceil(lines.length / 2)
  await overwrite(folder, {
    [parts[0]]: [header, ...lines.slice(0, half), ''].join('\n'),
    [parts[1]]: [header, ...lines.slice(half), ''].join('\n'),
  })
  await rm(join(folder, file))
}

async function removeAll(folder: string, extension: string): Promise<void> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(extension))
  await Promise.all(files.map((file) => rm(join(folder, file))))
}

/** An NDJSON file of no rows has no bytes, which is refused: one empty line says that it is meant. */
async function fillEmptyFiles(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    if ((await readFile(join(folder, file))).length === 0) await overwrite(folder, { [file]: '\n' })
  }
}
