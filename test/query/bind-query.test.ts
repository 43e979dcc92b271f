import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { QueryProblem } from '../../src/kernel/problem.ts'
import type { ComparisonOperator, Expr, FieldPath, Literal, Ordering } from '../../src/query/ast.ts'
import { bindQuery } from '../../src/query/bind/bind-query.ts'
import { planKey } from '../../src/query/plan/plan-key.ts'
import type { Predicate } from '../../src/query/plan/plan-nodes.ts'
import { planQuery } from '../../src/query/plan/plan-query.ts'
import { datasets, type ListName, searchedCollections } from '../../src/schema/datasets.ts'

const labels = ['Cost centre', 'Dept', 'Order', 'order', 'in']
const span = { start: 0, end: 0 }

/** A path at the beginning of the text, with its names joined by dots. */
function path(...names: readonly string[]): FieldPath {
  let end = -1
  const placed = names.map((name) => {
    const start = end + 1
    end = start + name.length
    return { name, quoted: false, span: { start, end } }
  })
  return { names: placed, span: { start: 0, end } }
}

const nothing: Literal = { kind: 'null', span }
const text = (value: string): Literal => ({ kind: 'text', value, span })
const yes: Literal = { kind: 'boolean', value: true, span }
const compare = (field: FieldPath, operator: ComparisonOperator, literal: Literal): Expr => ({
  kind: 'compare',
  operator,
  field,
  literal,
  span,
})
const inList = (field: FieldPath, items: readonly Literal[], negated = false): Expr => ({
  kind: 'in',
  negated,
  field,
  items,
  span,
})
const contains = (field: FieldPath, wanted: string): Expr => ({
  kind: 'match',
  function: 'contains',
  field,
  text: wanted,
  span,
})
const quantified = (quantifier: 'any' | 'all', collection: FieldPath, condition: Expr | null): Expr => ({
  kind: 'quantifier',
  quantifier,
  collection,
  condition,
  span,
})
const not = (operand: Expr): Expr => ({ kind: 'not', operand, span })

function bind(
  dataset: ListName,
  filter: Expr | null,
  orderBy: readonly Ordering[] = [],
  unknownLabels?: 'refuse' | 'null',
) {
  const query = { filter, orderBy, paging: null }
  const texts = { filter: 'the filter', orderBy: 'the order' }
  return planQuery(bindQuery(query, datasets[dataset], labels, texts, unknownLabels))
}

const filterKey = (dataset: ListName, filter: Expr, unknownLabels?: 'null') =>
  planKey(bind(dataset, filter, [], unknownLabels)).split('|')[1]

function problemOf(read: () => unknown): QueryProblem {
  try {
    read()
  } catch (problem) {
    assert.ok(problem instanceof QueryProblem, String(problem))
    return problem
  }
  assert.fail('nothing was refused')
}

