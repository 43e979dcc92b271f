import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Called, callCli } from './testing/call-cli.ts'

let data: string
before(() => {
  data = mkdtempSync(join(tmpdir(), 'tripfolio-explain-'))
})
after(() => rmSync(data, { recursive: true }))

const explainWith = (env: Readonly<Record<string, string>>, ...args: string[]): Promise<Called> =>
  callCli(['explain', ...args], { env: { TRIPFOLIO_DATA: data, ...env } })

const explain = (...args: string[]) => explainWith({}, ...args)

const labelNote = (name: string) =>
  `customDataFields['${name}']: put the label that this client has for ${name} in place of '${name}'`

const ofBookings = ['--dataset', 'bookings']

describe('tripfolio explain --v1', () => {
  const answered: readonly (readonly [what: string, args: readonly string[], filter: string])[] = [
    [
      'a bare query',
      ['BookingDate^GE2026-01-31;IsTicketed^EQ1', ...ofBookings],
      "bookingDate ge '2026-01-31' and isTicketed eq true",
    ],
    ['a query with its name', ['query=IsTicketed^EQ0', ...ofBookings], 'isTicketed eq false'],
    [
      'a query encoded as in an address',
      ['?Query=OriginatingAgency%5EINSyd+ney%2CPerth', ...ofBookings],
      "originatingAgency in ('Syd ney', 'Perth')",
    ],
    ['a query with its paging', ['query=InvoiceNumber^EQR%26D&offset=10'], "invoiceNumber eq 'R&D'"],
    ['a query after its paging', ['?fetch=5&query=InvoiceNumber^CTx'], "contains(invoiceNumber, 'x')"],
    [
      'an address',
      ['http://127.0.0.1:8080/api/v1/itineraries?fetch=5&query=RecordLocator^EQABC123&offset=10'],
      "recordLocator eq 'ABC123'",
    ],
    [
      'a query whose properties another list has',
      ['InvoiceNumber^NEnull;ClientNumber^CT1'],
      "invoiceNumber ne null and contains(clientNumber, '1')",
    ],
    [
      'a query for a list that is named',
      ['ModifiedDateTime^LT2026-01-31', '--dataset', 'itineraries'],
      "modifiedAt lt '2026-01-31'",
    ],
  ]
  for (const [what, [query = '', ...options], filter] of answered) {
    it(`prints the filter of ${what} and nothing else`, async () => {
      assert.deepEqual(await explain('--v1', query, ...options), {
        code: 0,
        stdout: `${filter}\n`,
        stderr: '',
      })
    })
  }

  it('writes notes for the reader to standard error', async () => {
    assert.deepEqual(await explain('--v1', 'CostCentre^EQ2026-01-31', ...ofBookings), {
      code: 0,
      stdout: "customDataFields['costCentre'] eq '2026-01-31'\n",
      stderr: `note: ${labelNote('costCentre')}\nnote: '2026-01-31' reads as a date: $filter also matches other spellings of that moment\n`,
    })
  })

  it('prints JSON on request, notes included', async () => {
    const { code, stdout, stderr } = await explain('--v1', 'costcentre^NIa,null', '--json', ...ofBookings)
    assert.deepEqual([code, stderr], [0, ''])
    assert.deepEqual(JSON.parse(stdout), {
      dataset: 'bookings',
      filter: "customDataFields['costCentre'] nin ('a', null)",
      notes: [labelNote('costCentre')],
    })
  })

  it('notes which list it chose when several lists have the properties', async () => {
    const { stdout, stderr } = await explain('--v1', 'RecordLocator^EQABC123')
    assert.equal(stdout, "recordLocator eq 'ABC123'\n")
    assert.equal(
      stderr,
      'note: read as a query of bookings; itineraries and invoices have these properties too: to choose another list, add --dataset itineraries or --dataset invoices\n',
    )
    const { notes } = JSON.parse((await explain('--v1', 'IsTicketed^EQ1', '--json')).stdout)
    assert.deepEqual(notes, [
      'read as a query of bookings; itineraries has these properties too: to choose another list, add --dataset itineraries',
    ])
  })

  it('takes the list from an address, unless --dataset names another', async () => {
    const address = 'https://api.example.com/api/v1/invoices?query=RecordLocator^EQABC123'
    const [own, other] = await Promise.all([
      explain('--v1', address, '--json'),
      explain('--v1', address, '--json', ...ofBookings),
    ])
    assert.deepEqual(JSON.parse(own.stdout), {
      dataset: 'invoices',
      filter: "recordLocator eq 'ABC123'",
      notes: [],
    })
    assert.equal(JSON.parse(other.stdout).dataset, 'bookings')
  })

  it('notes which parameters of an address version 1 ignores', async () => {
    assert.deepEqual(await explain('--v1', 'query=InvoiceNumber^EQR&D&fetsh=5'), {
      code: 0,
      stdout: "invoiceNumber eq 'R'\n",
      stderr: ['D', 'fetsh']
        .map(
          (name) =>
            `note: version 1 ignores the parameter '${name}'; if the & before it is part of a value, write %26\n`,
        )
        .join(''),
    })
  })

  for (const character of ['\n', '\r', '\t', '\0', '\u001b', '\u0085', '\u2028']) {
    it(`prints only JSON for a filter with ${JSON.stringify(encodeURIComponent(character))}`, async () => {
      const query = `InvoiceNumber^EQa${encodeURIComponent(character)}b`
      const [plain, json] = await Promise.all([explain('--v1', query), explain('--v1', query, '--json')])
      assert.deepEqual(plain, {
        code: 2,
        stdout: '',
        stderr:
          'tripfolio: The filter has line breaks or other control characters, which do not show in a line\n           --json prints it exactly, as a JSON text\n',
      })
      assert.equal(JSON.parse(json.stdout).filter, `invoiceNumber eq 'a${character}b'`)
    })
  }

  const fitting: readonly (readonly [query: string, dataset: string])[] = [
    ['RecordLocator^EQABC123', 'bookings'],
    ['InvoiceDate^GE2026-01-31', 'invoices'],
    ['RecordLocator^EQABC123;InvoiceNumber^EQ1', 'invoices'],
  ]
  for (const [query, dataset] of fitting) {
    it(`takes ${query} for a query of ${dataset}`, async () => {
      assert.equal(JSON.parse((await explain('--v1', query, '--json')).stdout).dataset, dataset)
    })
  }

  const refused: readonly (readonly [args: readonly string[], ...lines: readonly string[]])[] = [
    [['Traveller'], 'Invalid query format: Missing operator.'],
    [['Nobody^EQ1'], "Unknown search property: 'Nobody' not found on type BookingGetDtoV1."],
    // The other properties fit a list: the message is about the one property that this list does not have.
    [
      ['InvoiceDate^GE2026-01-31;TotlAmount^GT5'],
      "Unknown search property: 'TotlAmount' not found on type InvoiceGetDtoV1.",
    ],
    [
      ['SegmentCount^GT1', '--dataset', 'bookings'],
      "Unknown search property: 'SegmentCount' not found on type BookingGetDtoV1.",
    ],
    [
      ['InvoiceNumber^EQR&D'],
      "Expected one query, but got a raw '&', which ends a value in an address",
      "within a value it is written %26; with other parameters, begin the query with its name, as in 'query=...&offset=10'",
    ],
    [
      ['http://127.0.0.1/api/v1/bookings?fetch=5'],
      'The query has no clauses and selects every record',
      'leave $filter out to get the same from version 2',
    ],
    [
      ['query=InvoiceNumber^EQ1&Query=InvoiceNumber^EQ2'],
      "Invalid query format: Expected parameter 'query' once, but got it again; clauses are joined by ';'.",
    ],
    [
      ['http://127.0.0.1/api/v1/bookings?query=InvoiceNumber^EQ1'],
      "Unknown search property: 'InvoiceNumber' not found on type BookingGetDtoV1.",
    ],
    [
      ['query='],
      'The query has no clauses and selects every record',
      'leave $filter out to get the same from version 2',
    ],
  ]
  for (const [[query = '', ...options], message, hint] of refused) {
    it(`refuses '${query}' with one clear line`, async () => {
      const stderr = `tripfolio: ${message}\n${hint === undefined ? '' : `           ${hint}\n`}`
      assert.deepEqual(await explain('--v1', query, ...options), { code: 2, stdout: '', stderr })
    })
  }

  it('refuses a query that is longer than the settings allow', async () => {
    const { code, stderr } = await explainWith({ TRIPFOLIO_LIST_ITEMS: '2' }, '--v1', 'RecordLocator^INa,b,c')
    assert.equal(code, 2)
    assert.match(stderr, /at most 2 items in one list, but got more; the limit is listItems = 2\.\n$/)
  })

  it('explains wrong usage', async () => {
    const [nothing, unknown] = await Promise.all([explain(), explain('--v1', 'x', '--dataset', 'trips')])
    assert.deepEqual([nothing.code, unknown.code], [2, 2])
    assert.match(nothing.stderr, /Required option '--v1 <query>' or '--apply <steps>' not specified/)
    assert.match(unknown.stderr, /Allowed choices are bookings, itineraries, invoices/)
  })
})

