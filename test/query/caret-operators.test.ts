/** Every operator of version 1 on every type with every form of value, shown as the `$filter` with the same meaning. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../../src/kernel/problem.ts'
import { parseVersion1Parameters } from '../../src/query/caret/parameters.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import { printFilter } from '../../src/query/odata/print-filter.ts'
import { type ListName, version1Datasets } from '../../src/schema/datasets.ts'

function filterOf(list: ListName, query: string): string {
  const pairs = [['query', encodeURIComponent(query)]] as const
  const { filter } = parseVersion1Parameters(pairs, version1Datasets[list], defaultQueryLimits).query
  return filter === null ? '' : printFilter(filter)
}

function problemOf(list: ListName, query: string): Problem {
  try {
    filterOf(list, query)
  } catch (problem) {
    assert.ok(problem instanceof Problem, String(problem))
    return problem
  }
  assert.fail('nothing was refused')
}

/** One property of each type. `_` is its name in the tables below. */
const subjects: Readonly<Record<string, { readonly list: ListName; readonly property: string }>> = {
  text: { list: 'bookings', property: 'traveller' },
  date: { list: 'bookings', property: 'bookingDate' },
  minute: { list: 'bookings', property: 'modifiedDateTime' },
  boolean: { list: 'bookings', property: 'isTicketed' },
  integer: { list: 'itineraries', property: 'segmentCount' },
  decimal: { list: 'invoices', property: 'totalAmount' },
}

