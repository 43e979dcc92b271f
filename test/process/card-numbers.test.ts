/** No full card number outlives its way into a refresh, whatever the format and however broken the rows are. */
import assert from 'node:assert/strict'
import type { Dirent } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { type ExtractFormat, writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders, overwrite, publishedRecords, refresh, writeParquetExtract } from './ingest-fixture.ts'

/** Card numbers of the fixture extract, and those below. */
const fullNumbers = [
  '4111111111111111',
  '3782 822463 10005',
  '5555555555554444',
  '6011000990139424',
  '30569309025904',
]

/** Unusual spellings of card numbers in unusual places; never quoted. */
const oddNumber = '4111.1111.1111.1111'

/** A refresh makes and removes folders meanwhile: what disappears while it is listed is listed anew. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  for (;;) {
    try {
      return await readdir(folder, { recursive: true, withFileTypes: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

async function assertNowhere(folder: string, when: string): Promise<void> {
  const entries = await entriesOf(folder)
  for (const entry of entries.filter((found) => found.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      // What is gone again holds nothing.
      if (error.code === 'ENOENT') return Buffer.alloc(0)
      throw error
    })
    for (const number of fullNumbers) assert.ok(!bytes.includes(number), `${number} in ${path} ${when}`)
  }
}

const header = 'company,invoice_number,received_date,form_of_payment,card_number,amount'
const brokenCsv = [
  header,
  'AU Travel,INV-1,2026-01-29,Visa,4111111111111111,1321.3',
  'AU Travel,INV-1,,Amex,3782 822463 10005,0.00001',
  'AU Travel,INV-1,2026-01-29,Visa,5555555555554444',
  'AU Travel,INV-1,2026-01-29,Visa,"6011000990139424"x,1',
  'AU Travel,INV-1,no date,Visa,3782 822463 10005,1',
  'AU Travel,NONE,2026-01-29,Visa,30569309025904,1',
  // In other columns: as a form of payment, and in place of a date, where a message cuts it short.
  'AU Travel,INV-1,2026-01-29,VI6011000990139424/1227,,1',
  `AU Travel,INV-1,${'x'.repeat(47)}4111111111111111,Visa,,1`,
  `AU Travel,INV-1,${oddNumber},Visa,,1`,
]
const brokenNdjson = [
  '{"company":"AU Travel","invoice_number":"INV-1","card_number":4111111111111111,"amount":1321.3}',
  '{"company":"AU Travel","invoice_number":"INV-1","card_number":"3782 822463 10005","amount":0.00001}',
  '{"company":"AU Travel","invoice_number":"INV-1","card_number":"\\u2022\\u2022 1234","amount":1}',
  '{"company":"AU Travel","invoice_number":"INV-1","card_number":"4111\\u00a01111\\u00a01111\\u00a01111","amount":1}',
  '{"company":"AU Travel","invoice_number":"INV-1","card_number":"5555555555554444","amount":',
  '{"company":"AU Travel","invoice_number":"INV-1","card_number":["6011000990139424"],"amount":1}',
  '{"company":"AU Travel","invoice_number":"INV-1","card_number":"3782 822463 10005","amount":"much"}',
  '{"company":"AU Travel","invoice_number":"NONE","card_number":"30569309025904","amount":1}',
  '{"company":"AU Travel","invoice_number":"INV-1","card\\u005fnumber":"30569309025904","amount":2}',
  '{"company":"AU Travel","invoice_number":"INV-1","card_number":{"a":{"b":1},"c":"6011000990139424"},"amount":2}',
  // Five digits: nothing that looks like a card number anywhere but in its own column.
  '{"company":"A","invoice_number":"I","card_number":["98765"],"amount":1}',
]

/** The first payment of the fixture alone, with its card number in a column of this type. */
const paymentsView = (type: string) =>
  `CREATE VIEW payments AS SELECT * REPLACE (card_number::${type} AS card_number)
   FROM read_csv('payments.csv', all_varchar = true) WHERE merchant IS NOT NULL`

const withFiles =
  (files: Readonly<Record<string, string>>, format: ExtractFormat = 'csv') =>
  async (source: string) => {
    await writeExtract(source, fixtureExtract, format)
    await overwrite(source, files)
  }

type Case = {
  readonly write: (source: string) => Promise<void>
  /** Each of these matches the published invoices. */
  readonly published?: readonly RegExp[]
  readonly rejects?: number
}

