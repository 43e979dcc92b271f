/** No full card number outlives its way into a refresh, whatever the format and however broken the rows are. */
import assert from 'node:assert/strict'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders, overwrite, publishedRecords, refresh, writeParquetExtract } from './ingest-fixture.ts'

/** Of the fixture extract, and those below. */
const fullNumbers = [
  '4111111111111111',
  '3782 822463 10005',
  '5555555555554444',
  '6011000990139424',
  '30569309025904',
]

async function assertNowhere(folder: string, when: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((found) => found.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    for (const number of fullNumbers) assert.ok(!bytes.includes(number), `${number} in ${path} ${when}`)
  }
}

const header = 'company,invoice_number,received_date,form_of_payment,card_number,amount'
const brokenCsv = [
  header,
  'AU Travel,INV-1,2026-01-29,Visa,4111111111111111,1321.3',
  'AU Travel,INV-1,2026-01-29,Visa,5555555555554444',
  'AU Travel,INV-1,2026-01-29,Visa,"6011000990139424"x,1',
  'AU Travel,INV-1,no date,Visa,3782 822463 10005,1',
  'AU Travel,NONE,2026-01-29,Visa,30569309025904,1',
]
const brokenNdjson = [
  '{"company":"AU Travel","invoice_number":"INV-1","card_number":4111111111111111,"amount":1321.3}',
  '{"company":"AU Travel","invoice_number":"INV-1","card_number":"5555555555554444","amount":',
  '{"company":"AU Travel","invoice_number":"INV-1","card_number":["6011000990139424"],"amount":1}',
  '{"company":"AU Travel","invoice_number":"INV-1","card_number":"3782 822463 10005","amount":"much"}',
  '{"company":"AU Travel","invoice_number":"NONE","card_number":"30569309025904","amount":1}',
]

const extracts: Readonly<Record<string, (source: string) => Promise<void>>> = {
  CSV: (source) => writeExtract(source, fixtureExtract, 'csv'),
  NDJSON: (source) => writeExtract(source, fixtureExtract, 'ndjson'),
  Parquet: (source) => writeParquetExtract(source, fixtureExtract),
  'a view': async (source) => {
    await writeExtract(source, fixtureExtract, 'csv')
    await overwrite(source, {
      'tripfolio.sql': `CREATE VIEW payments AS SELECT * FROM read_csv('payments.csv', all_varchar = true)`,
    })
  },
  'broken CSV': async (source) => {
    await writeExtract(source, fixtureExtract, 'csv')
    await overwrite(source, { 'payments.csv': `${brokenCsv.join('\n')}\n` })
  },
  'broken NDJSON': async (source) => {
    await writeExtract(source, fixtureExtract, 'ndjson')
    await overwrite(source, { 'payments.ndjson': `${brokenNdjson.join('\n')}\n` })
  },
}

describe('card numbers', () => {
  for (const [name, write] of Object.entries(extracts)) {
    it(`from ${name} are full nowhere in the data folder, neither during a refresh nor after it`, async (t) => {
      const folders = await makeFolders(t)
      await write(folders.source)
      const scans: Promise<void>[] = []
      const told: string[] = []
      const { notes } = await refresh(folders, {
        maxRejectShare: 1,
        onProgress: ({ stage, done }) => scans.push(assertNowhere(folders.data, `during ${stage} ${done}`)),
        observe: (observation) => told.push(JSON.stringify(observation)),
      })
      await Promise.all(scans)
      await assertNowhere(folders.data, 'afterwards')
      for (const number of fullNumbers) assert.ok(![...notes, ...told].join('\n').includes(number), number)
      const invoices = await publishedRecords(folders.data, harbour, 'invoices', 1)
      assert.match(invoices.join('\n'), /"cardNumber":"\*{12}1111"/)
    })
  }

  it('are not shown by a refusal either', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    // A file whose header is missing: the first row stands in its place.
    await overwrite(folders.source, { 'payments.csv': `${brokenCsv.slice(1).join('\n')}\n` })
    const told: string[] = []
    await assert.rejects(
      refresh(folders, { observe: (observation) => told.push(JSON.stringify(observation)) }),
    )
    await assertNowhere(folders.data, 'after the refusal')
    for (const number of fullNumbers) assert.ok(!told.join('\n').includes(number), number)
    await rm(join(folders.data, 'last-refusal'), { recursive: true })
  })
})