/** Short names of the refusals: a number or a date is needed, the operator does not apply, true or false is needed. */
const table = `
type    op | abc               | 5               | 2026-01-31                                       | 2026-01-31T10:00               | True               | Null
text    EQ | _ eq 'abc'        | _ eq '5'        | _ eq '2026-01-31'                                | _ eq '2026-01-31T10:00'        | _ eq 'True'        | _ eq null
text    NE | _ ne 'abc'        | _ ne '5'        | _ ne '2026-01-31'                                | _ ne '2026-01-31T10:00'        | _ ne 'True'        | _ ne null
text    GT | numeric?          | applies?        | applies?                                         | numeric?                       | numeric?           | numeric?
text    LT | numeric?          | applies?        | applies?                                         | numeric?                       | numeric?           | numeric?
text    GE | numeric?          | applies?        | applies?                                         | numeric?                       | numeric?           | numeric?
text    LE | numeric?          | applies?        | applies?                                         | numeric?                       | numeric?           | numeric?
text    IN | _ in ('abc')      | _ in ('5')      | _ in ('2026-01-31')                              | _ in ('2026-01-31T10:00')      | _ in ('True')      | _ in (null)
text    NI | _ nin ('abc')     | _ nin ('5')     | _ nin ('2026-01-31')                             | _ nin ('2026-01-31T10:00')     | _ nin ('True')     | _ nin (null)
text    CT | contains(_, 'abc')| contains(_, '5')| contains(_, '2026-01-31')                        | contains(_, '2026-01-31T10:00')| contains(_, 'True')| contains(_, 'Null')
date    EQ | numeric?          | numeric?        | _ eq '2026-01-31'                                | numeric?                       | numeric?           | _ eq null
date    NE | numeric?          | numeric?        | _ ne '2026-01-31'                                | numeric?                       | numeric?           | _ ne null
date    GT | numeric?          | numeric?        | _ gt '2026-01-31'                                | numeric?                       | numeric?           | numeric?
date    LT | numeric?          | numeric?        | _ lt '2026-01-31'                                | numeric?                       | numeric?           | numeric?
date    GE | numeric?          | numeric?        | _ ge '2026-01-31'                                | numeric?                       | numeric?           | numeric?
date    LE | numeric?          | numeric?        | _ le '2026-01-31'                                | numeric?                       | numeric?           | numeric?
date    IN | numeric?          | numeric?        | _ in ('2026-01-31')                              | numeric?                       | numeric?           | _ in (null)
date    NI | numeric?          | numeric?        | _ nin ('2026-01-31')                             | numeric?                       | numeric?           | _ nin (null)
date    CT | applies?          | applies?        | applies?                                         | applies?                       | applies?           | applies?
minute  EQ | numeric?          | numeric?        | _ ge '2026-01-31' and _ le '2026-01-31T23:59'    | numeric?                       | numeric?           | _ eq null
minute  NE | numeric?          | numeric?        | not (_ ge '2026-01-31' and _ le '2026-01-31T23:59') | numeric?                    | numeric?           | _ ne null
minute  GT | numeric?          | numeric?        | _ gt '2026-01-31T23:59'                          | numeric?                       | numeric?           | numeric?
minute  LT | numeric?          | numeric?        | _ lt '2026-01-31'                                | numeric?                       | numeric?           | numeric?
minute  GE | numeric?          | numeric?        | _ ge '2026-01-31'                                | numeric?                       | numeric?           | numeric?
minute  LE | numeric?          | numeric?        | _ le '2026-01-31T23:59'                          | numeric?                       | numeric?           | numeric?
minute  IN | numeric?          | numeric?        | _ ge '2026-01-31' and _ le '2026-01-31T23:59'    | numeric?                       | numeric?           | _ eq null
minute  NI | numeric?          | numeric?        | not (_ ge '2026-01-31' and _ le '2026-01-31T23:59') | numeric?                    | numeric?           | _ ne null
minute  CT | applies?          | applies?        | applies?                                         | applies?                       | applies?           | applies?
boolean EQ | boolean?          | boolean?        | boolean?                                         | boolean?                       | _ eq true          | _ eq null
boolean NE | boolean?          | boolean?        | boolean?                                         | boolean?                       | _ ne true          | _ ne null
boolean GT | numeric?          | applies?        | applies?                                         | numeric?                       | numeric?           | numeric?
boolean LT | numeric?          | applies?        | applies?                                         | numeric?                       | numeric?           | numeric?
boolean GE | numeric?          | applies?        | applies?                                         | numeric?                       | numeric?           | numeric?
boolean LE | numeric?          | applies?        | applies?                                         | numeric?                       | numeric?           | numeric?
boolean IN | applies?          | applies?        | applies?                                         | applies?                       | applies?           | applies?
boolean NI | applies?          | applies?        | applies?                                         | applies?                       | applies?           | applies?
boolean CT | applies?          | applies?        | applies?                                         | applies?                       | applies?           | applies?
integer EQ | numeric?          | _ eq 5          | numeric?                                         | numeric?                       | numeric?           | _ eq null
integer NE | numeric?          | _ ne 5          | numeric?                                         | numeric?                       | numeric?           | _ ne null
integer GT | numeric?          | _ gt 5          | numeric?                                         | numeric?                       | numeric?           | numeric?
integer LT | numeric?          | _ lt 5          | numeric?                                         | numeric?                       | numeric?           | numeric?
integer GE | numeric?          | _ ge 5          | numeric?                                         | numeric?                       | numeric?           | numeric?
integer LE | numeric?          | _ le 5          | numeric?                                         | numeric?                       | numeric?           | numeric?
integer IN | numeric?          | _ in (5)        | numeric?                                         | numeric?                       | numeric?           | _ in (null)
integer NI | numeric?          | _ nin (5)       | numeric?                                         | numeric?                       | numeric?           | _ nin (null)
integer CT | applies?          | applies?        | applies?                                         | applies?                       | applies?           | applies?
decimal EQ | numeric?          | _ eq 5          | numeric?                                         | numeric?                       | numeric?           | _ eq null
decimal NE | numeric?          | _ ne 5          | numeric?                                         | numeric?                       | numeric?           | _ ne null
decimal GT | numeric?          | _ gt 5          | numeric?                                         | numeric?                       | numeric?           | numeric?
decimal LT | numeric?          | _ lt 5          | numeric?                                         | numeric?                       | numeric?           | numeric?
decimal GE | numeric?          | _ ge 5          | numeric?                                         | numeric?                       | numeric?           | numeric?
decimal LE | numeric?          | _ le 5          | numeric?                                         | numeric?                       | numeric?           | numeric?
decimal IN | numeric?          | _ in (5)        | numeric?                                         | numeric?                       | numeric?           | _ in (null)
decimal NI | numeric?          | _ nin (5)       | numeric?                                         | numeric?                       | numeric?           | _ nin (null)
decimal CT | applies?          | applies?        | applies?                                         | applies?                       | applies?           | applies?
`