const extracts: Readonly<Record<string, Case>> = {
  'CSV, sound and broken': {
    write: withFiles({ 'payments.csv': `${brokenCsv.join('\n')}\n` }),
    published: [/"cardNumber":"\*{4} \*{6} \*0005"/],
    rejects: 6,
  },
  'NDJSON, sound and broken': {
    write: withFiles({ 'payments.ndjson': `${brokenNdjson.join('\n')}\n` }, 'ndjson'),
    published: [
      /"cardNumber":"\*{4} \*{6} \*0005"/,
      /"cardNumber":"•• 1234"/,
      /"cardNumber":"\*{4}\u00a0\*{4}\u00a0\*{4}\u00a01111"/,
    ],
    rejects: 6,
  },
  'compressed CSV, sound and broken': {
    write: async (source) => {
      await withFiles({})(source)
      await rm(join(source, 'payments.csv'))
      await writeFile(join(source, 'payments.csv.gz'), gzipSync(`${brokenCsv.join('\n')}\n`))
    },
    published: [/"cardNumber":"\*{4} \*{6} \*0005"/],
    rejects: 6,
  },
  'a JSON array, sound and broken': {
    write: async (source) => {
      await withFiles({})(source)
      await rm(join(source, 'payments.csv'))
      const whole = brokenNdjson.filter((line) => line.endsWith('}'))
      await writeFile(join(source, 'payments.json'), `[${whole.join(',\n')}]`)
    },
    published: [/"cardNumber":"\*{4} \*{6} \*0005"/, /"cardNumber":"•• 1234"/],
    rejects: 5,
  },
  Parquet: { write: (source) => writeParquetExtract(source, fixtureExtract) },
  'a view of floats': { write: withFiles({ 'tripfolio.sql': paymentsView('DOUBLE') }) },
  'a view of decimals': {
    write: withFiles({ 'tripfolio.sql': paymentsView('DECIMAL(18, 2)') }),
  },
  'a view of integers': { write: withFiles({ 'tripfolio.sql': paymentsView('BIGINT') }) },
}

describe('card numbers', () => {
  for (const [name, { write, published = [], rejects = 0 }] of Object.entries(extracts)) {
    it(`from ${name} are full nowhere in the data folder, and keep their last digits`, async (t) => {
      const folders = await makeFolders(t)
      await write(folders.source)
      const scans: Promise<void>[] = []
      const told: string[] = []
      const { notes, snapshot, ...summary } = await refresh(folders, {
        maxRejectShare: 1,
        onProgress: ({ stage, done }) => scans.push(assertNowhere(folders.data, `during ${stage} ${done}`)),
        observe: (observation) => told.push(JSON.stringify(observation)),
      })
      await Promise.all(scans)
      await assertNowhere(folders.data, 'afterwards')
      const listed = await readFile(join(folders.data, 'snapshots', snapshot, 'rejects.ndjson'), 'utf8')
      for (const hidden of [oddNumber, '98765']) assert.ok(!listed.includes(hidden), hidden)
      for (const number of fullNumbers) assert.ok(![...notes, ...told].join('\n').includes(number), number)
      assert.equal(summary.rejects, rejects)
      const invoices = (await publishedRecords(folders.data, harbour, 'invoices', 1)).join('\n')
      for (const pattern of [/"cardNumber":"\*{12}1111"/, ...published]) assert.match(invoices, pattern)
    })
  }

  it('may not be put into a table by a mapping', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    await overwrite(folders.source, {
      'tripfolio.sql': `CREATE TABLE payments AS SELECT * FROM read_csv('payments.csv', all_varchar = true)`,
    })
    await assert.rejects(refresh(folders), { code: 'ING107', message: /payments has to be a view/ })
  })

  it('are not shown where a column has one as its name, or the database quotes one', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'ndjson')
    await overwrite(folders.source, {
      'payments.ndjson':
        '{"company":"AU Travel","invoice_number":"INV-1","4111111111111111":"","amount":1}\n',
    })
    const { notes } = await refresh(folders)
    assert.match(notes.join(), /column '\*{12}1111' is unknown in table 'payments'/)

    await rm(join(folders.source, 'payments.ndjson'))
    await overwrite(folders.source, {
      'tripfolio.sql': `CREATE VIEW payments AS SELECT 'AU Travel' AS company, 'INV-1' AS invoice_number,
        '4111111111111111'::DATE AS received_date, 1 AS amount`,
    })
    await assert.rejects(refresh(folders), { message: /\*{12}1111/ })
    await assertNowhere(folders.data, 'after the refusal')
  })

  it('are not shown by a refusal either', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    // A file whose header is missing: the first row is in its place.
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