describe('tripfolio explain --apply', () => {
  const steps =
    'filter(quantity gt 1)/groupby((lineType,month(invoiceDate) as month),aggregate($count as n,unitPrice with sum as spend))'

  it('says what the groups consist of, and what each member is', async () => {
    assert.deepEqual(await explain('--apply', steps, '--dataset', 'invoices'), {
      code: 0,
      stdout: [
        'groups of lineItems of invoices that satisfy the filter',
        'lineItems.lineType: text, lineItems.lineType',
        'month: text, month of invoiceDate',
        'n: long, number of lineItems',
        'spend: long-decimal, sum of lineItems.unitPrice',
        'ordered by lineItems.lineType, month',
        '',
      ].join('\n'),
      stderr: '',
    })
  })

  it('takes every label, and prints JSON', async () => {
    const { stdout } = await explain('--apply', "groupby((customDataFields['Cost centre']))", '--json')
    assert.deepEqual(JSON.parse(stdout), {
      dataset: 'bookings',
      groupsOf: 'records',
      hasFilter: false,
      members: [{ name: 'Cost centre', type: 'text', from: 'a label' }],
      orderBy: ['Cost centre'],
    })
  })

  it('refuses what the service would refuse, and a call without a query', async () => {
    const refused = await explain('--apply', 'groupby(company)')
    assert.match(refused.stderr, /second '\(' before the dimensions/)
    assert.notEqual(refused.code, 0)
    assert.match((await explain()).stderr, /'--v1 <query>' or '--apply <steps>' not specified/)
  })
})