const ofOrder = 'use ^EQ, ^NE, ^GT, ^LT, ^GE, ^LE, ^IN or ^NI'
const applicable: Readonly<Record<string, string>> = {
  text: 'text; use ^EQ, ^NE, ^IN, ^NI or ^CT',
  date: `a date; ${ofOrder}`,
  minute: `a date-time; ${ofOrder}`,
  boolean: 'a boolean; use ^EQ or ^NE',
  integer: `a number; ${ofOrder}`,
  decimal: `a number; ${ofOrder}`,
}

const refusals: Readonly<
  Record<string, (operator: string, property: string, value: string, type: string) => [string, string]>
> = {
  'numeric?': (operator, property, value) => [
    'QRY404',
    `Invalid query format: Expected numeric or date value for operator '^${operator}' on property '${property}', but got '${value}'.`,
  ],
  'applies?': (operator, property, _, type) => [
    'QRY406',
    `Invalid query format: Operator '^${operator}' does not apply to property '${property}', which is ${applicable[type]}.`,
  ],
  'boolean?': (operator, property, value) => [
    'QRY407',
    `Invalid query format: Expected true, false, 1 or 0 for operator '^${operator}' on property '${property}', but got '${value}'.`,
  ],
}

describe('operators of version 1', () => {
  const [head = '', ...lines] = table.trim().split('\n')
  const values = head
    .split('|')
    .slice(1)
    .map((cell) => cell.trim())
  for (const line of lines) {
    const [row = '', ...cells] = line.split('|').map((cell) => cell.trim())
    const [type = '', operator = ''] = row.split(/ +/)
    const subject = subjects[type]
    assert.ok(subject)
    const { list, property } = subject
    for (const [i, value] of values.entries()) {
      const outcome = cells[i] ?? ''
      const refusal = refusals[outcome]
      it(`^${operator} on ${type} with ${value}: ${outcome}`, () => {
        if (refusal === undefined) {
          const query = `${property}^${operator}${value}`
          assert.equal(filterOf(list, query), outcome.replaceAll('_', property))
        } else {
          const written = property.toUpperCase()
          const problem = problemOf(list, ` ${written} ^${operator.toLowerCase()} ${value} `)
          const [code, message] = refusal(operator, written, value, type)
          assert.deepEqual([problem.code, problem.message, problem.hint], [code, message, undefined])
        }
      })
    }
  }
})

