/** Rows that could be of several clients are served to none of them, and rows that say whose they are to their own alone. */
import assert from 'node:assert/strict'
import { appendFile, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openControlStore } from '../../src/directory/open-stores.ts'
import type { Reject } from '../../src/ingest/reject-log.ts'
import { type ExtractRow, type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { type ExtractFormat, writeExtract } from '../fixtures/write-extract.ts'
import {
  type Folders,
  makeFolders,
  overwrite,
  publishedRecords,
  refresh,
  rejectsIn,
  sharedFolders,
} from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { whileServingHere } from './service-in-process.ts'

type Invoice = Partial<ExtractRow<'invoices'>>
type Line = Partial<ExtractRow<'invoice_lines'>>
type Payment = Partial<ExtractRow<'payments'>>

type Rows = {
  readonly invoices: readonly Invoice[]
  readonly lines: readonly Line[]
  readonly payments?: readonly Payment[]
}

const key = { company: 'Co', invoice_number: 'INV1' }
const invoiceOf = (client_number: string, more: Invoice = {}): Invoice => ({ ...key, client_number, ...more })
const lineOf = (client_number: string | null, description: string, more: Line = {}): Line => ({
  ...key,
  client_number,
  description,
  ...more,
})
const paymentOf = (client_number: string | null, merchant: string): Payment => ({
  ...key,
  client_number,
  merchant,
})

/** Three clients, of which A1 and B2 have a booking of one locator. */
function extractOf({ invoices, lines, payments = [] }: Rows): ExtractTables {
  const booking = {
    record_locator: 'LOC1',
    booking_date: '2026-01-01',
    modified_at: '2026-01-01T00:00',
    is_ticketed: 'true',
    is_international: 'false',
    trip_start_local: '2026-02-01T00:00',
    trip_end_local: '2026-02-02T00:00',
  }
  const dates = { invoice_date: '2026-01-01', due_date: '2026-01-31' }
  return {
    clients: rowsOf(
      'clients',
      ['A1', 'B2', 'a1'].map((client_number) => ({ client_number, name: `Client ${client_number}` })),
    ),
    custom_field_labels: [],
    bookings: rowsOf(
      'bookings',
      ['A1', 'B2'].map((client_number) => ({ ...booking, client_number, originating_agency: client_number })),
    ),
    booking_custom_data: [],
    travellers: [],
    segments: [],
    invoices: rowsOf(
      'invoices',
      invoices.map((row) => ({ ...dates, ...row })),
    ),
    invoice_lines: rowsOf(
      'invoice_lines',
      lines.map((row, at) => ({ line_number: String(at + 1), line_type: 'FARE', ...row })),
    ),
    payments: rowsOf(
      'payments',
      payments.map((row) => ({ amount: '1', ...row })),
    ),
  }
}

const rejectsOf = ({ data }: Folders, snapshot: string) => rejectsIn(join(data, 'snapshots', snapshot))

/** The invoice to which a rejected row belongs. A line that is not a row, and a payment, are rejected without their key. */
function invoiceKeyOf({ invoices, invoice_lines, payments }: ExtractTables, { table, row }: Reject) {
  const rows = { invoices, invoice_lines, payments }[table]?.[row - 1]
  assert.ok(rows, `row ${row} of ${table}`)
  return rows
}

type InvoiceRecord = {
  readonly company: string
  readonly invoiceNumber: string
  readonly lineItems: readonly { readonly description: string }[]
}
type InvoiceV1 = { readonly payments: readonly { readonly merchant: string }[] }

/** A client's invoices as `number: lines | payments`, of all companies or of one. */
async function served({ data }: Folders, client: string, ofCompany?: string): Promise<readonly string[]> {
  const version2 = await publishedRecords(data, client, 'invoices')
  const version1 = await publishedRecords(data, client, 'invoices', 1)
  return version2.flatMap((text, at) => {
    const { company, invoiceNumber, lineItems }: InvoiceRecord = JSON.parse(text)
    if (company !== (ofCompany ?? company)) return []
    const { payments }: InvoiceV1 = JSON.parse(version1[at] ?? '')
    return `${invoiceNumber}: ${lineItems.map(({ description }) => description)} | ${payments.map(({ merchant }) => merchant)}`
  })
}

const allOpen = ['A1, B2', 'A1, B2', 'A1, B2']

type Case = readonly [
  title: string,
  rows: Rows,
  expected: {
    readonly A1: readonly string[]
    readonly B2: readonly string[]
    readonly rejects: readonly (readonly [table: string, rule: string, value: string | null])[]
  },
]

const withSomeNamed: readonly Case[] = [
  [
    'is served to neither client when its lines name none',
    { invoices: [invoiceOf('A1'), invoiceOf('B2')], lines: [lineOf(null, 'of B2')] },
    {
      A1: [],
      B2: [],
      rejects: [
        ['invoices', 'client.ambiguous', 'A1, B2'],
        ['invoices', 'client.ambiguous', 'A1, B2'],
        ['invoice_lines', 'client.ambiguous', 'A1, B2'],
      ],
    },
  ],
  [
    'is served to neither client when one payment of it names none',
    {
      invoices: [invoiceOf('A1'), invoiceOf('B2')],
      lines: [lineOf('A1', 'of A1'), lineOf('B2', 'of B2')],
      payments: [paymentOf('A1', 'of A1'), paymentOf(null, 'of somebody')],
    },
    {
      A1: [],
      B2: [],
      rejects: ['invoices', 'invoices', 'invoice_lines', 'invoice_lines', 'payments', 'payments'].map(
        (table) => [table, 'client.ambiguous', 'A1, B2'] as const,
      ),
    },
  ],
  [
    'of a client that is unknown belongs to no other client',
    { invoices: [invoiceOf('A1'), invoiceOf('Z9')], lines: [lineOf(null, 'of Z9')] },
    {
      A1: [],
      B2: [],
      rejects: [
        ['invoices', 'client.ambiguous', 'A1, Z9'],
        ['invoices', 'client.unknown', 'Z9'],
        ['invoice_lines', 'client.ambiguous', 'A1, Z9'],
      ],
    },
  ],
  [
    'of a client whose invoice is set aside belongs to no other client',
    { invoices: [invoiceOf('A1'), invoiceOf('B2', { due_date: 'soon' })], lines: [lineOf(null, 'of B2')] },
    {
      A1: [],
      B2: [],
      rejects: [
        ['invoices', 'client.ambiguous', 'A1, B2'],
        ['invoices', 'type.date', 'soon'],
        ['invoice_lines', 'client.ambiguous', 'A1, B2'],
      ],
    },
  ],
  [
    'of a client whose number cannot be read belongs to no other client',
    { invoices: [invoiceOf('A1'), invoiceOf('x'.repeat(21))], lines: [lineOf(null, 'of somebody')] },
    {
      A1: [],
      B2: [],
      rejects: [
        ['invoices', 'client.ambiguous', 'a client that cannot be read, A1'],
        ['invoices', 'length', 'x'.repeat(21)],
        ['invoice_lines', 'client.ambiguous', 'a client that cannot be read, A1'],
      ],
    },
  ],
  [
    'of one client alone is set aside when one line names another client and one line none',
    {
      invoices: [invoiceOf('A1')],
      lines: [lineOf('A1', 'of A1'), lineOf('B2', 'of B2'), lineOf(null, 'of whom')],
    },
    {
      A1: [],
      B2: [],
      rejects: ['invoices', 'invoice_lines', 'invoice_lines', 'invoice_lines'].map(
        (table) => [table, 'client.ambiguous', 'A1, B2'] as const,
      ),
    },
  ],
  [
    'of one client alone needs no client on its lines and payments',
    {
      invoices: [invoiceOf('A1'), invoiceOf('B2', { invoice_number: 'inv1' })],
      lines: [
        lineOf(null, 'plain'),
        lineOf('A1', 'named'),
        lineOf(null, 'small', { invoice_number: 'inv1' }),
      ],
      payments: [paymentOf(null, 'paid')],
    },
    { A1: ['INV1: plain,named | paid'], B2: ['inv1: small | '], rejects: [] },
  ],
  [
    'whose client cannot be read takes its lines with it',
    { invoices: [invoiceOf('x'.repeat(21))], lines: [lineOf(null, 'plain')] },
    {
      A1: [],
      B2: [],
      rejects: [
        ['invoices', 'length', 'x'.repeat(21)],
        ['invoice_lines', 'parent.rejected', 'Co / INV1'],
      ],
    },
  ],
]

const withAllNamed: readonly Case[] = [
  [
    'is served to each client with its own lines and payments when all of them name theirs, whatever their numbers',
    {
      invoices: [invoiceOf('A1'), invoiceOf('B2')],
      lines: [
        lineOf('B2', 'first of B2', { line_number: '1' }),
        lineOf('A1', 'first of A1', { line_number: '1' }),
        lineOf('B2', 'second of B2', { line_number: '2' }),
      ],
      payments: [paymentOf('B2', 'paid by B2'), paymentOf('A1', 'paid by A1')],
    },
    {
      A1: ['INV1: first of A1 | paid by A1'],
      B2: ['INV1: first of B2,second of B2 | paid by B2'],
      rejects: [],
    },
  ],
  [
    'of one client alone does without the line of another, which is set aside',
    { invoices: [invoiceOf('A1')], lines: [lineOf('A1', 'of A1'), lineOf('B2', 'of B2')] },
    { A1: ['INV1: of A1 | '], B2: [], rejects: [['invoice_lines', 'reference.client', 'B2']] },
  ],
  [
    'is told from one whose client differs in letter case',
    { invoices: [invoiceOf('A1'), invoiceOf('a1')], lines: [lineOf('a1', 'of a1'), lineOf('A1', 'of A1')] },
    { A1: ['INV1: of A1 | '], B2: [], rejects: [] },
  ],
  [
    'adds up the lines of each client apart',
    {
      invoices: [invoiceOf('A1'), invoiceOf('B2')],
      lines: [
        lineOf('A1', 'large', { line_amount_inc_gst: '90071992547' }),
        lineOf('B2', 'as large', { line_amount_inc_gst: '90071992547' }),
      ],
    },
    { A1: ['INV1: large | '], B2: ['INV1: as large | '], rejects: [] },
  ],
  [
    'given twice is kept once for each client',
    {
      invoices: [invoiceOf('A1'), invoiceOf('B2'), invoiceOf('A1')],
      lines: [lineOf('A1', 'of A1'), lineOf('B2', 'of B2')],
    },
    { A1: ['INV1: of A1 | '], B2: ['INV1: of B2 | '], rejects: [['invoices', 'identity.duplicate', null]] },
  ],
]

const withNoPaymentNamed: readonly Case[] = [
  [
    'is served to neither client when the payments, all of other invoices, name none',
    {
      invoices: [invoiceOf('A1'), invoiceOf('B2'), invoiceOf('B2', { invoice_number: 'INV2' })],
      lines: [lineOf('A1', 'of A1')],
      payments: [{ ...paymentOf(null, 'plain'), invoice_number: 'INV2' }],
    },
    {
      A1: [],
      B2: ['INV2:  | plain'],
      rejects: ['invoices', 'invoices', 'invoice_lines'].map(
        (table, at) => [table, 'client.ambiguous', allOpen[at] as string] as const,
      ),
    },
  ],
]

/** One extract for each set: what a line may leave out depends on the other rows of its table. */
const extracts: readonly (readonly [naming: string, cases: readonly Case[], format: ExtractFormat])[] = [
  ['some lines and payments name their client', withSomeNamed, 'csv'],
  ['all lines and payments name their client', withAllNamed, 'ndjson'],
  ['no payment names its client', withNoPaymentNamed, 'ndjson'],
]

/** Each case has a company of its own, so that its numbers are not those of another case. */
const companyOf = (at: number): string => `Co-${at}`

function extractOfCases(cases: readonly Case[]): ExtractTables {
  const rowsOfAll = cases.map(([, { invoices, lines, payments = [] }], at) => {
    const company = companyOf(at)
    const own = <Row>(rows: readonly Row[]) => rows.map((row) => ({ ...row, company }))
    return { invoices: own(invoices), lines: own(lines), payments: own(payments) }
  })
  return extractOf({
    invoices: rowsOfAll.flatMap(({ invoices }) => invoices),
    lines: rowsOfAll.flatMap(({ lines }) => lines),
    payments: rowsOfAll.flatMap(({ payments }) => payments),
  })
}

describe('an invoice number that several clients may have', () => {
  for (const [naming, cases, format] of extracts) {
    describe(`where ${naming}`, () => {
      const tables = extractOfCases(cases)
      let rejects: readonly Reject[]
      const shared = sharedFolders(async (folders) => {
        await writeExtract(folders.source, tables, format)
        const { snapshot } = await refresh(folders, { maxRejectShare: 1 })
        rejects = await rejectsOf(folders, snapshot)
      })

      const rejectsOfCompany = (company: string) =>
        rejects.filter((reject) => invoiceKeyOf(tables, reject).company === company)

      for (const [at, [title, , { A1, B2, rejects }]] of cases.entries()) {
        it(title, async () => {
          const company = companyOf(at)
          assert.deepEqual(
            rejectsOfCompany(company).map(({ table, rule, value }) => [table, rule, value]),
            rejects.map(([table, rule, value]) => [
              table,
              rule,
              value?.replace(key.company, company) ?? null,
            ]),
          )
          const found = {
            A1: await served(shared(), 'A1', company),
            B2: await served(shared(), 'B2', company),
          }
          assert.deepEqual(found, { A1, B2 })
        })
      }

      it('sets no other row aside', () => {
        assert.equal(
          rejects.length,
          cases.reduce((sum, [, , expected]) => sum + expected.rejects.length, 0),
        )
      })

      if (cases !== withSomeNamed) return

      it('says in the rejects which clients share it and what to do', () => {
        assert.deepEqual(rejectsOfCompany(companyOf(0)).at(-1), {
          table: 'invoice_lines',
          client: null,
          file: 'invoice_lines.csv',
          row: 1,
          key: { company: companyOf(0), invoice_number: 'INV1', line_number: '1' },
          field: 'client_number',
          rule: 'client.ambiguous',
          value: 'A1, B2',
          message:
            'expected one client with this company and invoice_number, found A1, B2: give every row of invoice_lines and payments its client_number',
        })
      })
    })
  }
})

describe('an invoice whose line is not a row, or has no key', () => {
  type Broken = readonly [title: string, spoilt: (line: string) => string]
  /** A quote that is never closed comes last, because it could swallow the lines after it. */
  const broken: Readonly<Record<ExtractFormat, readonly Broken[]>> = {
    csv: [
      ['has a value too many', (line) => line.replace('B2,', 'B2,more,')],
      ['holds control characters', (line) => `${line}\r\u0001x`],
      ['has no company', (line) => line.replace('Co', '')],
      ['has its values in the wrong columns', (line) => line.replace(/,,(INV\d+),/, ',$1,,')],
      ['has a quote that is never closed', (line) => line.replace(/,[^,]*$/, ',"open')],
    ],
    ndjson: [
      ['is not valid JSON', (line) => line.replace('{', '{"x":01,')],
      ['has a column twice', (line) => line.replace('{', '{"Client_Number":"B2",')],
      ['has no company', (line) => line.replace('"Co"', 'null')],
    ],
  }

  for (const format of ['csv', 'ndjson'] as const) {
    describe(`in ${format}`, () => {
      const numbers = broken[format].map((_, at) => `INV${at + 1}`)
      const each = <Row>(row: (more: { readonly invoice_number: string }) => Row) =>
        numbers.map((invoice_number) => row({ invoice_number }))
      const tables = extractOf({
        invoices: [
          invoiceOf('A1', { invoice_number: 'OWN' }),
          ...each((more) => invoiceOf('A1', more)),
          ...each((more) => invoiceOf('B2', more)),
        ],
        lines: [
          lineOf(null, 'of A1', { invoice_number: 'OWN' }),
          ...each((more) => lineOf(null, 'secret of B2', more)),
        ],
        payments: each((more) => ({ ...paymentOf(null, 'secret of B2'), ...more })),
      })
      let ambiguous: readonly Reject[]
      const shared = sharedFolders(async (folders) => {
        await writeExtract(folders.source, tables, format)
        const file = join(folders.source, `invoices.${format}`)
        const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
        const kept = lines.slice(0, -numbers.length)
        const spoilt = lines.slice(-numbers.length).map((line, at) => {
          const found = broken[format][at]?.[1](line)
          assert.notEqual(found, line)
          return found
        })
        await overwrite(folders.source, { [`invoices.${format}`]: `${[...kept, ...spoilt].join('\n')}\n` })
        const { snapshot } = await refresh(folders, { maxRejectShare: 1 })
        ambiguous = (await rejectsOf(folders, snapshot)).filter(({ rule }) => rule === 'client.ambiguous')
      })

      for (const [at, [title]] of broken[format].entries()) {
        it(`${title}: its lines are not served to another who has the number`, () => {
          const ofNumber = ambiguous.filter(
            (reject) => invoiceKeyOf(tables, reject).invoice_number === numbers[at],
          )
          assert.deepEqual(
            ofNumber.map(({ table }) => table),
            ['invoices', 'invoice_lines', 'payments'],
          )
        })
      }

      it('keeps back no other invoice', async () => {
        assert.equal(ambiguous.length, 3 * numbers.length)
        assert.deepEqual(await served(shared(), 'A1'), ['OWN: of A1 | '])
        assert.deepEqual(await served(shared(), 'B2'), [])
      })
    })
  }

  it('keeps nothing back when every line and payment names its client', async (t) => {
    const folders = await makeFolders(t)
    const rows = { invoices: [invoiceOf('A1')], lines: [lineOf('A1', 'of A1'), lineOf('B2', 'secret of B2')] }
    await writeExtract(folders.source, extractOf(rows), 'csv')
    await appendFile(join(folders.source, 'invoices.csv'), 'Co,B2,more,,INV1\n')
    await refresh(folders, { maxRejectShare: 1 })
    assert.deepEqual(await served(folders, 'A1'), ['INV1: of A1 | '])
  })
})

describe('a line of NDJSON that names two clients', () => {
  const twice: readonly (readonly [title: string, members: string])[] = [
    ['in two spellings', '"client_number":"A1","CLIENT_NUMBER":"B2"'],
    ['by one name', '"client_number":"B2","client_number":"A1"'],
    ['once with an escape', '"client_number":"B2","client\\u005fnumber":"A1"'],
  ]
  let rejects: readonly Reject[]
  const shared = sharedFolders(async (folders) => {
    const rows = { invoices: [invoiceOf('A1'), invoiceOf('B2', { invoice_number: 'INV2' })], lines: [] }
    await writeExtract(folders.source, extractOf(rows), 'ndjson')
    const named = (of: string) =>
      twice
        .map(
          ([, members], at) =>
            `{${members},"company":"Co","invoice_number":"INV1","line_number":${at + 1},${of}}\n`,
        )
        .join('')
    await overwrite(folders.source, {
      'invoice_lines.ndjson': named('"line_type":"FARE","description":"of whom"'),
      // These lines go another way, because they may hold card numbers.
      'payments.ndjson': named('"amount":1,"merchant":"of whom"'),
    })
    const { snapshot } = await refresh(folders, { maxRejectShare: 1 })
    rejects = await rejectsOf(folders, snapshot)
  })

  for (const [at, [title]] of twice.entries()) {
    it(`${title} is set aside`, () => {
      assert.deepEqual(
        rejects.filter(({ row }) => row === at + 1).map(({ table, rule, message }) => [table, rule, message]),
        ['invoice_lines', 'payments'].map((table) => [
          table,
          'line.malformed',
          `expected a row, but column 'client_number' occurs twice`,
        ]),
      )
    })
  }

  it('is served to no client', async () => {
    assert.equal(rejects.length, 2 * twice.length)
    assert.deepEqual(
      { A1: await served(shared(), 'A1'), B2: await served(shared(), 'B2') },
      { A1: ['INV1:  | '], B2: ['INV2:  | '] },
    )
  })
})

describe('a table whose keys are numbers', () => {
  /** `invoice_lines` from a view in which the number of the invoice, or the client, is a number. */
  const view = (columns: string) =>
    `CREATE VIEW invoice_lines AS SELECT * REPLACE (${columns}) FROM read_csv('lines.csv', all_varchar = true)`

  async function withNumberKeys(folders: Folders, numbers: readonly [string, string]): Promise<void> {
    const [ofA1, ofB2] = numbers
    const tables = extractOf({
      invoices: [invoiceOf('A1', { invoice_number: ofA1 }), invoiceOf('B2', { invoice_number: ofB2 })],
      lines: [lineOf(null, 'of A1', { invoice_number: ofA1 })],
    })
    await writeExtract(folders.source, tables, 'csv')
    await rename(join(folders.source, 'invoice_lines.csv'), join(folders.source, 'lines.csv'))
    await overwrite(folders.source, { 'tripfolio.sql': view('invoice_number::INTEGER AS invoice_number') })
  }

  for (const same of ['007', '+7', ' 7', '7.00', '7e0']) {
    it(`is refused when two clients have keys that are the same number, such as '${same}' and '7'`, async (t) => {
      const folders = await makeFolders(t)
      await withNumberKeys(folders, [same, '7'])
      const [first, second] = [same, '7'].toSorted()
      await assert.rejects(refresh(folders), {
        code: 'ING119',
        message: `Column 'invoice_number' of table 'invoice_lines' holds numbers in tripfolio.sql (view invoice_lines), and table 'invoices' holds both '${first}' and '${second}'`,
      })
    })
  }

  it('is refused when two rows of the clients have the same number, which may have been two', async (t) => {
    const folders = await makeFolders(t)
    const tables = extractOf({ invoices: [], lines: [] })
    await writeExtract(folders.source, tables, 'csv')
    await rename(join(folders.source, 'clients.csv'), join(folders.source, 'debtors.csv'))
    await overwrite(folders.source, {
      'debtors.csv': 'no,name\n007,B\n7,A\n',
      'tripfolio.sql': `CREATE VIEW clients AS SELECT no::INTEGER AS client_number, name FROM read_csv('debtors.csv', all_varchar = true)`,
    })
    await assert.rejects(refresh(folders, { maxRejectShare: 1 }), {
      code: 'ING117',
      message:
        "Column 'client_number' of table 'clients' holds numbers in tripfolio.sql (view clients), and 7 occurs in 2 rows: two clients may differ in leading zeros only",
    })
  })

  it('is read as ever when no two keys are the same number', async (t) => {
    const folders = await makeFolders(t)
    await withNumberKeys(folders, ['7', '7.4'])
    assert.equal((await refresh(folders)).rejects, 0)
    assert.deepEqual(await served(folders, 'A1'), ['7: of A1 | '])
  })
})

describe('a mapping that compares text without regard to case', () => {
  const tables = extractOf({
    invoices: [invoiceOf('A1'), invoiceOf('a1')],
    lines: [lineOf('A1', 'of A1'), lineOf('a1', 'of a1')],
  })

  for (const scope of ['', 'SESSION', 'GLOBAL']) {
    it(`may not do so for all that is read: SET ${scope} default_collation`, async (t) => {
      const folders = await makeFolders(t)
      await writeExtract(folders.source, tables, 'csv')
      await overwrite(folders.source, { 'tripfolio.sql': `SET ${scope} default_collation = 'NOCASE'` })
      await assert.rejects(refresh(folders), { code: 'ING107', message: /line 1: 'SET .* is not allowed$/ })
    })
  }

  it('does not make one client of two by its own columns', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, tables, 'csv')
    await rename(join(folders.source, 'clients.csv'), join(folders.source, 'debtors.csv'))
    const sql = `CREATE TABLE clients AS SELECT client_number COLLATE NOCASE AS client_number, name FROM read_csv('debtors.csv', all_varchar = true)`
    await overwrite(folders.source, { 'tripfolio.sql': sql })
    assert.equal((await refresh(folders)).rejects, 0)
    assert.deepEqual(await served(folders, 'A1'), ['INV1: of A1 | '])
    assert.deepEqual(await served(folders, 'a1'), ['INV1: of a1 | '])
  })
})

describe('the service over an extract in which two clients share an invoice number', () => {
  /** Both versions' invoices of a client, as the text of the answers. */
  async function answersTo(data: string, clients: readonly string[]): Promise<readonly string[]> {
    const store = await openControlStore(data)
    const credentials: { readonly apiKey: string; readonly psk: string }[] = []
    for (const clientNumber of clients) {
      const { account, apiKey } = await store.accounts.create({ clientNumber, name: clientNumber }, 'test')
      credentials.push({ apiKey, psk: (await store.accounts.issuePsk(account.id, 'test')).psk })
    }
    await store.close()
    return whileServingHere(data, ({ address }) =>
      Promise.all(
        credentials.map(async ({ apiKey, psk }) => {
          const version2 = await fetch(`${address}/api/v2/invoices`, { headers: { 'X-API-Key': apiKey } })
          const version1 = await fetch(`${address}/api/v1/invoices`, { headers: { psk } })
          return `${version2.status} ${await version2.text()} ${version1.status} ${await version1.text()}`
        }),
      ),
    )
  }

  it('serves it to neither of them, refuses the share of rejects, and names them when it is allowed', async (t) => {
    const { source, data } = await makeFolders(t)
    const others = Array.from({ length: 10 }, (_, at) => invoiceOf('A1', { invoice_number: `OWN${at}` }))
    const tables = extractOf({
      invoices: [invoiceOf('A1'), ...others, invoiceOf('B2')],
      lines: [lineOf(null, 'secret of B2')],
      payments: [paymentOf(null, 'secret of B2')],
    })
    await writeExtract(source, tables, 'csv')
    const ingest = ['ingest', '--source', source, '--data', data]
    const refused = await runCommand(ingest)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /Table 'invoices' has 2 rejected of 12 rows/)
    const { code, stdout } = await runCommand([...ingest, '--max-reject-share', '1'])
    assert.equal(code, 0)
    assert.match(stdout, /^invoices +12 +2 +0$/m)
    assert.match(stdout, /^payments +1 +1 +0$/m)
    const [ofA1 = '', ofB2 = ''] = await answersTo(data, ['A1', 'B2'])
    for (const answer of [ofA1, ofB2]) {
      assert.match(answer, /^200 .* 200 /s)
      assert.ok(!answer.includes('secret') && !answer.includes('INV1'), answer)
    }
    assert.equal(ofA1.match(/"invoiceNumber":"OWN/g)?.length, 20)
  })

  it('serves to each of them its own when lines and payments name their client', async (t) => {
    const { source, data } = await makeFolders(t)
    const tables = extractOf({
      invoices: [invoiceOf('A1'), invoiceOf('B2')],
      lines: [
        lineOf('A1', 'line of A1', { line_number: '1', ticket_number: 'ticket of A1' }),
        lineOf('B2', 'line of B2', { line_number: '1', ticket_number: 'ticket of B2' }),
      ],
      payments: [paymentOf('B2', 'payment of B2'), paymentOf('A1', 'payment of A1')],
    })
    await writeExtract(source, tables, 'csv')
    const { code, stdout } = await runCommand(['ingest', '--source', source, '--data', data])
    assert.equal(code, 0)
    assert.match(stdout, /^invoice_lines +2 +0 +0$/m)
    const clients = ['A1', 'B2']
    for (const [at, answer] of (await answersTo(data, clients)).entries()) {
      const [own, other] = at === 0 ? clients : clients.toReversed()
      for (const part of ['line', 'ticket', 'payment']) {
        assert.ok(answer.includes(`${part} of ${own}`) && !answer.includes(`${part} of ${other}`), answer)
      }
    }
  })
})
