/**
 * Which literals a field takes, from text to plan or refusal: one table for every kind of field and every place where a literal
 * may stand. A refusal points at the literal, says what fits, and proposes what was probably meant.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { QueryProblem } from '../../src/kernel/problem.ts'
import { bindQuery } from '../../src/query/bind/bind-query.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import { parseParameters } from '../../src/query/odata/parameters.ts'
import { planKey } from '../../src/query/plan/plan-key.ts'
import { planQuery } from '../../src/query/plan/plan-query.ts'
import { datasets, type ListName } from '../../src/schema/datasets.ts'

const labels = ["Manager's Approval", 'Cost centre']

function keyOf(dataset: ListName, filter: string): string | undefined {
  const { query, texts } = parseParameters([['$filter', filter]], defaultQueryLimits)
  return planKey(planQuery(bindQuery(query, datasets[dataset], labels, texts))).split('|')[1]
}

const dates = 'a date as YYYY-MM-DD or YYYY-MM-DDTHH:MM[:SS[.fff]][Z]'
const numbers = 'a number such as 12, -0.5 or 1e3'

/** The place of the literal is marked by « in front of it. */
const refused: readonly (readonly [dataset: ListName, filter: string, code: string, message: string])[] = [
  // dates and minutes
  [
    'bookings',
    "bookingDate ge «'01/02/2025'",
    'QRY331',
    `Expected ${dates} for bookingDate, found '01/02/2025'; did you mean '2025-01-02' or '2025-02-01'?`,
  ],
  [
    'bookings',
    "bookingDate ge «'2025-2-1'",
    'QRY331',
    `Expected ${dates} for bookingDate, found '2025-2-1'; did you mean '2025-02-01'?`,
  ],
  [
    'bookings',
    "bookingDate ge «'20250201'",
    'QRY331',
    `Expected ${dates} for bookingDate, found '20250201'; did you mean '2025-02-01'?`,
  ],
  [
    'bookings',
    'bookingDate ge «20250201',
    'QRY331',
    `Expected ${dates} for bookingDate, found 20250201; did you mean '2025-02-01'?`,
  ],
  [
    'bookings',
    "not bookingDate eq «'yesterday'",
    'QRY331',
    `Expected ${dates} for bookingDate, found 'yesterday'; write it like '2026-01-31'`,
  ],
  [
    'bookings',
    "bookingDate eq «'2025-02'",
    'QRY331',
    `Expected ${dates} for bookingDate, found '2025-02'; for a whole year or month write startswith(bookingDate, '2025-02'), for its first day '2025-02-01'`,
  ],
  [
    'bookings',
    "bookingDate le «'2026-02-30'",
    'QRY331',
    `Expected ${dates} for bookingDate, found '2026-02-30'; the calendar has no 2026-02-30`,
  ],
  [
    'bookings',
    'bookingDate eq «true',
    'QRY331',
    `Expected ${dates} for bookingDate, found true; write it like '2026-01-31'`,
  ],
  [
    'bookings',
    "modifiedAt lt «'2026-01-31T9:30'",
    'QRY331',
    `Expected ${dates} for modifiedAt, found '2026-01-31T9:30'; did you mean '2026-01-31T09:30'?`,
  ],
  [
    'bookings',
    "modifiedAt lt «''",
    'QRY331',
    `Expected ${dates} for modifiedAt, found ''; write it like '2026-01-31' or '2026-01-31T09:30'`,
  ],
  // local times have no offset
  ...[
    ['bookings', "bookingDate eq «'2026-03-02T00:00-05:00'", 'bookingDate', '2026-03-02T00:00'],
    ['bookings', "bookingDate ne «'2026-03-02 00:00-05:00'", 'bookingDate', '2026-03-02 00:00'],
    [
      'bookings',
      "tripStartLocal ge «'2026-03-10T08:00:00.5+10:00'",
      'tripStartLocal',
      '2026-03-10T08:00:00.5',
    ],
    ['bookings', "tripStartLocal lt «'2026-03-10T08:00-00:30'", 'tripStartLocal', '2026-03-10T08:00'],
    ['bookings', "modifiedAt gt «'2026-03-10T08:00+10:00'", 'modifiedAt', '2026-03-10T08:00'],
    ['bookings', "tripEndLocal le «'2026-03-10T08:00+10:00'", 'tripEndLocal', '2026-03-10T08:00'],
    [
      'bookings',
      "bookingDate in ('2026-03-02', «'2026-03-02T00:00-05:00')",
      'bookingDate',
      '2026-03-02T00:00',
    ],
    ['bookings', "bookingDate nin (null, «'2026-03-02T00:00-05:00')", 'bookingDate', '2026-03-02T00:00'],
    [
      'itineraries',
      "any(segments, startLocal ge «'2026-03-10T08:00+10:00')",
      'startLocal',
      '2026-03-10T08:00',
    ],
    [
      'itineraries',
      "all(segments, not endLocal ge «'2026-03-10T08:00+10:00')",
      'endLocal',
      '2026-03-10T08:00',
    ],
    ['itineraries', "segments.startLocal ge «'2026-03-10T08:00+10:00'", 'startLocal', '2026-03-10T08:00'],
    [
      'invoices',
      "any(payments, receivedDate eq «'2026-03-10T08:00+10:00')",
      'receivedDate',
      '2026-03-10T08:00',
    ],
    [
      'bookings',
      "customDataFields['Cost centre'] gt «'2026-03-10T08:00+10:00'",
      'Cost centre',
      '2026-03-10T08:00',
    ],
    [
      'bookings',
      "not customDataFields['Cost centre'] le «'2026-03-10T08:00+10:00'",
      'Cost centre',
      '2026-03-10T08:00',
    ],
  ].map(([dataset, filter, field, local]): (typeof refused)[number] => [
    dataset as ListName,
    filter as string,
    'QRY520',
    `Expected a local time for ${field}, whose values have no offset from UTC, found ${/'[^']*:[^']*'/.exec(filter as string)?.[0]}; write the local time without the offset, as in '${local}'`,
  ]),
  [
    'bookings',
    "modifiedAt lt «'2026-01-31T09:30:00+0200'",
    'QRY331',
    `Expected ${dates} for modifiedAt, found '2026-01-31T09:30:00+0200'; did you mean '2026-01-31T09:30:00'?`,
  ],
  [
    'bookings',
    "tripEndUtc lt «'2026-01-31T09:30 02:00'",
    'QRY331',
    `Expected ${dates.replace('[Z]', '[Z|±HH:MM]')} for tripEndUtc, found '2026-01-31T09:30 02:00'; did you mean '2026-01-31T09:30+02:00'?`,
  ],
  // numbers
  ['invoices', "lineItems.unitPrice gt «'abc'", 'QRY332', `Expected ${numbers} for unitPrice, found 'abc'`],
  [
    'invoices',
    "lineItems.unitPrice gt «'1,000.50'",
    'QRY332',
    `Expected ${numbers} for unitPrice, found '1,000.50'; did you mean 1000.50?`,
  ],
  ['invoices', 'lineItems.unitPrice ne «false', 'QRY332', `Expected ${numbers} for unitPrice, found false`],
  [
    'invoices',
    "lineItems.lineNumber eq «'2026-01-31'",
    'QRY332',
    `Expected ${numbers} for lineNumber, found '2026-01-31'`,
  ],
  // booleans
  [
    'bookings',
    "isTicketed eq «'yes'",
    'QRY333',
    "Expected true, false, 1 or 0 for isTicketed, found 'yes'; did you mean true?",
  ],
  ['bookings', 'isTicketed eq «2', 'QRY333', 'Expected true, false, 1 or 0 for isTicketed, found 2'],
  [
    'bookings',
    "isTicketed ne «'2026-01-31'",
    'QRY333',
    "Expected true, false, 1 or 0 for isTicketed, found '2026-01-31'",
  ],
  // texts
  [
    'invoices',
    'company eq «true',
    'QRY334',
    "Expected a text in single quotes, or a number, for company, found true; did you mean 'true'?",
  ],
  // in lists, in quantifiers and for bare element fields
  [
    'bookings',
    "bookingDate in ('2026-01-31', null, «'31.1.2026')",
    'QRY331',
    `Expected ${dates} for bookingDate, found '31.1.2026'; did you mean '2026-01-31'?`,
  ],
  ['invoices', "unitPrice nin (1, '2', «'x')", 'QRY332', `Expected ${numbers} for unitPrice, found 'x'`],
  [
    'invoices',
    "any(lineItems, lineType eq 'FARE' and unitPrice gt «'x')",
    'QRY332',
    `Expected ${numbers} for unitPrice, found 'x'`,
  ],
  [
    'itineraries',
    "all(segments, startLocal ge «'soon')",
    'QRY331',
    `Expected ${dates} for startLocal, found 'soon'; write it like '2026-01-31' or '2026-01-31T09:30'`,
  ],
  [
    'itineraries',
    "startLocal ge «'soon'",
    'QRY331',
    `Expected ${dates} for startLocal, found 'soon'; write it like '2026-01-31' or '2026-01-31T09:30'`,
  ],
  // behind a condition that folding would have decided
  [
    'bookings',
    'recordLocator in () and isTicketed eq «5',
    'QRY333',
    'Expected true, false, 1 or 0 for isTicketed, found 5',
  ],
  // another field, which no field can be compared with
  [
    'invoices',
    'dueDate gt «invoiceDate',
    'QRY106',
    "Expected a text, a number, true, false or null after gt, found the name 'invoiceDate'; a field cannot be compared with another field; write a text in single quotes",
  ],
  // labels
  [
    'bookings',
    "customDataFields«['Manager’s Aproval'] eq null",
    'QRY335',
    "Unknown label 'Manager’s Aproval' in customDataFields; did you mean customDataFields['Manager''s Approval']?",
  ],
  // element fields are not found from inside any under the name of the record
  [
    'invoices',
    'any(lineItems, «dueDate eq null)',
    'QRY201',
    "Unknown field 'dueDate' in lineItems, expected lineNumber, lineType, productCode, description, quantity, unitPrice, lineDiscountAmount, lineAmountExGst, lineAmountIncGst, gstPercent, travellerName, vendorName, ticketNumber or originalTicketNumber",
  ],
]

