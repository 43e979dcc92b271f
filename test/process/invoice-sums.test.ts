/** The amounts of version 1 invoices are exact sums of their lines, or the invoice is set aside. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders, publishedRecords, refresh } from './ingest-fixture.ts'

type Line = readonly [exGst: string | null, incGst: string | null]

/** One invoice of these lines. */
function extractOf(lines: readonly Line[]): ExtractTables {
  const key = { company: 'A', invoice_number: 'I' }
  return {
    ...fixtureExtract,
    invoices: rowsOf('invoices', [
      { ...key, client_number: harbour, invoice_date: '2026-01-01', due_date: '2026-01-31' },
    ]),
    invoice_lines: rowsOf(
      'invoice_lines',
      lines.map(([line_amount_ex_gst, line_amount_inc_gst], at) => ({
        ...key,
        line_number: String(at + 1),
        line_type: 'FARE',
        line_amount_ex_gst,
        line_amount_inc_gst,
      })),
    ),
    payments: [],
  }
}

describe('the amounts of an invoice', () => {
  const rows: readonly (readonly [lines: readonly Line[], sums: string])[] = [
    [[], '"netAmount":0,"gstAmount":0,"totalAmount":0'],
    [[[null, null]], '"netAmount":0,"gstAmount":0,"totalAmount":0'],
    [
      [
        ['0.1', '0.11'],
        ['0.2', '0.22'],
      ],
      '"netAmount":0.3,"gstAmount":0.03,"totalAmount":0.33',
    ],
    [
      Array.from({ length: 10 }, () => ['0.1', '0.1'] as const),
      '"netAmount":1,"gstAmount":0,"totalAmount":1',
    ],
    [
      [
        ['100', '110'],
        [null, '5'],
        ['7', null],
        ['-0.00001', '-0.00002'],
      ],
      '"netAmount":106.99999,"gstAmount":9.99999,"totalAmount":114.99998',
    ],
    [
      [
        ['90071992547.4099', '0'],
        ['0.00001', '0'],
      ],
      '"netAmount":90071992547.40991,"gstAmount":-90071992547.40991,"totalAmount":0',
    ],
  ]
  for (const [lines, sums] of rows) {
    it(`of the lines ${JSON.stringify(lines)} are ${sums}`, async (t) => {
      const folders = await makeFolders(t)
      await writeExtract(folders.source, extractOf(lines), 'csv')
      assert.equal((await refresh(folders)).rejects, 0)
      const [invoice = ''] = await publishedRecords(folders.data, harbour, 'invoices', 1)
      assert.ok(invoice.includes(sums), invoice)
    })
  }

  const tooLarge: readonly (readonly Line[])[] = [
    [
      ['90071992547.40991', '0'],
      ['0.00001', '0'],
    ],
    [
      ['-50000000000', '0'],
      ['-50000000000', '0'],
    ],
    [['-50000000000', '50000000000']],
  ]
  for (const lines of tooLarge) {
    it(`of the lines ${JSON.stringify(lines)} set the invoice aside, with the reason`, async (t) => {
      const folders = await makeFolders(t)
      await writeExtract(folders.source, extractOf(lines), 'csv')
      const { rejects, snapshot } = await refresh(folders, { maxRejectShare: 1 })
      assert.equal(rejects, 1 + lines.length)
      const log = await readFile(join(folders.data, 'snapshots', snapshot, 'rejects.ndjson'), 'utf8')
      const [first] = log.split('\n').map((line) => line && JSON.parse(line))
      assert.deepEqual(first, {
        table: 'invoices',
        file: 'invoices.csv',
        row: 1,
        key: { company: 'A', invoice_number: 'I' },
        field: null,
        rule: 'lines.sum',
        value: null,
        message: 'expected lines whose amounts add up to at most 90071992547.40991, found more',
      })
      assert.deepEqual(await publishedRecords(folders.data, harbour, 'invoices', 1), [])
      assert.deepEqual(await publishedRecords(folders.data, harbour, 'invoices'), [])
    })
  }

  it('do not count a line that was given twice', async (t) => {
    const folders = await makeFolders(t)
    const tables = extractOf([['50000000000', '50000000000']])
    const invoice_lines = [...tables.invoice_lines, ...tables.invoice_lines]
    await writeExtract(folders.source, { ...tables, invoice_lines }, 'csv')
    assert.equal((await refresh(folders, { maxRejectShare: 1 })).rejects, 1)
    const [invoice = ''] = await publishedRecords(folders.data, harbour, 'invoices', 1)
    assert.match(invoice, /"totalAmount":50000000000,/)
  })
})
