/** The amounts of version 1 invoices are exact sums of their lines, or the invoice is set aside. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { RefreshSummary } from '../../src/ingest/cycle.ts'
import type { Reject } from '../../src/ingest/reject-log.ts'
import { type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders, publishedRecords, refresh, rejectsIn, sharedFolders } from './ingest-fixture.ts'

type Line = readonly [exGst: string | null, incGst: string | null]

const exact: readonly (readonly [lines: readonly Line[], sums: string])[] = [
  [[], '"netAmount":0,"gstAmount":0,"totalAmount":0'],
  [[[null, null]], '"netAmount":0,"gstAmount":0,"totalAmount":0'],
  [
    [
      ['0.1', '0.11'],
      ['0.2', '0.22'],
    ],
    '"netAmount":0.3,"gstAmount":0.03,"totalAmount":0.33',
  ],
  [Array.from({ length: 10 }, () => ['0.1', '0.1'] as const), '"netAmount":1,"gstAmount":0,"totalAmount":1'],
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
  // They add up to nothing, but not on the way.
  [
    ['50000000000', '50000000000'],
    ['50000000000', '50000000000'],
    ['-100', '-100'],
    ['-50000000000', '-50000000000'],
    ['-50000000000', '-50000000000'],
  ],
]

/** One line that the extract holds twice. */
const repeated: Line = ['50000000000', '50000000000']

type Invoice = { readonly invoice_number: string; readonly lines: readonly Line[] }

const invoices: readonly Invoice[] = [
  ...exact.map(([lines], at) => ({ invoice_number: `EXACT-${at}`, lines })),
  ...tooLarge.map((lines, at) => ({ invoice_number: `LARGE-${at}`, lines })),
  { invoice_number: 'REPEATED', lines: [repeated] },
]

const company = 'A'

const linesOf = ({ invoice_number, lines }: Invoice) =>
  lines.map(([line_amount_ex_gst, line_amount_inc_gst], at) => ({
    company,
    invoice_number,
    line_number: String(at + 1),
    line_type: 'FARE',
    line_amount_ex_gst,
    line_amount_inc_gst,
  }))

const extract: ExtractTables = {
  ...fixtureExtract,
  invoices: rowsOf(
    'invoices',
    invoices.map(({ invoice_number }) => ({
      company,
      invoice_number,
      client_number: harbour,
      invoice_date: '2026-01-01',
      due_date: '2026-01-31',
    })),
  ),
  invoice_lines: rowsOf('invoice_lines', [
    ...invoices.flatMap(linesOf),
    ...linesOf({ invoice_number: 'REPEATED', lines: [repeated] }),
  ]),
  payments: [],
}

describe('the amounts of an invoice', () => {
  let summary: RefreshSummary
  let rejects: readonly Reject[]
  let published: readonly string[]
  let publishedV1: readonly string[]
  sharedFolders(async (folders) => {
    await writeExtract(folders.source, extract, 'csv')
    summary = await refresh(folders, { maxRejectShare: 1 })
    rejects = await rejectsIn(join(folders.data, 'snapshots', summary.snapshot))
    published = await publishedRecords(folders.data, harbour, 'invoices')
    publishedV1 = await publishedRecords(folders.data, harbour, 'invoices', 1)
  })

  const recordOf = (number: string, records = publishedV1) =>
    records.find((text) => text.includes(`"${number}"`))
  const rejectsOf = (number: string) => rejects.filter(({ key }) => key?.invoice_number === number)

  for (const [at, [lines, sums]] of exact.entries()) {
    it(`of the lines ${JSON.stringify(lines)} are ${sums}`, () => {
      const invoice = recordOf(`EXACT-${at}`)
      assert.ok(invoice?.includes(sums), invoice)
      assert.deepEqual(rejectsOf(`EXACT-${at}`), [])
    })
  }

  for (const [at, lines] of tooLarge.entries()) {
    it(`of the lines ${JSON.stringify(lines)} set the invoice aside, with the reason`, () => {
      const number = `LARGE-${at}`
      const [first, ...others] = rejectsOf(number)
      assert.deepEqual(first, {
        table: 'invoices',
        client: harbour,
        file: 'invoices.csv',
        row: invoices.findIndex(({ invoice_number }) => invoice_number === number) + 1,
        key: { company, invoice_number: number },
        field: null,
        rule: 'lines.sum',
        value: null,
        message: 'expected lines whose amounts add up to at most 90071992547.40991, found more',
      })
      assert.deepEqual(
        others.map(({ table, rule }) => [table, rule]),
        lines.map(() => ['invoice_lines', 'parent.rejected']),
      )
      assert.equal(recordOf(number), undefined)
      assert.equal(recordOf(number, published), undefined)
    })
  }

  it('do not count a line that was given twice', () => {
    assert.match(recordOf('REPEATED') ?? '', /"totalAmount":50000000000,/)
    assert.deepEqual(
      rejectsOf('REPEATED').map(({ table, rule }) => [table, rule]),
      [['invoice_lines', 'identity.duplicate']],
    )
  })

  it('set no other row aside', () => {
    const invoicesAndLines = tooLarge.reduce((sum, lines) => sum + 1 + lines.length, 0)
    assert.equal(summary.rejects, invoicesAndLines + 1)
    assert.equal(published.length, invoices.length - tooLarge.length)
  })
})

describe('an invoice whose lines add up to too much', () => {
  it('leaves alone those with its number of another company, and of a client that looks like it', async (t) => {
    const folders = await makeFolders(t)
    const look = `${harbour} `
    const owners = [
      [harbour, 'A', '90071992547'],
      [harbour, 'B', '1'],
      [look, 'A', '2'],
    ] as const
    const tables: ExtractTables = {
      ...fixtureExtract,
      clients: [
        ...fixtureExtract.clients,
        ...rowsOf('clients', [{ client_number: look, name: 'Look-alike' }]),
      ],
      invoices: rowsOf(
        'invoices',
        owners.map(([client_number, own]) => ({
          ...{ client_number, company: own, invoice_number: 'SAME' },
          ...{ invoice_date: '2026-01-01', due_date: '2026-01-31' },
        })),
      ),
      invoice_lines: rowsOf(
        'invoice_lines',
        owners.flatMap(([client_number, own, amount]) =>
          ['1', '2'].map((line_number) => ({
            ...{ client_number, company: own, invoice_number: 'SAME', line_number, line_type: 'FARE' },
            ...{ line_amount_ex_gst: amount, line_amount_inc_gst: amount },
          })),
        ),
      ),
      payments: [],
    }
    await writeExtract(folders.source, tables, 'csv')
    const { snapshot } = await refresh(folders, { maxRejectShare: 1 })
    const rejects = await rejectsIn(join(folders.data, 'snapshots', snapshot))
    assert.deepEqual(
      rejects.map(({ table, client, key, rule }) => [table, client, key?.company, rule]),
      [
        ['invoices', harbour, 'A', 'lines.sum'],
        ['invoice_lines', harbour, 'A', 'parent.rejected'],
        ['invoice_lines', harbour, 'A', 'parent.rejected'],
      ],
    )
    const amounts = async (client: string) =>
      (await publishedRecords(folders.data, client, 'invoices', 1)).map(
        (text) => JSON.parse(text).totalAmount,
      )
    assert.deepEqual([await amounts(harbour), await amounts(look)], [[2], [4]])
  })
})