const taken: readonly (readonly [dataset: ListName, filter: string, key: string])[] = [
  // every documented form of a date, for dates and for minutes
  ['bookings', "bookingDate ge '1970-01-02'", 'ge(bookingDate,i86400000)'],
  ['bookings', "bookingDate ge '1970-01-02T00:00'", 'ge(bookingDate,i86400000)'],
  ['bookings', "modifiedAt eq '1970-01-02'", 'eq(modifiedAt,i86400000)'],
  ['bookings', "modifiedAt eq '1970-01-01 00:01'", 'eq(modifiedAt,i60000)'],
  ['bookings', "modifiedAt eq '1970-01-01T00:01:00'", 'eq(modifiedAt,i60000)'],
  ['bookings', "modifiedAt eq '1970-01-01T00:01:00.5Z'", 'eq(modifiedAt,i60500)'],
  // the offset zero is taken as written; a field in UTC takes every offset
  ['bookings', "modifiedAt eq '1970-01-01T00:01+00:00'", 'eq(modifiedAt,i60000)'],
  ['bookings', "tripStartUtc eq '1970-01-01T02:01+02:00'", 'eq(tripStartUtc,i60000)'],
  // a label finds a time with an offset as it is written
  [
    'bookings',
    "customDataFields['Cost centre'] eq '1970-01-01T02:01+02:00'",
    'eq(custom"Cost centre","1970-01-01t02:01+02:00")',
  ],
  // so does a text field
  [
    'invoices',
    "invoiceNumber gt '1970-01-01T02:01+02:00'",
    'gt(invoiceNumber,"1970-01-01t02:01+02:00"/"1970-01-01T02:01+02:00")',
  ],
  ['bookings', "bookingDate in (null, '1970-01-02')", 'in(bookingDate,i86400000,null)'],
  ['bookings', 'bookingDate ne null', 'not(null(bookingDate))'],
  ['bookings', 'bookingDate gt null', 'false'],
  // numbers and numeric text
  ['invoices', "unitPrice gt '1e1'", 'any(lineItems,gt(unitPrice,n10))'],
  ['invoices', 'unitPrice in (-0.5, null)', 'any(lineItems,in(unitPrice,n-0.5,null))'],
  // booleans
  ['bookings', 'isTicketed eq 1', 'eq(isTicketed,btrue)'],
  ['bookings', 'isTicketed ne 0', 'not(eq(isTicketed,bfalse))'],
  ['bookings', "isTicketed in ('True', '0')", 'in(isTicketed,bfalse,btrue)'],
  ['bookings', 'isTicketed gt false', 'gt(isTicketed,bfalse)'],
  ['bookings', 'isTicketed eq null', 'null(isTicketed)'],
  // a text field compares texts as texts, and numbers with those of its texts that are numbers
  ['invoices', "invoiceNumber eq '5'", 'eq(invoiceNumber,"5")'],
  ['invoices', "invoiceNumber gt '2026-01-31'", 'gt(invoiceNumber,"2026-01-31"/"2026-01-31")'],
  ['invoices', 'invoiceNumber gt 5', 'gt(invoiceNumber,n5)'],
  ['invoices', "invoiceNumber nin (5, 'X', null)", 'not(in(invoiceNumber,"x",n5,null))'],
  // a label takes everything, typed by the literal
  ['bookings', "customDataFields['Manager’s Approval'] eq true", `eq(custom"Manager's Approval",btrue)`],
  ['bookings', "customDataFields['Cost centre'] gt 5", 'gt(custom"Cost centre",n5/"5")'],
  ['bookings', "customDataFields['Cost centre'] eq 'yes'", 'eq(custom"Cost centre","yes")'],
  [
    'bookings',
    "customDataFields['Cost centre'] lt '1970-01-02'",
    'lt(custom"Cost centre",i86400000/"1970-01-02")',
  ],
  // text functions search the text form of any field
  ['bookings', "startswith(bookingDate, '01/02')", 'startswith(bookingDate,"01/02")'],
  ['bookings', "contains(isTicketed, 'yes')", 'contains(isTicketed,"yes")'],
  ['invoices', "endswith(unitPrice, '.5')", 'any(lineItems,endswith(unitPrice,".5"))'],
]

describe('a literal that does not fit', () => {
  for (const [dataset, marked, code, message] of refused) {
    const column = marked.indexOf('«')
    const filter = marked.replace('«', '')
    it(`is refused in ${filter}`, () => {
      assert.throws(
        () => keyOf(dataset, filter),
        (problem) => {
          assert.ok(problem instanceof QueryProblem)
          assert.deepEqual([problem.code, problem.message], [code, message])
          assert.deepEqual([problem.parameter, problem.column, problem.input], ['$filter', column, filter])
          return true
        },
      )
    })
  }
})

describe('a literal that fits', () => {
  for (const [dataset, filter, key] of taken) {
    it(`is taken in ${filter}`, () => assert.equal(keyOf(dataset, filter), key))
  }
})
