/**
 * A slip in a filter would find nothing or everything, and look like an answer, so it is refused: a value that its field cannot
 * have, and a label that the client does not have. What is meant clearly is understood.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { bodyOf, type Service, startService } from './start-service.ts'

const template = fixtureExtract.invoices.find(({ client_number }) => client_number === harbour)

/** With invoices whose numbers are texts and numbers, and with a label that has an apostrophe. */
const extract: ExtractTables = {
  ...fixtureExtract,
  custom_field_labels: [
    ...fixtureExtract.custom_field_labels,
    ...rowsOf('custom_field_labels', [
      { client_number: harbour, field: 'authorised_by', label: "Manager's Approval" },
    ]),
  ],
  invoices: ['3', '10', '0012', 'X9', '2026-01-31'].map((invoice_number) => ({
    ...template,
    ...rowsOf('invoices', [
      {
        company: 'Numbers',
        client_number: harbour,
        invoice_number,
        invoice_date: '2026-01-31',
        due_date: '2026-02-28',
      },
    ])[0],
  })) as ExtractTables['invoices'],
  invoice_lines: rowsOf('invoice_lines', [
    { company: 'Numbers', invoice_number: '3', line_number: '1', line_type: 'FARE', unit_price: '10' },
    { company: 'Numbers', invoice_number: '3', line_number: '2', line_type: 'TAX', unit_price: '1' },
    { company: 'Numbers', invoice_number: '10', line_number: '1', line_type: 'FEE', unit_price: '2' },
  ]),
  payments: [],
}

let service: Service
let apiKey: string

before(async () => {
  service = await startService({ extract })
  apiKey = await service.keyOf(harbour)
})
after(() => service.close())

const ask = (version: 'v1' | 'v2', list: string, parameters: Readonly<Record<string, string>>) =>
  service.request(`/api/${version}/${list}?${new URLSearchParams(parameters)}`, apiKey)