describe('values of version 1', () => {
  const accepted: readonly (readonly [list: ListName, query: string, filter: string])[] = [
    // booleans
    ['bookings', 'isTicketed^EQ1', 'isTicketed eq true'],
    ['bookings', 'isTicketed^EQ0', 'isTicketed eq false'],
    ['bookings', 'isTicketed^NEFALSE', 'isTicketed ne false'],
    ['bookings', 'isTicketed^EQ tRue ', 'isTicketed eq true'],
    // numbers
    ['invoices', 'totalAmount^EQ-0.50', 'totalAmount eq -0.50'],
    ['invoices', 'totalAmount^GT1e3', 'totalAmount gt 1e3'],
    ['invoices', 'totalAmount^IN1,2.5,null', 'totalAmount in (1, 2.5, null)'],
    ['itineraries', 'segmentCount^LE2.5', 'segmentCount le 2.5'],
    // dates
    [
      'invoices',
      'invoiceDate^NI2026-01-01,NULL,2024-02-29',
      "invoiceDate nin ('2026-01-01', null, '2024-02-29')",
    ],
    ['bookings', 'modifiedDateTime^GT9999-12-31', "modifiedDateTime gt '9999-12-31T23:59'"],
    [
      'bookings',
      'modifiedDateTime^EQ0000-01-01',
      "modifiedDateTime ge '0000-01-01' and modifiedDateTime le '0000-01-01T23:59'",
    ],
    [
      'bookings',
      'tripStartLocal^IN2026-01-01,null,2026-02-01',
      "tripStartLocal ge '2026-01-01' and tripStartLocal le '2026-01-01T23:59' or tripStartLocal eq null or tripStartLocal ge '2026-02-01' and tripStartLocal le '2026-02-01T23:59'",
    ],
    [
      'itineraries',
      'tripEndUtc^NI2026-01-01,null',
      "not (tripEndUtc ge '2026-01-01' and tripEndUtc le '2026-01-01T23:59' or tripEndUtc eq null)",
    ],
    // texts
    ['bookings', "traveller^EQO'Hare", "traveller eq 'O''Hare'"],
    ['bookings', 'traveller^EQnull and void', "traveller eq 'null and void'"],
    ['bookings', 'department^INa b, NULL ,c', "department in ('a b', null, 'c')"],
    ['bookings', 'department^CTnull', "contains(department, 'null')"],
    // clauses
    ['bookings', 'isTicketed^EQ1;', 'isTicketed eq true'],
    [
      'bookings',
      'isTicketed^EQ1;modifiedDateTime^EQ2026-01-31;department^NEx',
      "isTicketed eq true and (modifiedDateTime ge '2026-01-31' and modifiedDateTime le '2026-01-31T23:59') and department ne 'x'",
    ],
  ]
  for (const [list, query, filter] of accepted) {
    it(`${query} is ${filter}`, () => assert.equal(filterOf(list, query), filter))
  }

  const refused: readonly (readonly [list: ListName, query: string, message: string])[] = [
    // the message names the item that does not fit
    [
      'invoices',
      'TotalAmount^IN1,x,y',
      "Invalid query format: Expected numeric or date value for operator '^IN' on property 'TotalAmount', but got 'x'.",
    ],
    [
      'bookings',
      'bookingdate^NI2026-01-01,2026-02-30',
      "Invalid query format: Expected numeric or date value for operator '^NI' on property 'bookingdate', but got '2026-02-30'.",
    ],
    [
      'invoices',
      'TotalAmount^EQ1e10000',
      "Invalid query format: Expected numeric or date value for operator '^EQ' on property 'TotalAmount', but got '1e10000'.",
    ],
    [
      'bookings',
      'IsTicketed^EQ2',
      "Invalid query format: Expected true, false, 1 or 0 for operator '^EQ' on property 'IsTicketed', but got '2'.",
    ],
    // names
    [
      'bookings',
      'BokingDate^EQ2026-01-01',
      "Unknown search property: 'BokingDate' not found on type BookingGetDtoV1.",
    ],
    [
      'bookings',
      'Travellers.Name^EQx',
      "Unknown search property: 'Travellers.Name' not found on type BookingGetDtoV1.",
    ],
    [
      'bookings',
      'travellers^EQx',
      "Unknown search property: 'travellers' not found on type BookingGetDtoV1.",
    ],
    [
      'bookings',
      'segmentCount^EQ1',
      "Unknown search property: 'segmentCount' not found on type BookingGetDtoV1.",
    ],
    [
      'bookings',
      "customDataFields['x']^EQ1",
      "Unknown search property: 'customDataFields['x']' not found on type BookingGetDtoV1.",
    ],
    ['bookings', '^EQ1', "Unknown search property: '' not found on type BookingGetDtoV1."],
    [
      'bookings',
      'constructor^EQ1',
      "Unknown search property: 'constructor' not found on type BookingGetDtoV1.",
    ],
    [
      'itineraries',
      'Segments^EQx',
      "Unknown search property: 'Segments' not found on type ItineraryGetDtoV1.",
    ],
    [
      'invoices',
      'LineItems.Product^EQx',
      "Unknown search property: 'LineItems.Product' not found on type InvoiceGetDtoV1.",
    ],
    ['invoices', 'Payments^EQx', "Unknown search property: 'Payments' not found on type InvoiceGetDtoV1."],
  ]
  for (const [list, query, message] of refused) {
    it(`${query} on ${list} is refused`, () => assert.equal(problemOf(list, query).message, message))
  }

  it('are parsed before any name is looked up; names are looked up from left to right', () => {
    assert.equal(problemOf('bookings', 'Nobody^EQ1;Traveller^XX').code, 'QRY402')
    assert.equal(problemOf('bookings', 'Nobody^EQ1;Traveller^GTx').code, 'QRY404')
    assert.equal(problemOf('bookings', 'Nobody^EQ1;Traveller^GT5').code, 'QRY405')
    assert.equal(problemOf('bookings', 'Traveller^GT5;Nobody^EQ1').code, 'QRY406')
    assert.equal(problemOf('bookings', 'IsTicketed^EQx;Nobody^EQ1').code, 'QRY407')
  })

  it('are accepted for every property of the three record types, in any letter case', () => {
    for (const list of ['bookings', 'invoices', 'itineraries'] as const) {
      for (const { name } of version1Datasets[list].fields) {
        for (const written of [name, name.toUpperCase(), name.toLowerCase()]) {
          assert.equal(filterOf(list, `${written}^EQnull`), `${name} eq null`)
        }
      }
    }
  })
})
