/**
 * Queries that a client's developer would write on the fixture, and the answers that a person reads from its rows: examples
 * that documents may quote. Records are named by locator, or by company and invoice number.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { QueryProblem } from '../../src/kernel/problem.ts'
import { fixtureExtract, harbour, limmat, newcomer } from '../fixtures/fixture-extract.ts'
import type { JsonDataset } from '../fixtures/json-record.ts'
import type { Parameters } from './query-parameters.ts'
import { type ServedExtract, serveExtract } from './serve-extract.ts'

let served: ServedExtract
before(async () => {
  served = await serveExtract(fixtureExtract, 'ndjson')
})
after(() => served.close())

type Row = readonly [query: string, names: readonly string[]]

const bookings: readonly Row[] = [
  ['', ['NULLS', 'QF0001', 'ABC123', 'abc123', 'HOTEL1', 'CANX01', 'ZZ9', 'Ä1']],
  // Dates and times
  ["$filter=bookingDate eq '2026-01-15'", ['ABC123', 'abc123']],
  [
    "$filter=bookingDate ge '2026-01-16' and bookingDate lt '2026-02-28T00:00:01Z'",
    ['HOTEL1', 'CANX01', 'ZZ9', 'Ä1'],
  ],
  ["$filter=modifiedAt gt '2026-01-15' and modifiedAt le '2026-01-16 09:30+00:00'", ['ABC123']],
  ["$filter=modifiedAt eq '2026-01-15'", ['abc123']],
  ["$filter=contains(tripStartLocal, 'T06:')", ['ABC123']],
  ["$filter=bookingDate lt '2025-01-01'", ['NULLS']],
  // Text, compared without letter case
  ["$filter=recordLocator eq 'Abc123'", ['ABC123', 'abc123']],
  ["$filter=originatingAgency eq 'SYDNEY cbd'", ['ABC123', 'abc123', 'HOTEL1', 'CANX01']],
  ["$filter=startswith(originatingAgency, 'sydney') and not endswith(originatingAgency, 'CBD')", ['Ä1']],
  ["$filter=recordLocator in ('zz9', 'ä1', 'nobody')", ['ZZ9', 'Ä1']],
  ["$filter=recordLocator nin ('zz9', 'ä1', 'abc123', 'canx01', 'nulls')", ['QF0001', 'HOTEL1']],
  ['$filter=recordLocator in ()', []],
  // Booleans
  ['filter=isTicketed eq true and isInternational ne true', ['QF0001', 'Ä1']],
  ["$FILTER=isTicketed eq 'TRUE'", ['QF0001', 'ABC123', 'Ä1']],
  ['$filter=isTicketed eq 1 and isInternational eq 0', ['QF0001', 'Ä1']],
  // Custom labels
  ["$filter=customDataFields.Department eq 'bridges'", ['ABC123', 'abc123', 'CANX01']],
  ['$filter=customDataFields.department eq null', ['NULLS']],
  ["$filter=customDataFields['Cost Centre'] eq 4711", ['ABC123', 'abc123']],
  ["$filter=customDataFields['Cost Centre'] eq '4711'", ['ABC123']],
  ["$filter=customDataFields['cost centre'] lt 100", ['HOTEL1', 'CANX01']],
  ["$filter=customDataFields['Budget.2026'] eq 1000.5", ['QF0001', 'ABC123']],
  ["$filter=customDataFields['Budget.2026'] ge '2026-02-28T09:00Z'", ['ZZ9']],
  ["$filter=customDataFields['Traveller''s PO'] eq '2026-01-15T00:00'", ['QF0001']],
  ["$filter=customDataFields['Traveller’s PO'] eq '2026-01-15T00:00'", ['QF0001']],
  ["$filter=contains(customDataFields['Projekt \"Föhn\"'], 'FÖHN')", ['QF0001', 'ABC123']],
  ["$filter=contains(customDataFields['PROJEKT “Föhn”'], 'FÖHN')", ['QF0001', 'ABC123']],
  ["$filter=customDataFields['and'] ne null", ['ABC123']],
  ["$filter=customDataFields['部門'] eq 'οδος'", ['Ä1']],
  ['$filter=customDataFields.Department eq true or customDataFields.Department eq false', ['HOTEL1', 'Ä1']],
  [
    "$filter=customDataFields['Never captured'] eq null",
    ['NULLS', 'QF0001', 'ABC123', 'abc123', 'HOTEL1', 'CANX01', 'ZZ9', 'Ä1'],
  ],
  // Additional fields, which records do not show
  ["$filter=traveller eq 'straße/JÖRG DR'", ['QF0001']],
  ["$filter=costCentre eq '4711.0'", ['abc123']],
  ["$filter=currencyCode eq 'aud'", ['ABC123']],
  ["$filter=segmentCount gt 0 and tripStartUtc lt '2026-02-01'", ['ABC123']],
  ['$filter=totalAirDistance gt 12601.4', ['ABC123']],
  ["$filter=any(travellers, contains(name, 'kim/'))", ['ABC123']],
  ['$filter=travellers.department eq null', ['ABC123']],
  ["$filter=name eq 'nobody'", []],
  ['$filter=not any(travellers)', ['NULLS', 'QF0001', 'abc123', 'HOTEL1', 'CANX01', 'ZZ9', 'Ä1']],
  // Order and pages
  ['$orderby=totalAirDurationSeconds,recordLocator&$pageSize=2', ['ABC123', 'abc123']],
  ['$orderby=recordLocator', ['ABC123', 'abc123', 'CANX01', 'HOTEL1', 'NULLS', 'QF0001', 'ZZ9', 'Ä1']],
  ['$orderby=bookingDate desc', ['ZZ9', 'Ä1', 'CANX01', 'HOTEL1', 'ABC123', 'abc123', 'QF0001', 'NULLS']],
  [
    "$orderby=customDataFields['Cost Centre'] desc, recordLocator desc",
    ['Ä1', 'ZZ9', 'NULLS', 'abc123', 'ABC123', 'QF0001', 'CANX01', 'HOTEL1'],
  ],
  ['$pageSize=3', ['NULLS', 'QF0001', 'ABC123']],
  ['$pagesize=3&$page=3', ['ZZ9', 'Ä1']],
  ['$page=2', []],
]

const itineraries: readonly Row[] = [
  ["$filter=segments.status eq 'hk'", ['ABC123', 'abc123', 'ZZ9']],
  ["$filter=segments.status ne 'HK'", ['NULLS', 'QF0001', 'HOTEL1', 'CANX01', 'Ä1']],
  ["$filter=all(segments, status eq 'XX')", ['QF0001', 'CANX01', 'Ä1']],
  ["$filter=any(segments) and all(segments, status eq 'XX')", ['CANX01']],
  ["$filter=any(segments, segmentType eq 'AIR' and status eq 'XX')", ['CANX01', 'ZZ9']],
  ['$filter=not any(segments)', ['QF0001', 'Ä1']],
  ['$filter=segments.code eq 1', ['ABC123']],
  ['$filter=segments.code eq 809', ['abc123']],
  ["$filter=segments.code eq '809'", []],
  ['$filter=segments.destination eq null', ['NULLS', 'ABC123', 'HOTEL1', 'CANX01']],
  ["$filter=segments.origin in ('nan', null)", ['NULLS', 'HOTEL1', 'ZZ9']],
  ["$filter=segments.endLocal gt '2026-05-01'", ['CANX01']],
  ['$filter=segments.segmentNumber ge 2&$orderby=recordLocator desc', ['ZZ9', 'CANX01', 'ABC123']],
]

const invoices: readonly Row[] = [
  ['', ['AU Travel INV-2', 'AU Travel CR-1', 'AU Travel INV-1', 'NZ Travel INV-1', 'NZ Travel INV-3']],
  ["$filter=lineItems.lineType eq 'FEE'", ['AU Travel INV-2', 'NZ Travel INV-1']],
  ['$filter=lineItems.quantity eq 1e-5', ['NZ Travel INV-1']],
  ['$filter=lineItems.quantity lt 0', ['AU Travel CR-1']],
  ['$filter=lineItems.lineDiscountAmount lt 0', ['NZ Travel INV-1']],
  ['$filter=lineItems.unitPrice eq 12345678.12345', ['NZ Travel INV-1']],
  ["$filter=any(lineItems, lineType eq 'FARE' and lineAmountIncGst gt 500)", ['AU Travel INV-1']],
  ["$filter=lineItems.lineType eq 'TAX' and lineItems.lineAmountIncGst gt 500", ['AU Travel INV-1']],
  ["$filter=lineType eq 'TAX' and lineAmountIncGst gt 500", ['AU Travel INV-1']],
  ['$filter=gstPercent in (0, 15)', ['AU Travel CR-1', 'AU Travel INV-1', 'NZ Travel INV-1']],
  ['$filter=lineItems.gstPercent in (0, 15)', ['AU Travel CR-1', 'AU Travel INV-1', 'NZ Travel INV-1']],
  ["$filter=startswith(lineItems.lineAmountIncGst, '-55')", ['AU Travel CR-1']],
  ["$filter=paymentTermsCode eq '14d'", ['AU Travel CR-1', 'AU Travel INV-1']],
  ['$filter=custLedgerEntryNo eq 900002', ['AU Travel INV-2']],
  ["$filter=recordLocator ne 'ABC123'", ['AU Travel INV-2', 'NZ Travel INV-1', 'NZ Travel INV-3']],
  ['$filter=recordLocator eq null', ['NZ Travel INV-1', 'NZ Travel INV-3']],
  // Additional fields, which records do not show
  ['$filter=balanceAmount gt 0', ['AU Travel INV-2']],
  ['$filter=balanceAmount lt 0', ['AU Travel CR-1']],
  ["$filter=any(lineItems, ticketNumber eq '081-2345678901')", ['AU Travel INV-1']],
  ["$filter=startswith(originalTicketNumber, '081')", ['AU Travel INV-1']],
  ['$filter=any(payments, amount gt 100)', ['AU Travel INV-1']],
  ["$filter=currencyCode eq 'NZD'", ['AU Travel INV-2']],
  // Card numbers are masked except for their last digits, also where a query compares them.
  ["$filter=payments.cardNumber eq '4111111111111111'", []],
  ["$filter=startswith(payments.cardNumber, '4')", []],
  ["$filter=payments.cardNumber eq '************1111'", ['AU Travel INV-1']],
  ['$orderby=totalAmount desc&$pageSize=1', ['AU Travel INV-1']],
  ["$filter=customDataFields.Department eq 'rails'", ['AU Travel INV-2']],
  [
    '$orderby=obtSource desc,invoiceNumber',
    ['NZ Travel INV-1', 'AU Travel INV-2', 'NZ Travel INV-3', 'AU Travel INV-1', 'AU Travel CR-1'],
  ],
]

for (const [dataset, rows] of Object.entries({ bookings, itineraries, invoices }) as [
  JsonDataset,
  readonly Row[],
][]) {
  describe(`${dataset} of the fixture`, () => {
    for (const [query, names] of rows) {
      it(`${query || 'without parameters'} is ${names.length === 0 ? 'empty' : names.join(', ')}`, async () => {
        assert.deepEqual(await namesOf(harbour, dataset, query), names)
      })
    }
  })
}

describe('the clients of the fixture', () => {
  it('share a locator and each see their own booking under it', async () => {
    const query = "$filter=recordLocator eq 'ABC123'"
    const agencies = []
    for (const client of [harbour, limmat]) {
      const { records } = await served.ask(client, 'bookings', parametersOf(query))
      agencies.push(records.map(({ recordLocator, originatingAgency }) => [recordLocator, originatingAgency]))
    }
    assert.deepEqual(agencies, [
      [
        ['ABC123', 'Sydney CBD'],
        ['abc123', 'sydney cbd'],
      ],
      [['ABC123', 'Zürich HB']],
    ])
  })

  it('have their own labels', async () => {
    const query = "$filter=customDataFields.Abteilung eq 'Einkauf'"
    await assert.rejects(namesOf(harbour, 'bookings', query), {
      code: 'QRY335',
      column: 'customDataFields.'.length,
    })
    assert.deepEqual(await namesOf(limmat, 'bookings', query), ['ABC123'])
    assert.deepEqual(await namesOf(limmat, 'invoices', query), ['CH Reisen INV-1'])
  })

  it('may have no records, or not exist', async () => {
    for (const client of [newcomer, 'C999']) {
      for (const dataset of ['bookings', 'itineraries', 'invoices'] as const) {
        const { records, meta } = await served.ask(client, dataset, parametersOf('$pageSize=10'))
        assert.deepEqual(records, [])
        assert.deepEqual(meta, { page: 1, pageSize: 10, total: 0, totalPages: 0, filteredCount: 0 })
      }
    }
  })

  it('are refused a label that could mean two of their labels', async () => {
    const ask = (label: string) =>
      namesOf(limmat, 'bookings', `$filter=customDataFields.${label} eq 'Nüschelerstrasse'`)
    assert.deepEqual(await ask('KOSTENSTELLE'), ['ABC123'])
    assert.deepEqual(await ask('Kostenstelle'), [])
    await assert.rejects(ask('kostenstelle'), (problem: unknown) => {
      assert.ok(problem instanceof QueryProblem)
      assert.deepEqual([problem.parameter, problem.column], ['$filter', 'customDataFields.'.length])
      return true
    })
  })
})

describe('the totals', () => {
  const rows: readonly (readonly [query: string, meta: object | null])[] = [
    ['', null],
    ['$orderby=recordLocator', { total: 8, filteredCount: 8 }],
    ['$filter=isTicketed eq true', { total: 3, filteredCount: 3 }],
    [
      '$filter=isTicketed eq true&$pageSize=2',
      { page: 1, pageSize: 2, total: 3, totalPages: 2, filteredCount: 3 },
    ],
    ['$page=2', { page: 2, pageSize: 50, total: 8, totalPages: 1, filteredCount: 8 }],
    ['$pageSize=1000', { page: 1, pageSize: 500, total: 8, totalPages: 1, filteredCount: 8 }],
  ]
  for (const [query, expected] of rows) {
    it(`${query || 'without parameters'} are ${JSON.stringify(expected)}`, async () => {
      const { meta } = await served.ask(harbour, 'bookings', parametersOf(query))
      assert.deepEqual(meta, expected)
    })
  }
})

async function namesOf(
  clientNumber: string,
  dataset: JsonDataset,
  query: string,
): Promise<readonly string[]> {
  const { records } = await served.ask(clientNumber, dataset, parametersOf(query))
  return records.map(({ company, invoiceNumber, recordLocator }) =>
    dataset === 'invoices' ? `${company} ${invoiceNumber}` : String(recordLocator),
  )
}

/** Splits `$filter=...&$page=2` without decoding: none of the values above holds an ampersand. */
function parametersOf(query: string): Parameters {
  if (query === '') return []
  return query.split('&').map((part) => {
    const at = part.indexOf('=')
    return [part.slice(0, at), part.slice(at + 1)]
  })
}
