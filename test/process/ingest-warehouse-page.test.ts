/** The worked mapping of docs/how-to/warehouse.md, taken from the page and run; and the check, which drafts one. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { checkExtract } from '../../src/ingest/check/check-extract.ts'
import { ask, testDatabase } from '../../src/postgres/testing/postgres-server.ts'
import { fixtureExtract as anyOrder } from '../fixtures/fixture-extract.ts'
import { fillWarehouse, inOrderOfTexts } from '../fixtures/warehouse.ts'
import { assertPublished, type Folders, makeFolders, publishedRecords, refresh } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'

const fixtureExtract = inOrderOfTexts(anyOrder)
const page = await readFile(join(import.meta.dirname, '../../docs/how-to/warehouse.md'), 'utf8')
const blockAfter = (line: RegExp): string => {
  const [, block = ''] = new RegExp(`${line.source}\n\n((?: {4}.*\n|\n(?= {4}))+)`, 'm').exec(page) ?? []
  return block.replace(/^ {4}/gm, '')
}
const warehouse = blockAfter(/^This warehouse .*:/)
const mapping = blockAfter(/^This `warehouse\.sql`.*:/)

async function filled(t: TestContext, sql: string): Promise<Folders & { mapping: string }> {
  const { url } = await testDatabase(t)
  await ask(url, sql)
  const folders = await makeFolders(t)
  return { ...folders, source: url, mapping: join(folders.data, '..', 'warehouse.sql') }
}

describe('the worked mapping of the page about warehouses', () => {
  it('reads its tables: other names, times with a zone, JSON, arrays, a padded key, and rows that are left out', async (t) => {
    const folders = await filled(t, warehouse)
    await writeFile(folders.mapping, mapping)
    const checked = await checkExtract({ ...folders, maxRejectShare: 0 })
    assert.deepEqual([checked.fits, checked.kind, checked.mapping], [true, 'warehouse', null])
    const { rejects, warnings } = await refresh(folders, { mapping: folders.mapping, maxRejectShare: 0 })
    assert.equal(rejects, 0)
    assert.deepEqual(
      new Set(warnings.map(({ kind }) => kind)),
      new Set(['rights-beyond-reading', 'table-missing']),
    )
    const [booking = '{}', ...others] = await publishedRecords(folders.data, 'C100', 'itineraries')
    assert.deepEqual(others, [])
    assert.partialDeepStrictEqual(JSON.parse(booking), {
      recordLocator: 'ABC123',
      originatingAgency: 'Zürich HB',
      bookingDate: '2026-01-15',
      modifiedAt: '2026-01-16T09:30',
      isTicketed: true,
      tripEndLocal: '2026-02-09T21:15',
      customDataFields: { Kostenstellen: '4711 / 4712' },
      segments: [
        { segmentNumber: 1, startLocal: '2026-02-01T06:00', origin: 'ZRH', code: 'LX1572' },
        { segmentNumber: 2, origin: 'VIE' },
      ],
    })
    assert.equal((await publishedRecords(folders.data, 'C200', 'bookings')).length, 1)
  })

  it('turns texts of another notation as the page says, and leaves the others', async (t) => {
    const [, turned = ''] = /^`(regexp_replace\(booked.*?\))` for/m.exec(page) ?? []
    const { url } = await testDatabase(t)
    const rows = await ask<{ day: string }>(
      url,
      `select ${turned} as day from (values ('31/01/2026'), ('Monday')) as pnr(booked)`,
    )
    assert.deepEqual(
      rows.map(({ day }) => day),
      ['2026-01-31', 'Monday'],
    )
  })
})

/** A warehouse whose tables and columns are almost those of an extract. */
const renamed = `alter table clients rename to customers;
  alter table bookings rename to "PNR Data";
  alter table "PNR Data" rename record_locator to "RecordLocator";
  alter table segments rename vendor to vendors;
  drop table travellers;`