describe('bindQuery', () => {
  it('types a field and its literal', () => {
    const where: Predicate = {
      kind: 'compare',
      column: { kind: 'field', name: 'bookingDate', type: 'date' },
      comparison: 'ge',
      comparand: { as: 'instant', instant: Date.parse('2026-01-01') },
    }
    assert.deepEqual(bind('bookings', compare(path('bookingDate'), 'ge', text('2026-01-01'))), {
      dataset: 'bookings',
      where,
      orderBy: [],
      paging: null,
    })
  })

  it('passes paging on', () => {
    const paging = { offset: 40, limit: 20 }
    assert.deepEqual(bindQuery({ filter: null, orderBy: [], paging }, datasets.bookings, []).paging, paging)
  })

  const rows: readonly (readonly [what: string, filter: Expr, key: string])[] = [
    // names
    ['a field in another letter case', compare(path('ISTICKETED'), 'eq', yes), 'eq(isTicketed,btrue)'],
    ['a label', compare(path('customDataFields', 'Dept'), 'eq', text('X')), 'eq(custom"Dept","x")'],
    [
      'a label in another letter case',
      compare(path('CustomDataFields', 'cost CENTRE'), 'eq', text('X')),
      'eq(custom"Cost centre","x")',
    ],
    [
      'one of two labels that differ in case',
      compare(path('customDataFields', 'order'), 'eq', text('X')),
      'eq(custom"order","x")',
    ],
    // the law: derived operators are replaced by their definitions
    ['ne', compare(path('recordLocator'), 'ne', text('X')), 'not(eq(recordLocator,"x"))'],
    ['in', inList(path('recordLocator'), [text('X'), nothing, text('A')]), 'in(recordLocator,"a","x",null)'],
    ['nin', inList(path('recordLocator'), [text('X'), text('A')], true), 'not(in(recordLocator,"a","x"))'],
    [
      'a path into a collection',
      compare(path('segments', 'VENDOR'), 'eq', text('QF')),
      'any(segments,eq(vendor,"qf"))',
    ],
    [
      'ne through a collection',
      compare(path('segments', 'vendor'), 'ne', text('QF')),
      'not(any(segments,eq(vendor,"qf")))',
    ],
    [
      'nin through a collection',
      inList(path('segments', 'vendor'), [text('A'), text('B')], true),
      'not(any(segments,in(vendor,"a","b")))',
    ],
    [
      'a text function through a collection',
      contains(path('segments', 'code'), 'X'),
      'any(segments,contains(code,"x"))',
    ],
    [
      'null through a collection',
      compare(path('segments', 'vendor'), 'eq', nothing),
      'any(segments,null(vendor))',
    ],
    [
      'any',
      quantified('any', path('SEGMENTS'), compare(path('vendor'), 'ne', text('X'))),
      'any(segments,not(eq(vendor,"x")))',
    ],
    ['any without a condition', quantified('any', path('segments'), null), 'any(segments)'],
    [
      'all',
      quantified('all', path('segments'), compare(path('vendor'), 'eq', text('X'))),
      'not(any(segments,not(eq(vendor,"x"))))',
    ],
    // null
    ['eq null', compare(path('recordLocator'), 'eq', nothing), 'null(recordLocator)'],
    ['ne null', compare(path('recordLocator'), 'ne', nothing), 'not(null(recordLocator))'],
    ['gt null', compare(path('recordLocator'), 'gt', nothing), 'false'],
    ['ge null', compare(path('recordLocator'), 'ge', nothing), 'false'],
    ['lt null', compare(path('recordLocator'), 'lt', nothing), 'false'],
    ['le null', compare(path('recordLocator'), 'le', nothing), 'false'],
    ['not le null', not(compare(path('recordLocator'), 'le', nothing)), ''],
    ['in (null)', inList(path('recordLocator'), [nothing]), 'null(recordLocator)'],
    ['nin (null)', inList(path('recordLocator'), [nothing], true), 'not(null(recordLocator))'],
    ['in ()', inList(path('recordLocator'), []), 'false'],
    ['nin ()', inList(path('recordLocator'), [], true), ''],
    // a field of the elements without its collection
    ['a bare element field', compare(path('VENDOR'), 'eq', text('QF')), 'any(segments,eq(vendor,"qf"))'],
    [
      'ne of a bare element field',
      compare(path('vendor'), 'ne', text('QF')),
      'not(any(segments,eq(vendor,"qf")))',
    ],
    [
      'a list of a bare element field',
      inList(path('vendor'), [text('A'), text('B')]),
      'any(segments,in(vendor,"a","b"))',
    ],
    [
      'a text function of a bare element field',
      contains(path('code'), 'X'),
      'any(segments,contains(code,"x"))',
    ],
    // additional fields and collections
    ['an additional field', compare(path('TRAVELLER'), 'eq', text('Ann')), 'eq(traveller,"ann")'],
    [
      'an additional field with the name of a label',
      compare(path('costCentre'), 'eq', nothing),
      'null(costCentre)',
    ],
    [
      'a path into an additional collection',
      compare(path('Travellers', 'Department'), 'ne', text('X')),
      'not(any(travellers,eq(department,"x")))',
    ],
    [
      'any of an additional collection',
      quantified('any', path('travellers'), contains(path('name'), 'LEE')),
      'any(travellers,contains(name,"lee"))',
    ],
    [
      'a bare field of an additional collection',
      compare(path('name'), 'eq', nothing),
      'any(travellers,null(name))',
    ],
    ['a field that elements have as well', compare(path('department'), 'eq', nothing), 'null(department)'],
    // typographic characters in a label
    [
      'a label with another blank',
      compare(path('customDataFields', 'Cost\u00a0centre'), 'eq', nothing),
      'null(custom"Cost centre")',
    ],
  ]
  for (const [what, filter, key] of rows) {
    it(`binds ${what}`, () => assert.equal(filterKey('itineraries', filter), key))
  }

  it('binds additional fields of lines, payments and invoices', () => {
    const keys = [
      compare(path('lineItems', 'ticketNumber'), 'eq', nothing),
      compare(path('ticketNumber'), 'eq', nothing),
      compare(path('amount'), 'gt', { kind: 'number', text: '100', span }),
      compare(path('balanceAmount'), 'gt', { kind: 'number', text: '0', span }),
    ].map((filter) => filterKey('invoices', filter))
    assert.deepEqual(keys, [
      'any(lineItems,null(ticketNumber))',
      'any(lineItems,null(ticketNumber))',
      'any(payments,gt(amount,n100))',
      'gt(balanceAmount,n0)',
    ])
  })

  const unknown: readonly (readonly [what: string, filter: Expr, key: string])[] = [
    ['no label eq null', compare(path('customDataFields', 'None'), 'eq', nothing), ''],
    ['no label ne null', compare(path('customDataFields', 'None'), 'ne', nothing), 'false'],
    ['no label eq text', compare(path('customDataFields', 'None'), 'eq', text('x')), 'false'],
    ['no label ne text', compare(path('customDataFields', 'None'), 'ne', text('x')), ''],
    ['no label lt text', compare(path('customDataFields', 'None'), 'lt', text('x')), 'false'],
    ['no label in (text)', inList(path('customDataFields', 'None'), [text('x')]), 'false'],
    ['no label nin (text)', inList(path('customDataFields', 'None'), [text('x')], true), ''],
    ['no label in (text, null)', inList(path('customDataFields', 'None'), [text('x'), nothing]), ''],
    ['no label containing', contains(path('customDataFields', 'None'), ''), 'false'],
  ]
  for (const [what, filter, key] of unknown) {
    it(`binds ${what}, where unknown labels are null`, () =>
      assert.equal(filterKey('itineraries', filter, 'null'), key))
  }

  it('binds sort clauses, and drops those with an unknown label, where it is null', () => {
    const clauses = [
      { field: path('MODIFIEDAT'), direction: 'desc' },
      { field: path('customDataFields', 'None'), direction: 'asc' },
      { field: path('customDataFields', 'dept'), direction: 'asc' },
    ] as const
    assert.deepEqual(bind('bookings', null, clauses, 'null').orderBy, [
      { column: { kind: 'field', name: 'modifiedAt', type: 'minute' }, descending: true },
      { column: { kind: 'custom', label: 'Dept', type: 'text' }, descending: false },
    ])
  })
})

