/** $select from its text to the shape of records: one form for every text that means the same, and a problem at every slip. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { QueryProblem } from '../../src/kernel/problem.ts'
import { bindQuery } from '../../src/query/bind/bind-query.ts'
import type { UnknownLabels } from '../../src/query/bind/resolve-path.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import { parseParameters } from '../../src/query/odata/parameters.ts'
import { planKey } from '../../src/query/plan/plan-key.ts'
import { planQuery } from '../../src/query/plan/plan-query.ts'
import { type RecordShape, shapeKey } from '../../src/query/record-shape.ts'
import { datasets, type ListName } from '../../src/schema/datasets.ts'

const labels = ['Cost Centre', 'O’Hare', 'a.b', 'in', 'x', 'X', '"},"', "it's"]

function planOf(list: ListName, select: string, known = labels, unknownLabels: UnknownLabels = 'refuse') {
  const { query, texts } = parseParameters([['$select', select]], defaultQueryLimits)
  return planQuery(bindQuery(query, datasets[list], known, texts, unknownLabels))
}

const shapeOf = (
  list: ListName,
  select: string,
  known?: readonly string[],
  unknown?: UnknownLabels,
): RecordShape | null => planOf(list, select, known as string[] | undefined, unknown).select

const shown = (shape: RecordShape | null): string => (shape === null ? 'whole' : shapeKey(shape))

describe('$select names', () => {
  const rows: readonly (readonly [list: ListName, select: string, shape: string])[] = [
    ['bookings', 'recordLocator', 'recordLocator'],
    ['bookings', 'RECORDLOCATOR', 'recordLocator'],
    ['bookings', 'isTicketed,recordLocator,isTicketed', 'recordLocator,isTicketed'],
    ['bookings', 'customDataFields', 'custom'],
    ['bookings', "customDataFields['Cost Centre']", 'custom["Cost Centre"]'],
    ['bookings', "customDataFields['cost centre']", 'custom["Cost Centre"]'],
    ['bookings', "customDataFields['O''Hare']", 'custom["O’Hare"]'],
    ['bookings', "customDataFields['it’s'],recordLocator", 'recordLocator,custom["it\'s"]'],
    ['bookings', "customDataFields['a.b'],customDataFields.in", 'custom["a.b","in"]'],
    ['bookings', "customDataFields['X'],customDataFields['x']", 'custom["x","X"]'],
    ['bookings', 'customDataFields[\'"},"\']', 'custom["\\"},\\""]'],
    ['bookings', "customDataFields['x'],customDataFields", 'custom'],
    ['bookings', "customDataFields,customDataFields['x']", 'custom'],
    ['itineraries', 'segments', `segments(${names('itineraries')})`],
    ['itineraries', 'segments.vendor,Segments.Origin', 'segments(origin,vendor)'],
    ['itineraries', 'travellers,recordLocator', 'recordLocator,travellers(name,department)'],
    ['bookings', 'travellers.name', 'travellers(name)'],
    ['invoices', 'lineItems.lineType,lineItems', `lineItems(${names('invoices')})`],
    ['invoices', 'lineItems.ticketNumber', 'lineItems(ticketNumber)'],
    ['invoices', 'lineItems,lineItems.ticketNumber', `lineItems(${names('invoices')},ticketNumber)`],
    ['invoices', 'payments.amount,totalAmount,dueDate', 'dueDate,totalAmount,payments(amount)'],
    ['bookings', '*', 'whole'],
    ['bookings', '*,recordLocator,customDataFields.x', 'whole'],
    [
      'invoices',
      '*,currencyCode',
      `${fields('invoices')},currencyCode,custom,lineItems(${names('invoices')})`,
    ],
    ['bookings', `${fields('bookings')},customDataFields`, 'whole'],
    ['itineraries', `${fields('itineraries')},customDataFields,segments`, 'whole'],
    ['itineraries', `${fields('itineraries')},customDataFields`, `${fields('itineraries')},custom`],
    ['invoices', `lineItems,customDataFields,${fields('invoices')}`, 'whole'],
  ]
  for (const [list, select, shape] of rows) {
    it(`${select.slice(0, 80)} of ${list}`, () => assert.equal(shown(shapeOf(list, select)), shape))
  }

  it('all labels one by one as well as at once', () => {
    const each = labels.map((label) => `customDataFields['${label.replaceAll("'", "''")}']`)
    assert.equal(shown(shapeOf('bookings', each.toReversed().join(','))), 'custom')
    assert.equal(shown(shapeOf('bookings', `${each.join(',')},${fields('bookings')}`)), 'whole')
  })

  it('labels of a client with 5,000 of them in the order of the client', () => {
    const many = Array.from({ length: 5000 }, (_, i) => `Label ${i}`)
    const select = [4999, 17, 2500].map((i) => `customDataFields['label ${i}']`).join(',')
    assert.deepEqual(shapeOf('bookings', select, many)?.labels, ['Label 17', 'Label 2500', 'Label 4999'])
  })

  it('no label that the client does not have, where such labels are null in every record', () => {
    const shape = shapeOf('bookings', "customDataFields['nope'],customDataFields['x']", labels, 'null')
    assert.deepEqual(shape?.labels, ['x'])
    assert.deepEqual(shapeOf('bookings', 'customDataFields.nope', labels, 'null')?.labels, [])
  })

  it('the plan: equal for equal selections, different for others', () => {
    const key = (select: string) => planKey(planOf('bookings', select))
    assert.equal(key('isTicketed, recordLocator'), key('recordLocator,ISTICKETED,recordLocator'))
    const all = ['*', 'recordLocator', 'customDataFields', "customDataFields['x']", "customDataFields['X']"]
    assert.equal(new Set(all.map(key)).size, all.length)
  })
})

describe('$select refuses', () => {
  const rows: readonly (readonly [
    list: ListName,
    select: string,
    code: string,
    column: number,
    message: string,
  ])[] = [
    [
      'bookings',
      'recordLocator,bokingDate',
      'QRY201',
      14,
      "Unknown field 'bokingDate' in bookings; did you mean bookingDate?",
    ],
    [
      'bookings',
      'invoiceNumber',
      'QRY201',
      0,
      "Unknown field 'invoiceNumber' in bookings; the list invoices has invoiceNumber",
    ],
    [
      'bookings',
      'Cost Centre',
      'QRY101',
      5,
      "Expected ',' or the end of the value, found 'Centre'; names are separated by commas; if it is a label, write customDataFields['Cost Centre']",
    ],
    [
      'bookings',
      "['Cost Centre']",
      'QRY201',
      0,
      "Unknown field 'Cost Centre' in bookings; did you mean customDataFields['Cost Centre']?",
    ],
    [
      'invoices',
      'lineItems.lineTyp',
      'QRY201',
      10,
      "Unknown field 'lineTyp' in lineItems; did you mean lineType?",
    ],
    [
      'invoices',
      'lineTyp',
      'QRY201',
      0,
      "Unknown field 'lineTyp' in invoices; did you mean lineItems.lineType?",
    ],
    [
      'invoices',
      'lineType',
      'QRY201',
      0,
      "Unknown field 'lineType' in invoices; did you mean lineItems.lineType?",
    ],
    [
      'bookings',
      'segments',
      'QRY206',
      0,
      "Unknown collection 'segments' in bookings; it is part of itineraries",
    ],
    [
      'bookings',
      'bookingDate.year',
      'QRY204',
      12,
      "Unknown field 'year', since 'bookingDate' is a single value without parts",
    ],
    [
      'invoices',
      'lineItems.lineType.x',
      'QRY204',
      19,
      "Unknown field 'x', since 'lineType' is a single value without parts",
    ],
    [
      'bookings',
      'customDataFields.a.b',
      'QRY205',
      19,
      "Expected a path of at most two names, found 'b' as the third; a label with a dot in it is written customDataFields['a.b']",
    ],
    [
      'bookings',
      "recordLocator,customDataFields['Cost Center']",
      'QRY335',
      30,
      "Unknown label 'Cost Center' in customDataFields; did you mean customDataFields['Cost Centre']?",
    ],
  ]
  for (const [list, select, code, column, message] of rows) {
    it(`${select} of ${list}`, () => {
      assert.throws(
        () => shapeOf(list, select),
        (problem) => {
          assert.ok(problem instanceof QueryProblem)
          assert.deepEqual(
            [problem.code, problem.parameter, problem.column, problem.input, problem.message],
            [code, '$select', column, select, message],
          )
          return true
        },
      )
    })
  }

  it('a label that differs from several only in letter case', () => {
    assert.throws(
      () => shapeOf('bookings', 'customDataFields.CODE', ['Code', 'code']),
      /Ambiguous name 'CODE'/,
    )
  })
})

function fields(list: ListName): string {
  return datasets[list].fields.map(({ name }) => name).join(',')
}

function names(list: ListName): string {
  return datasets[list].nested?.fields.map(({ name }) => name).join(',') ?? ''
}