describe('a filter of version 2', () => {
  const dates = 'Expected a date as YYYY-MM-DD or YYYY-MM-DDTHH:MM[:SS[.fff]][Z] for bookingDate'
  const refused: readonly (readonly [list: string, filter: string, column: number, message: string])[] = [
    [
      'bookings',
      "bookingDate ge '01/02/2025'",
      15,
      `${dates}, found '01/02/2025'; did you mean '2025-01-02' or '2025-02-01'?`,
    ],
    ['bookings', "bookingDate ge '2025-2-1'", 15, `${dates}, found '2025-2-1'; did you mean '2025-02-01'?`],
    ['bookings', "bookingDate lt '20250201'", 15, `${dates}, found '20250201'; did you mean '2025-02-01'?`],
    [
      'itineraries',
      "bookingDate ne 'yesterday'",
      15,
      `${dates}, found 'yesterday'; write it like '2026-01-31'`,
    ],
    [
      'bookings',
      "bookingDate ge '2026-01-15T00:00-05:00' and bookingDate lt '2026-01-16'",
      15,
      "Expected a local time for bookingDate, whose values have no offset from UTC, found '2026-01-15T00:00-05:00'; write the local time without the offset, as in '2026-01-15T00:00'",
    ],
    ['bookings', 'isTicketed ne 2', 14, 'Expected true, false, 1 or 0 for isTicketed, found 2'],
    [
      'invoices',
      "lineItems.unitPrice gt 'abc'",
      23,
      "Expected a number such as 12, -0.5 or 1e3 for unitPrice, found 'abc'",
    ],
    [
      'invoices',
      'company eq true',
      11,
      "Expected a text in single quotes, or a number, for company, found true; did you mean 'true'?",
    ],
    [
      'bookings',
      "customDataFields['Manager’s Aproval'] eq null",
      16,
      "Unknown label 'Manager’s Aproval' in customDataFields; did you mean customDataFields['Manager''s Approval']?",
    ],
  ]
  for (const [list, filter, column, message] of refused) {
    it(`is refused: ${filter}`, async () => {
      const response = await ask('v2', list, { filter })
      assert.equal(response.status, 400)
      assert.deepEqual(await bodyOf(response), {
        error: 'Invalid $filter',
        message,
        parameter: '$filter',
        column,
        input: filter,
      })
    })
  }

  it('is refused with an unknown label in $orderby', async () => {
    const response = await ask('v2', 'bookings', { $orderby: 'bookingDate, customDataFields.Nobody desc' })
    const { parameter, column, message } = await bodyOf(response)
    assert.deepEqual([response.status, parameter, column], [400, '$orderby', 30])
    assert.match(message, /^Unknown label 'Nobody' in customDataFields, expected '/)
    // As in a filter, where an apostrophe is written twice.
    assert.match(message, /'Manager''s Approval'/)
  })

  it('is refused with an offset in $apply', async () => {
    const $apply = "filter(tripStartLocal ge '2026-02-01T06:00+10:00')/aggregate($count as n)"
    const response = await ask('v2', 'bookings', { $apply })
    const { parameter, column, message } = await bodyOf(response)
    assert.deepEqual([response.status, parameter, column], [400, '$apply', $apply.indexOf("'")])
    assert.match(message, /^Expected a local time for tripStartLocal, .* as in '2026-02-01T06:00'$/)
  })

  const found: readonly (readonly [list: string, filter: string, same: string])[] = [
    ['bookings', 'isTicketed eq 1', 'isTicketed eq true'],
    ['bookings', 'isTicketed ne 1', 'isTicketed eq false'],
    ['bookings', "isTicketed eq '0'", 'isTicketed ne true'],
    [
      'bookings',
      "customDataFields['manager’s approval'] ne null",
      `customDataFields['Manager''s Approval'] ne null`,
    ],
    ['invoices', "lineType in ('FARE','TAX')", "lineItems.lineType in ('FARE','TAX')"],
    ['invoices', "lineType ne 'FEE'", "invoiceNumber ne '10'"],
    ['invoices', 'unitPrice gt 5', "invoiceNumber eq '3'"],
    ['invoices', 'invoiceNumber gt 5', "invoiceNumber in ('10', '0012')"],
    ['invoices', 'not invoiceNumber gt 5', "invoiceNumber in ('3', 'X9', '2026-01-31')"],
    ['invoices', 'invoiceNumber eq 12', "invoiceNumber eq '0012'"],
    // the offset zero is taken as written
    ['bookings', "modifiedAt eq '2026-01-16T09:30Z'", "modifiedAt eq '2026-01-16T09:30'"],
    ['bookings', "modifiedAt in ('2026-01-16 09:30+00:00')", "modifiedAt eq '2026-01-16T09:30'"],
    ['invoices', "invoiceNumber eq '2026-01-31T00:00'", 'invoiceNumber in ()'],
  ]
  for (const [list, filter, same] of found) {
    it(`finds the same with ${filter} as with ${same}`, async () => {
      const answers = await Promise.all(
        [filter, same].map(async ($filter) => bodyOf(await ask('v2', list, { $filter }))),
      )
      assert.deepEqual(answers[0], answers[1])
      assert.equal(typeof answers[0]?.count, 'number')
    })
  }
})

describe('a query of version 1', () => {
  const numeric = (operator: string, property: string, value: string) =>
    `Invalid query format: Expected numeric or date value for operator '^${operator}' on property '${property}', but got '${value}'.`
  const boolean = (value: string) =>
    `Invalid query format: Expected true, false, 1 or 0 for operator '^EQ' on property 'IsTicketed', but got '${value}'.`
  const refused: readonly (readonly [list: string, query: string, error: string])[] = [
    ['bookings', 'BookingDate^GE01/02/2025', numeric('GE', 'BookingDate', '01/02/2025')],
    ['bookings', 'BookingDate^GE2025-2-1', numeric('GE', 'BookingDate', '2025-2-1')],
    ['bookings', 'BookingDate^LT20250201', numeric('LT', 'BookingDate', '20250201')],
    ['bookings', 'BookingDate^NEyesterday', numeric('NE', 'BookingDate', 'yesterday')],
    ['bookings', 'ModifiedDateTime^IN2026-01-31,31.1.2026', numeric('IN', 'ModifiedDateTime', '31.1.2026')],
    ['invoices', 'TotalAmount^GTabc', numeric('GT', 'TotalAmount', 'abc')],
    ['invoices', 'TotalAmount^NE2026-01-31', numeric('NE', 'TotalAmount', '2026-01-31')],
    ['bookings', 'IsTicketed^EQyes', boolean('yes')],
    ['bookings', 'IsTicketed^EQ2', boolean('2')],
  ]
  for (const [list, query, error] of refused) {
    it(`is refused: ${query}`, async () => {
      const response = await ask('v1', list, { query })
      assert.deepEqual([response.status, await response.json()], [400, { error }])
    })
  }
})