describe('bindQuery refuses', () => {
  const someBookingFields =
    'clientNumber, recordLocator, originatingAgency, bookingDate, modifiedAt, isTicketed, isInternational, tripStartLocal, tripEndLocal'
  const lineItemFields =
    'lineNumber, lineType, productCode, description, quantity, unitPrice, lineDiscountAmount, lineAmountExGst, lineAmountIncGst, gstPercent, travellerName, vendorName, ticketNumber or originalTicketNumber'
  const additionalFields =
    'traveller, department, employeeId, costCentre, purchaseOrder, bookedBy, authorisedBy, customData1, customData2, segmentCount, tripStartUtc, tripEndUtc, totalAirDistance, totalAirDuration, totalAirDurationSeconds, currencyCode or travellers'
  const rows: readonly (readonly [
    dataset: ListName,
    names: readonly string[],
    code: string,
    column: number,
    message: string,
  ])[] = [
    [
      'bookings',
      ['bokingDate'],
      'QRY201',
      0,
      "Unknown field 'bokingDate' in bookings; did you mean bookingDate?",
    ],
    [
      'bookings',
      ['BOKINGDAT'],
      'QRY201',
      0,
      "Unknown field 'BOKINGDAT' in bookings; did you mean bookingDate?",
    ],
    [
      'bookings',
      ['invoicenumber'],
      'QRY201',
      0,
      "Unknown field 'invoicenumber' in bookings; the list invoices has invoiceNumber",
    ],
    ['bookings', ['traveler'], 'QRY201', 0, "Unknown field 'traveler' in bookings; did you mean traveller?"],
    [
      'bookings',
      ['balanceAmount'],
      'QRY201',
      0,
      "Unknown field 'balanceAmount' in bookings; the list invoices has balanceAmount",
    ],
    [
      'itineraries',
      ['cardHolder'],
      'QRY201',
      0,
      "Unknown field 'cardHolder' in itineraries; the list invoices has payments.cardHolder",
    ],
    [
      'invoices',
      ['cardHoldr'],
      'QRY201',
      0,
      "Unknown field 'cardHoldr' in invoices; did you mean payments.cardHolder?",
    ],
    [
      'invoices',
      ['travellers', 'name'],
      'QRY206',
      0,
      "Unknown collection 'travellers' in invoices; it is part of bookings",
    ],
    [
      'bookings',
      ['travellers', 'nam'],
      'QRY201',
      11,
      "Unknown field 'nam' in travellers; did you mean name?",
    ],
    [
      'bookings',
      ['zzz'],
      'QRY201',
      0,
      `Unknown field 'zzz' in bookings, expected ${someBookingFields}, customDataFields, ${additionalFields}`,
    ],
    [
      'itineraries',
      ['zzz'],
      'QRY201',
      0,
      `Unknown field 'zzz' in itineraries, expected ${someBookingFields}, segments, customDataFields, ${additionalFields}`,
    ],
    [
      'itineraries',
      ['segment', 'status'],
      'QRY201',
      0,
      "Unknown field 'segment' in itineraries; did you mean segments?",
    ],
    [
      'itineraries',
      ['statu'],
      'QRY201',
      0,
      "Unknown field 'statu' in itineraries; did you mean segments.status?",
    ],
    [
      'itineraries',
      ['STATUS', 'x'],
      'QRY204',
      7,
      "Unknown field 'x', since 'STATUS' is a single value without parts",
    ],
    [
      'bookings',
      ['status'],
      'QRY201',
      0,
      "Unknown field 'status' in bookings; the list itineraries has segments.status",
    ],
    [
      'bookings',
      ['customDataFields', 'Cost center'],
      'QRY335',
      17,
      "Unknown label 'Cost center' in customDataFields; did you mean customDataFields['Cost centre']?",
    ],
    [
      'bookings',
      ['customDataFields', 'Orders'],
      'QRY335',
      17,
      "Unknown label 'Orders' in customDataFields; did you mean customDataFields['Order'] or customDataFields['order']?",
    ],
    [
      'bookings',
      ['customDataFields', 'Manager'],
      'QRY335',
      17,
      "Unknown label 'Manager' in customDataFields, expected 'Cost centre', 'Dept', 'Order', 'order' or 'in'",
    ],
    [
      'bookings',
      ['cost centre'],
      'QRY201',
      0,
      "Unknown field 'cost centre' in bookings; did you mean customDataFields['Cost centre']?",
    ],
    [
      'invoices',
      ['isTicketed'],
      'QRY201',
      0,
      "Unknown field 'isTicketed' in invoices; the list bookings has isTicketed",
    ],
    [
      'invoices',
      ['lineItems', 'lineTyp'],
      'QRY201',
      10,
      "Unknown field 'lineTyp' in lineItems; did you mean lineType?",
    ],
    [
      'invoices',
      ['lineItems', 'zzz'],
      'QRY201',
      10,
      `Unknown field 'zzz' in lineItems, expected ${lineItemFields}`,
    ],
    [
      'invoices',
      ['lineItems', 'zzz', 'a'],
      'QRY201',
      10,
      `Unknown field 'zzz' in lineItems, expected ${lineItemFields}`,
    ],
    [
      'bookings',
      ['customDataFields', 'ORDER'],
      'QRY202',
      17,
      "Ambiguous name 'ORDER', which could be 'Order' or 'order'; write the one that is meant letter by letter",
    ],
    [
      'bookings',
      ['customDataFields'],
      'QRY203',
      0,
      "Expected the path of a single value, found 'customDataFields' alone; name one of its labels, as in customDataFields['Cost centre']",
    ],
    [
      'bookings',
      ['bookingDate', 'year'],
      'QRY204',
      12,
      "Unknown field 'year', since 'bookingDate' is a single value without parts",
    ],
    [
      'itineraries',
      ['segments', 'status', 'x'],
      'QRY204',
      16,
      "Unknown field 'x', since 'status' is a single value without parts",
    ],
    [
      'bookings',
      ['customDataFields', 'a', 'b'],
      'QRY205',
      19,
      "Expected a path of at most two names, found 'b' as the third; a label with a dot in it is written customDataFields['a.b']",
    ],
    [
      'bookings',
      ['segments', 'status'],
      'QRY206',
      0,
      "Unknown collection 'segments' in bookings; it is part of itineraries",
    ],
    [
      'itineraries',
      ['LINEITEMS', 'quantity'],
      'QRY206',
      0,
      "Unknown collection 'LINEITEMS' in itineraries; it is part of invoices",
    ],
  ]
  for (const [dataset, names, code, column, message] of rows) {
    it(`${names.join('.')} of ${dataset}, in $filter and in $orderby`, () => {
      const field = path(...names)
      const inFilter = problemOf(() => bind(dataset, compare(field, 'eq', nothing)))
      const inOrder = searchedCollections(datasets[dataset]).some(({ name }) => name === names[0])
        ? undefined
        : problemOf(() => bind(dataset, null, [{ field, direction: 'asc' }]))
      const expected = { code, column, message }
      assert.deepEqual(
        { ...inFilter, message: inFilter.message },
        { ...inFilter, ...expected, parameter: '$filter', input: 'the filter' },
      )
      if (inOrder === undefined) return
      assert.deepEqual(
        { ...inOrder, message: inOrder.message },
        { ...inOrder, ...expected, parameter: '$orderby', input: 'the order' },
      )
    })
  }

  it('sorting by an additional collection, or by a field of its elements', () => {
    const messages = [path('travellers'), path('travellers', 'name'), path('name')].map(
      (field) => problemOf(() => bind('bookings', null, [{ field, direction: 'asc' }])).message,
    )
    assert.deepEqual(messages, [
      "Expected a field of the record, found the collection 'travellers'; a record has many elements and cannot be sorted by them",
      "Expected a field of the record, found the collection 'travellers'; a record has many elements and cannot be sorted by them",
      "Expected a field of the record, found 'name' of the collection 'travellers'; a record has many elements and cannot be sorted by them",
    ])
  })

  it('sorting by a bare element field', () => {
    const problem = problemOf(() => bind('invoices', null, [{ field: path('quantity'), direction: 'asc' }]))
    assert.equal(problem.code, 'QRY207')
    assert.equal(
      problem.message,
      "Expected a field of the record, found 'quantity' of the collection 'lineItems'; a record has many elements and cannot be sorted by them",
    )
  })

  it('labels of a client with many of them or none, and lists a few', () => {
    const filter = compare(path('customDataFields', 'Manager'), 'eq', nothing)
    const refusalAmong = (names: readonly string[]) =>
      problemOf(() => bindQuery({ filter, orderBy: [], paging: null }, datasets.bookings, names)).message
    const many = Array.from({ length: 20 }, (_, i) => `L${i + 1}`)
    assert.equal(refusalAmong([]), "Unknown label 'Manager' in customDataFields: this client has no labels")
    assert.match(refusalAmong(many), /, expected 'L1', 'L2', .*, 'L12' or 8 others$/)
  })

  it('a collection as a value', () => {
    const problem = problemOf(() => bind('itineraries', compare(path('segments'), 'ne', nothing)))
    assert.equal(problem.code, 'QRY203')
    assert.equal(
      problem.message,
      "Expected the path of a single value, found 'segments' alone; name a field of its elements, as in segments.segmentNumber, or use any(segments)",
    )
  })

  for (const names of [['lineItems', 'quantity'], ['LineItems'], ['lineItems', 'zzz']]) {
    it(`sorting by ${names.join('.')}`, () => {
      const problem = problemOf(() => bind('invoices', null, [{ field: path(...names), direction: 'asc' }]))
      assert.equal(problem.code, 'QRY207')
      assert.equal(problem.column, 0)
      assert.equal(
        problem.message,
        `Expected a field of the record, found the collection '${names[0]}'; a record has many elements and cannot be sorted by them`,
      )
    })
  }

  const quantifiers: readonly (readonly [ListName, readonly string[], string, string])[] = [
    ['invoices', ['company'], 'QRY208', "Expected the collection lineItems or payments, found 'company'"],
    ['invoices', ['lineItem'], 'QRY208', "Expected the collection lineItems or payments, found 'lineItem'"],
    [
      'invoices',
      ['lineItems', 'quantity'],
      'QRY208',
      "Expected the collection lineItems or payments, found 'lineItems.quantity'",
    ],
    ['bookings', ['company'], 'QRY208', "Expected the collection travellers, found 'company'"],
    [
      'bookings',
      ['segments'],
      'QRY206',
      "Unknown collection 'segments' in bookings; it is part of itineraries",
    ],
  ]
  for (const [dataset, names, code, message] of quantifiers) {
    it(`any(${names.join('.')}) of ${dataset}`, () => {
      const problem = problemOf(() => bind(dataset, quantified('any', path(...names), null)))
      assert.deepEqual([problem.code, problem.column, problem.message], [code, 0, message])
    })
  }

  const elements: readonly (readonly [readonly string[], string, number, string])[] = [
    [['lineTyp'], 'QRY201', 0, "Unknown field 'lineTyp' in lineItems; did you mean lineType?"],
    [['company'], 'QRY201', 0, `Unknown field 'company' in lineItems, expected ${lineItemFields}`],
    [
      ['customDataFields', 'Dept'],
      'QRY201',
      0,
      `Unknown field 'customDataFields' in lineItems, expected ${lineItemFields}`,
    ],
    [['lineType', 'x'], 'QRY204', 9, "Unknown field 'x', since 'lineType' is a single value without parts"],
    [
      ['LineItems', 'lineType'],
      'QRY209',
      0,
      "Expected a field of one element of lineItems, found 'LineItems.lineType'; inside any and all the fields of the element are written alone",
    ],
  ]
  for (const [names, code, column, message] of elements) {
    it(`${names.join('.')} inside any`, () => {
      const condition = compare(path(...names), 'eq', nothing)
      const problem = problemOf(() => bind('invoices', quantified('any', path('lineItems'), condition)))
      assert.deepEqual([problem.code, problem.column, problem.message], [code, column, message])
    })
  }

  it('names in conditions that folding would have dropped', () => {
    const filter: Expr = {
      kind: 'and',
      operands: [inList(path('recordLocator'), []), compare(path('zzz'), 'eq', nothing)],
      span,
    }
    assert.equal(problemOf(() => bind('bookings', filter)).code, 'QRY201')
  })

  it('names also when the texts are not given', () => {
    const filter = compare(path('zzz'), 'eq', nothing)
    const problem = problemOf(() => bindQuery({ filter, orderBy: [], paging: null }, datasets.bookings, []))
    assert.equal(problem.input, undefined)
  })
})
