/** Rows that could be of several clients are served to none of them, and rows that say whose they are to their own alone. */
import assert from 'node:assert/strict'
import { appendFile, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openControlStore } from '../../src/directory/open-stores.ts'
import type { Reject } from '../../src/ingest/reject-log.ts'
import { type ExtractRow, type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { type Folders, makeFolders, overwrite, publishedRecords, refresh } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { whileServing } from './tripfolio-process.ts'

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

async function rejectsOf({ data }: Folders, snapshot: string): Promise<readonly Reject[]> {
  const text = await readFile(join(data, 'snapshots', snapshot, 'rejects.ndjson'), 'utf8')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

type InvoiceRecord = {
  readonly invoiceNumber: string
  readonly lineItems: readonly { readonly description: string }[]
}
type InvoiceV1 = { readonly payments: readonly { readonly merchant: string }[] }

/** A client's invoices as `number: lines | payments`. */
async function served({ data }: Folders, client: string): Promise<readonly string[]> {
  const version2 = await publishedRecords(data, client, 'invoices')
  const version1 = await publishedRecords(data, client, 'invoices', 1)
  return version2.map((text, at) => {
    const { invoiceNumber, lineItems }: InvoiceRecord = JSON.parse(text)
    const { payments }: InvoiceV1 = JSON.parse(version1[at] ?? '')
    return `${invoiceNumber}: ${lineItems.map(({ description }) => description)} | ${payments.map(({ merchant }) => merchant)}`
  })
}

const allOpen = ['A1, B2', 'A1, B2', 'A1, B2']

const cases: readonly (readonly [
  title: string,
  rows: Rows,
  expected: {
    readonly A1: readonly string[]
    readonly B2: readonly string[]
    readonly rejects: readonly (readonly [table: string, rule: string, value: string | null])[]
  },
])[] = [
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
    'of one client alone does without the line of another, which is set aside',
    { invoices: [invoiceOf('A1')], lines: [lineOf('A1', 'of A1'), lineOf('B2', 'of B2')] },
    { A1: ['INV1: of A1 | '], B2: [], rejects: [['invoice_lines', 'reference.client', 'B2']] },
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

describe('an invoice number that several clients may have', () => {
  for (const [title, rows, { A1, B2, rejects }] of cases) {
    it(title, async (t) => {
      const folders = await makeFolders(t)
      await writeExtract(folders.source, extractOf(rows), 'ndjson')
      const { snapshot } = await refresh(folders, { maxRejectShare: 1 })
      const listed = await rejectsOf(folders, snapshot)
      assert.deepEqual(
        listed.map(({ table, rule, value }) => [table, rule, value]),
        rejects,
      )
      assert.deepEqual({ A1: await served(folders, 'A1'), B2: await served(folders, 'B2') }, { A1, B2 })
    })
  }

  it('says in the rejects which clients share it and what to do', async (t) => {
    const folders = await makeFolders(t)
    const rows = { invoices: [invoiceOf('A1'), invoiceOf('B2')], lines: [lineOf(null, 'of B2')] }
    await writeExtract(folders.source, extractOf(rows), 'csv')
    const { snapshot } = await refresh(folders, { maxRejectShare: 1 })
    const listed = await rejectsOf(folders, snapshot)
    assert.deepEqual(listed.at(-1), {
      table: 'invoice_lines',
      file: 'invoice_lines.csv',
      row: 1,
      key: { company: 'Co', invoice_number: 'INV1', line_number: '1' },
      field: 'client_number',
      rule: 'client.ambiguous',
      value: 'A1, B2',
      message:
        'expected one client with this company and invoice_number, found A1, B2: give every row of invoice_lines and payments its client_number',
    })
  })
})

describe('an invoice whose line is not a row, or has no key', () => {
  const broken: readonly (readonly [
    title: string,
    format: 'csv' | 'ndjson',
    row: (line: string) => string,
  ])[] = [
    ['has a value too many', 'csv', (line) => line.replace('B2,', 'B2,more,')],
    ['has a quote that is never closed', 'csv', (line) => line.replace(/,[^,]*$/, ',"open')],
    ['holds control characters', 'csv', (line) => `${line}\r\u0001x`],
    ['is not valid JSON', 'ndjson', (line) => line.replace('{', '{"x":01,')],
    ['has a column twice', 'ndjson', (line) => line.replace('{', '{"Client_Number":"B2",')],
    ['has no company', 'csv', (line) => line.replace('Co', '')],
    ['has no company', 'ndjson', (line) => line.replace('"Co"', 'null')],
    ['has its values in the wrong columns', 'csv', (line) => line.replace(',,INV1,', ',INV1,,')],
  ]
  for (const [title, format, spoilt] of broken) {
    it(`${title} (${format}): its lines are not served to another who has the number`, async (t) => {
      const folders = await makeFolders(t)
      const rows = {
        invoices: [invoiceOf('A1'), invoiceOf('A1', { invoice_number: 'OWN' }), invoiceOf('B2')],
        lines: [lineOf(null, 'secret of B2'), lineOf(null, 'of A1', { invoice_number: 'OWN' })],
        payments: [paymentOf(null, 'secret of B2')],
      }
      await writeExtract(folders.source, extractOf(rows), format)
      const file = join(folders.source, `invoices.${format}`)
      const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
      const last = lines.at(-1) ?? ''
      assert.notEqual(spoilt(last), last)
      await overwrite(folders.source, {
        [`invoices.${format}`]: `${[...lines.slice(0, -1), spoilt(last)].join('\n')}\n`,
      })
      const { snapshot } = await refresh(folders, { maxRejectShare: 1 })
      assert.deepEqual(
        { A1: await served(folders, 'A1'), B2: await served(folders, 'B2') },
        { A1: ['OWN: of A1 | '], B2: [] },
      )
      const ambiguous = (await rejectsOf(folders, snapshot)).filter(({ rule }) => rule === 'client.ambiguous')
      assert.deepEqual(
        ambiguous.map(({ table }) => table),
        ['invoices', 'invoice_lines', 'payments'],
      )
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
  for (const [title, members] of twice) {
    it(`${title} is set aside, and served to no client`, async (t) => {
      const folders = await makeFolders(t)
      const rows = { invoices: [invoiceOf('A1'), invoiceOf('B2', { invoice_number: 'INV2' })], lines: [] }
      await writeExtract(folders.source, extractOf(rows), 'ndjson')
      const named = (of: string) => `{${members},"company":"Co","invoice_number":"INV1",${of}}\n`
      await overwrite(folders.source, {
        'invoice_lines.ndjson': named('"line_number":1,"line_type":"FARE","description":"of whom"'),
        // These lines go another way, because they may hold card numbers.
        'payments.ndjson': named('"amount":1,"merchant":"of whom"'),
      })
      const { snapshot } = await refresh(folders, { maxRejectShare: 1 })
      const listed = await rejectsOf(folders, snapshot)
      assert.deepEqual(
        listed.map(({ table, row, rule, message }) => [table, row, rule, message]),
        ['invoice_lines', 'payments'].map((table) => [
          table,
          1,
          'line.malformed',
          `expected a row, but column 'client_number' occurs twice`,
        ]),
      )
      assert.deepEqual(
        { A1: await served(folders, 'A1'), B2: await served(folders, 'B2') },
        { A1: ['INV1:  | '], B2: ['INV2:  | '] },
      )
    })
  }
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
  for (const scope of ['', 'SESSION', 'GLOBAL']) {
    it(`does not make one client of two (SET ${scope})`, async (t) => {
      const folders = await makeFolders(t)
      const tables = extractOf({
        invoices: [invoiceOf('A1'), invoiceOf('a1')],
        lines: [lineOf('A1', 'of A1'), lineOf('a1', 'of a1')],
      })
      await writeExtract(folders.source, tables, 'csv')
      await overwrite(folders.source, {
        'tripfolio.sql': `SET ${scope} default_collation = 'NOCASE'`,
      })
      assert.equal((await refresh(folders)).rejects, 0)
      assert.deepEqual(await served(folders, 'A1'), ['INV1: of A1 | '])
      assert.deepEqual(await served(folders, 'a1'), ['INV1: of a1 | '])
    })
  }
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
    return whileServing(data, ({ address }) =>
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