describe('the check of a warehouse', () => {
  it('finds tables under other names, says which columns are near, and drafts a mapping that works when the guess is accepted', async (t) => {
    const folders = await filled(t, '')
    await fillWarehouse(folders.source, fixtureExtract)
    await ask(folders.source, renamed)
    // The check has its copies among the temporary files.
    const { TMPDIR = '' } = process.env
    process.env.TMPDIR = await mkdtemp(join(tmpdir(), 'tripfolio-warehouse-page-'))
    const temporary = process.env.TMPDIR
    t.after(async () => {
      process.env.TMPDIR = TMPDIR
      await rm(temporary, { recursive: true, force: true })
    })
    const first = await runCommand([
      'ingest',
      '--check',
      '--source',
      folders.source,
      '--mapping',
      folders.mapping,
    ])
    assert.equal(first.code, 1)
    assert.match(
      first.stdout,
      /^clients: does not fit\n {2}no table or view has its name; public\.customers may be meant: 3 rows, 2 of 2/m,
    )
    assert.match(first.stdout, /in another spelling: record_locator \("RecordLocator"\)/)
    assert.match(first.stdout, /column vendor is missing in public\.segments: the nearest name is "vendors"/)
    assert.match(first.stdout, /^travellers: fits\n {2}no table or view was found; the table is optional/m)
    assert.match(first.stdout, /Written to .*warehouse\.sql\.\n/)
    const drafted = await readFile(folders.mapping, 'utf8')
    assert.match(
      drafted,
      /^CREATE VIEW bookings AS SELECT\n {2}client_number,\n {2}"RecordLocator" AS record_locator,/m,
    )
    assert.match(drafted, /^ {2}-- , "?vendors"? AS vendor$/m)
    // A guess is refused until the operator decides.
    await assert.rejects(refresh(folders, { mapping: folders.mapping }), { code: 'ING103' })
    await writeFile(folders.mapping, drafted.replace('-- , "vendors"', ', "vendors"'))
    const second = await runCommand([
      'ingest',
      '--check',
      '--source',
      folders.source,
      '--mapping',
      folders.mapping,
    ])
    assert.equal(second.code, 0, second.stdout)
    await refresh(folders, { mapping: folders.mapping })
    await assertPublished(folders, { ...fixtureExtract, travellers: [] })
    assert.deepEqual(await readdir(temporary), [])
  })

  it('shows the faults of every table: SQL that fails, types, values', async (t) => {
    const folders = await filled(t, '')
    await fillWarehouse(folders.source, fixtureExtract)
    await ask(folders.source, 'alter table bookings alter booking_date type text')
    await ask(folders.source, `update bookings set booking_date = '31/01/2026'`)
    const views = ['invoices', 'invoice_lines', 'bookings'].map(
      (name) => `CREATE VIEW ${name} AS SELECT * FROM ${name};`,
    )
    await writeFile(
      folders.mapping,
      `CREATE VIEW clients AS SELECT nam FROM clients;
       CREATE VIEW segments AS SELECT segments.*, array[vendor] AS "Vendor" FROM segments;
       CREATE VIEW travellers AS SELECT client_number, record_locator, array[name] AS name, department FROM travellers;
       ${views.join('\n')}`,
    )
    const { fits, mapping, tables } = await checkExtract({ ...folders, maxRejectShare: 0 })
    assert.deepEqual([fits, mapping], [false, null])
    const faultsOf = (table: string) => tables.find((check) => check.table === table)?.faults.join('\n') ?? ''
    assert.match(
      faultsOf('clients'),
      /^The SQL of warehouse\.sql \(view clients\) failed: column "nam" does not exist \(line 1/,
    )
    assert.match(
      faultsOf('travellers'),
      /^Column 'name' of warehouse\.sql \(view travellers\) has the type text\[\]/,
    )
    assert.deepEqual(
      tables.filter((check) => check.fits).map(({ table }) => table),
      ['custom_field_labels', 'booking_custom_data', 'invoices', 'invoice_lines', 'payments'],
    )
    const bookings = tables.find(({ table }) => table === 'bookings')
    assert.deepEqual(
      bookings?.values.map(({ column, examples, cast }) => [column, examples, cast]),
      [['booking_date', ['31/01/2026'], null]],
    )
  })
})
