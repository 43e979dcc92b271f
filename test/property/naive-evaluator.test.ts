/**
 * Tests the evaluator with which the engines are compared. Every expectation below was worked out by hand from the rules on
 * typing, null, letter case and collections.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Expr, Literal, Ordering } from '../../src/query/ast.ts'
import type { JsonElement, JsonRecord, JsonScalar } from '../fixtures/json-record.ts'
import {
  all,
  and,
  any,
  ascending,
  booleanLiteral,
  compare,
  descending,
  isIn,
  isNotIn,
  match,
  not,
  nullLiteral,
  numberLiteral,
  or,
  path,
  textLiteral,
} from './build-query.ts'
import { answerNaively, filterNaively, refusalOf, type Scope, sortNaively } from './naive-evaluator.ts'

/** How a value compares with a literal. */
/** Texts that differ in letter case only are equal, and yet one is before the other where records are sorted. */
type Relation = 'below' | 'equal' | 'equal, next' | 'equal, before' | 'above' | 'unrelated'
type ValueRow = readonly [value: JsonScalar, literal: Literal, relation: Relation]

const t = textLiteral
const n = numberLiteral
const yes = booleanLiteral(true)
const no = booleanLiteral(false)

const operators = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const
const holding: { readonly [R in Relation]: readonly (typeof operators)[number][] } = {
  below: ['ne', 'lt', 'le'],
  equal: ['eq', 'ge', 'le'],
  'equal, next': ['eq', 'gt', 'ge', 'le'],
  'equal, before': ['eq', 'ge', 'lt', 'le'],
  above: ['ne', 'gt', 'ge'],
  unrelated: ['ne'],
}

/** A field that can hold a value of the tested type. */
type Place = {
  readonly name: string
  readonly scope: Scope
  holder(value: JsonScalar): JsonRecord
  field: string[]
}

const bookings: Scope = { dataset: 'bookings', labels: ['Budget'] }
const itineraries: Scope = { dataset: 'itineraries', labels: [] }
const invoices: Scope = { dataset: 'invoices', labels: [] }

const field = (name: string): Place => ({
  name,
  scope: bookings,
  holder: (value) => ({ [name]: value, customDataFields: {} }),
  field: [name],
})
const label: Place = {
  name: 'a custom label',
  scope: bookings,
  holder: (value) => ({ customDataFields: value === null ? {} : { Budget: value } }),
  field: ['customDataFields', 'Budget'],
}
const lineItem = (name: string): Place => ({
  name: `lineItems.${name}`,
  scope: invoices,
  holder: (value) => ({ lineItems: [{ [name]: value }] }),
  field: ['lineItems', name],
})

const bareLineItem = (name: string): Place => ({ ...lineItem(name), name, field: [name] })

/** Both text: the same for text fields and labels. */
const textRows: readonly ValueRow[] = [
  ['Sydney', t('Sydney'), 'equal'],
  ['Sydney', t('SYDNEY'), 'equal, next'],
  ['ΟΔΟΣ', t('οδος'), 'equal, before'],
  ['Straße', t('STRASSE'), 'above'],
  ['İ', t('i'), 'above'],
  ['Sydney', t('Sydne'), 'above'],
  ['Sydney', t('sydneys'), 'below'],
  ['a', t('B'), 'below'],
  ['Z', t('a'), 'above'],
  ['_', t('A'), 'below'], // folded: _ is below a
  ['\uffff', t('😀'), 'below'], // code points, not UTF-16 units
  ['', t(''), 'equal'],
  ['', t('a'), 'below'],
  [' a', t('a'), 'below'],
  // Both text: never numbers.
  ['10', t('9'), 'below'],
  ['10', t('10.0'), 'below'],
  // As numbers, when the text reads as one.
  ['10', n('9'), 'above'],
  ['10', n('10.00'), 'equal'],
  ['010', n('10'), 'equal'],
  ['1e1', n('10'), 'equal'],
  ['-5', n('-5.00001'), 'above'],
  ['0.1', n('0.10000000000000000000001'), 'below'],
  ['9007199254740993', n('9007199254740992'), 'above'],
]

/** In a text field, texts that are no numbers cannot be compared with a number, and texts are never dates. */
const textFieldRows: readonly ValueRow[] = [
  ['10 EUR', n('9'), 'unrelated'],
  [' 10', n('10'), 'unrelated'],
  ['1.', n('1'), 'unrelated'],
  ['abc', n('5'), 'unrelated'],
  ['', n('0'), 'unrelated'],
  ['2026-01-15', t('2026-01-15T00:00'), 'below'],
  ['2026-01-15T09:30', t('2026-01-15 09:30'), 'above'],
  ['true', t('TRUE'), 'equal, next'],
]

const labelRows: readonly ValueRow[] = [
  // Both dates or date-times: chronological.
  ['2026-01-15', t('2026-01-15T00:00'), 'equal'],
  ['2026-01-15T09:30', t('2026-01-15 09:30:00.000Z'), 'equal'],
  ['2026-01-15T09:30', t('2026-01-15T19:30+10:00'), 'below'], // a time that has an offset: text
  ['2026-01-15T09:30', t('2026-01-15T09:30:00.001'), 'below'],
  ['2026-01-15', t('2026-01-14T23:59:59.999'), 'above'],
  // One of them is not a date: text.
  ['2026-02-30', t('2026-02-30T00:00'), 'below'],
  ['2026-01-15x', t('2026-01-15'), 'above'],
  // Otherwise the number as it is written.
  ['10 EUR', n('10'), 'above'],
  ['10 EUR', n('9'), 'below'],
  [' 10', n('10'), 'below'],
  ['1.', n('1'), 'above'],
  ['1.', n('1.0'), 'below'],
  ['1x', n('1.00'), 'above'],
  ['+1', n('1'), 'below'],
  ['0.00001x', n('1e-5'), 'below'],
  ['1200x', n('12e2'), 'below'],
  ['12Ex', n('12e2'), 'above'],
  ['1 000', n('1'.padEnd(401, '0')), 'below'],
  ['10 EUR', n('1e400'), 'below'],
  ['007x', n('007'), 'above'],
  ['007x', n('7'), 'below'],
  ['abc', n('5'), 'above'],
  ['', n('0'), 'below'],
  // As booleans, when the text reads as one.
  ['true', yes, 'equal'],
  ['TRUE', yes, 'equal'],
  ['False', yes, 'below'],
  ['true', no, 'above'],
  ['yes', yes, 'unrelated'],
  ['1', yes, 'unrelated'],
  ['', no, 'unrelated'],
  ['constructor', yes, 'unrelated'],
]

const dateRows: readonly ValueRow[] = [
  ['2026-01-15', t('2026-01-15'), 'equal'],
  ['2026-01-15', t('2026-01-16'), 'below'],
  ['2026-01-15', t('2026-01-15T00:00:00Z'), 'equal'],
  ['2026-01-15', t('2026-01-15T00:00+00:00'), 'equal'],
  ['2026-01-15', t('2026-01-15 00:01'), 'below'],
  ['0000-01-01', t('0001-01-01'), 'below'],
]

const minuteRows: readonly ValueRow[] = [
  ['2026-01-15T09:30', t('2026-01-15T09:30'), 'equal'],
  ['2026-01-15T09:30', t('2026-01-15 09:30'), 'equal'],
  ['2026-01-15T09:30', t('2026-01-15T09:30:00Z'), 'equal'],
  ['2026-01-15T09:30', t('2026-01-15T09:30:01'), 'below'],
  ['2026-01-15T09:30', t('2026-01-15'), 'above'], // its midnight
  ['2026-01-15T00:00', t('2026-01-15'), 'equal'],
]

const numberRows: readonly ValueRow[] = [
  [10, n('10'), 'equal'],
  [10, n('1e1'), 'equal'],
  [10, n('10.00000'), 'equal'],
  [0.00001, n('0.00001'), 'equal'],
  [0.00001, n('1e-5'), 'equal'],
  [0.00001, n('0.000011'), 'below'],
  [-0.00001, n('-0.000011'), 'above'],
  [0.1, n('0.1000000000000000055511151231257827'), 'below'], // exact, not as doubles
  [12345678.12345, n('12345678.12345'), 'equal'],
  [5, n('1e400'), 'below'],
  [-5, n('-1e400'), 'above'],
  [0, n('-0'), 'equal'],
  // Text that reads as a number.
  [10, t('10.0'), 'equal'],
  [10, t('9'), 'above'],
  [-5, t('-6e0'), 'above'],
]

const booleanRows: readonly ValueRow[] = [
  [true, yes, 'equal'],
  [true, no, 'above'],
  [false, yes, 'below'],
  [false, no, 'equal'],
  [true, t('true'), 'equal'],
  [true, t('TRUE'), 'equal'],
  [false, t('true'), 'below'],
  [true, t('1'), 'equal'],
  [true, n('1'), 'equal'],
  [true, n('0.0'), 'above'],
  [false, n('0'), 'equal'],
  [false, t('0'), 'equal'],
  [false, n('10e-1'), 'below'],
]

const nullRows: readonly ValueRow[] = [
  [null, t('a'), 'unrelated'],
  [null, t(''), 'unrelated'],
  [null, t('2026-01-15'), 'unrelated'],
  [null, n('0'), 'unrelated'],
]

const tables: readonly (readonly [place: Place, rows: readonly ValueRow[]])[] = [
  [field('originatingAgency'), [...textRows, ...textFieldRows, ...nullRows]],
  [label, [...textRows, ...labelRows, ...nullRows, [null, yes, 'unrelated'], [null, no, 'unrelated']]],
  [lineItem('productCode'), [...textRows, ...textFieldRows]],
  [field('bookingDate'), dateRows],
  [field('modifiedAt'), minuteRows],
  [lineItem('quantity'), [...numberRows, [null, n('0'), 'unrelated']]],
  [lineItem('lineNumber'), numberRows.filter(([value]) => Number.isInteger(value))],
  [bareLineItem('quantity'), numberRows],
  [field('isTicketed'), booleanRows],
]

describe('a comparison', () => {
  for (const [place, rows] of tables) {
    for (const [value, literal, relation] of rows) {
      it(`finds ${JSON.stringify(value)} in ${place.name} ${relation} ${show(literal)}`, () => {
        const held = operators.filter((operator) =>
          selects(compare(path(...place.field), operator, literal), place, value),
        )
        assert.deepEqual(held, holding[relation])
        assert.equal(
          selects(isIn(path(...place.field), [literal]), place, value),
          relation.startsWith('equal'),
        )
        assert.equal(
          selects(isNotIn(path(...place.field), [literal]), place, value),
          !relation.startsWith('equal'),
        )
      })
    }
  }

  for (const value of ['', 'null', 0, false, '2026-01-15'] as const) {
    it(`finds ${JSON.stringify(value)} not to be null, and neither above nor below it`, () => {
      const place = typeof value === 'number' ? lineItem('quantity') : field('originatingAgency')
      assert.deepEqual(heldWithNull(place, value), ['ne'])
    })
  }

  it('finds null to be null, and neither above nor below it', () => {
    assert.deepEqual(heldWithNull(field('originatingAgency'), null), ['eq'])
    assert.deepEqual(heldWithNull(lineItem('quantity'), null), ['eq'])
    assert.deepEqual(heldWithNull(label, null), ['eq'])
  })
})

describe('a list', () => {
  const place = field('originatingAgency')
  const rows: readonly (readonly [value: JsonScalar, items: readonly Literal[], isAmong: boolean])[] = [
    ['a', [], false],
    [null, [], false],
    ['a', [t('b'), t('A')], true],
    ['a', [t('b'), nullLiteral], false],
    [null, [t('b'), nullLiteral], true],
    [null, [t('b')], false],
    ['10', [t('x'), n('10.0')], true],
    ['10', [t('10.0'), n('1')], false],
    ['2026-01-15', [n('2026'), t('2026-01-15')], true],
  ]
  for (const [value, items, isAmong] of rows) {
    const list = `(${items.map(show).join(', ')})`
    it(`${list} ${isAmong ? 'holds' : 'does not hold'} ${JSON.stringify(value)}`, () => {
      assert.equal(selects(isIn(path(...place.field), items), place, value), isAmong)
      assert.equal(selects(isNotIn(path(...place.field), items), place, value), !isAmong)
    })
  }
})

describe('a text function', () => {
  const rows: readonly (readonly [
    name: 'contains' | 'startswith' | 'endswith',
    Place,
    JsonScalar,
    string,
    boolean,
  ])[] = [
    ['contains', field('originatingAgency'), 'Sydney CBD', 'NEY c', true],
    ['contains', field('originatingAgency'), 'Sydney CBD', 'x', false],
    ['contains', field('originatingAgency'), 'Sydney', '', true],
    ['contains', field('originatingAgency'), null, '', false],
    ['startswith', field('originatingAgency'), 'ΣΟΦΟΣ', 'σοφος', true],
    ['startswith', field('originatingAgency'), 'οδος', 'ΟΔΟΣ', true],
    ['startswith', field('originatingAgency'), 'Sydney', 'ydney', false],
    ['endswith', field('originatingAgency'), 'Sydney', 'NEY', true],
    ['endswith', field('originatingAgency'), 'Sydney', 'Sydne', false],
    ['startswith', field('bookingDate'), '2026-01-15', '2026-01', true],
    ['contains', field('modifiedAt'), '2026-01-15T09:30', 't09', true],
    ['startswith', field('isTicketed'), true, 'TR', true],
    ['contains', field('isTicketed'), false, 'true', false],
    ['contains', lineItem('quantity'), 0.00001, '.00001', true],
    ['endswith', lineItem('quantity'), 10, '.0', false],
    ['startswith', lineItem('quantity'), -5, '-', true],
    ['contains', label, 'a.b', '.', true],
    ['contains', label, null, 'a', false],
  ]
  for (const [name, place, value, text, expected] of rows) {
    it(`${name} ${expected ? 'finds' : 'does not find'} '${text}' in ${JSON.stringify(value)} of ${place.name}`, () => {
      assert.equal(selects(match(name, path(...place.field), text), place, value), expected)
    })
  }
})

describe('and, or, not', () => {
  const [isA, isB] = ['A', 'B'].map((value) => compare(path('recordLocator'), 'eq', t(value))) as [Expr, Expr]
  const rows: readonly (readonly [what: string, expr: Expr, selected: readonly string[]])[] = [
    ['and needs all', and(isA, not(isB)), ['A']],
    ['and of contradictions selects nothing', and(isA, isB), []],
    ['or needs one', or(isA, isB), ['A', 'B']],
    ['not selects the rest, nulls included', not(isA), ['B', 'null']],
    ['not twice selects the same', not(not(isA)), ['A']],
  ]
  const records = ['A', 'B', null].map((recordLocator) => ({ recordLocator, customDataFields: {} }))
  for (const [what, expr, selected] of rows) {
    it(what, () => {
      const found = filterNaively(records, expr, bookings)
      assert.deepEqual(
        found.map(({ recordLocator }) => String(recordLocator)),
        selected,
      )
    })
  }
})

describe('a collection', () => {
  const trips = {
    none: [],
    confirmed: [status('HK'), status('hk')],
    mixed: [status('HK'), status('XX')],
    unknown: [status(null)],
    partly: [status('XX'), status(null)],
  }
  const s = path('segments', 'status')
  const bare = path('status')
  const segments = path('segments')
  const rows: readonly (readonly [what: string, expr: Expr, selected: readonly (keyof typeof trips)[]])[] = [
    ['eq means any element', compare(s, 'eq', t('HK')), ['confirmed', 'mixed']],
    ['ne means no element', compare(s, 'ne', t('HK')), ['none', 'unknown', 'partly']],
    ['in means any element', isIn(s, [t('XX'), nullLiteral]), ['mixed', 'unknown', 'partly']],
    ['nin means no element', isNotIn(s, [t('XX'), nullLiteral]), ['none', 'confirmed']],
    ['in of an empty list selects no records', isIn(s, []), []],
    [
      'nin of an empty list selects all records',
      isNotIn(s, []),
      ['none', 'confirmed', 'mixed', 'unknown', 'partly'],
    ],
    ['eq null means any null', compare(s, 'eq', nullLiteral), ['unknown', 'partly']],
    ['ne null means no null', compare(s, 'ne', nullLiteral), ['none', 'confirmed', 'mixed']],
    ['gt means any element', compare(s, 'gt', t('HZ')), ['mixed', 'partly']],
    ['not gt means no element', not(compare(s, 'gt', t('HZ'))), ['none', 'confirmed', 'unknown']],
    ['contains means any element', match('contains', s, 'x'), ['mixed', 'partly']],
    [
      'any without a condition means not empty',
      any(segments, null),
      ['confirmed', 'mixed', 'unknown', 'partly'],
    ],
    ['any finds one element', any(segments, compare(bare, 'eq', t('hk'))), ['confirmed', 'mixed']],
    [
      'any with ne differs from ne',
      any(segments, compare(bare, 'ne', t('HK'))),
      ['mixed', 'unknown', 'partly'],
    ],
    ['all holds for no elements', all(segments, compare(bare, 'eq', t('HK'))), ['none', 'confirmed']],
    [
      'all with eq null needs only nulls',
      all(segments, compare(bare, 'eq', nullLiteral)),
      ['none', 'unknown'],
    ],
    [
      'any needs one element that meets the whole condition',
      any(segments, and(compare(bare, 'eq', t('HK')), compare(path('code'), 'eq', n('2')))),
      [],
    ],
    [
      'two elements can meet two conditions',
      and(compare(s, 'eq', t('HK')), compare(path('segments', 'code'), 'eq', n('2'))),
      ['mixed'],
    ],
  ]
  const records = Object.entries(trips).map(([name, elements]) => ({
    recordLocator: name,
    customDataFields: {},
    segments: elements,
  }))
  for (const [what, expr, selected] of rows) {
    it(what, () => {
      const found = filterNaively(records, expr, itineraries)
      assert.deepEqual(
        found.map(({ recordLocator }) => recordLocator),
        selected,
      )
    })
  }

  function status(value: string | null): JsonElement {
    return { status: value, code: value === 'XX' ? '2' : '1' }
  }
})

describe('a name', () => {
  const record = {
    recordLocator: 'ABC',
    customDataFields: { Team: 'one', TEAM: 'two', Budget: 'three', 'a.b': 'four', "Traveller's PO": 'five' },
  }
  const scope: Scope = {
    dataset: 'bookings',
    labels: ['Team', 'TEAM', 'Budget', 'a.b', 'Unused', '__proto__', "Traveller's PO"],
  }
  const rows: readonly (readonly [names: readonly string[], value: string | null])[] = [
    [['recordLocator'], 'ABC'],
    [['RECORDLOCATOR'], 'ABC'],
    [['customDataFields', 'Team'], 'one'],
    [['customdatafields', 'TEAM'], 'two'],
    [['customDataFields', 'BUDGET'], 'three'],
    [['customDataFields', 'A.B'], 'four'],
    [['customDataFields', 'Unused'], null],
    [['customDataFields', '__proto__'], null],
    [['customDataFields', 'Traveller\u2019s\u00a0PO'], 'five'],
    [['customDataFields', 'TRAVELLER`S PO'], 'five'],
  ]
  for (const [names, value] of rows) {
    it(`${names.join('.')} is ${JSON.stringify(value)}`, () => {
      const literal = value === null ? nullLiteral : t(value)
      assert.equal(filterNaively([record], compare(path(...names), 'eq', literal), scope).length, 1)
    })
  }

  it('that could mean two labels is refused', () => {
    const expr = compare(path('customDataFields', 'team'), 'eq', t('one'))
    assert.throws(() => filterNaively([record], expr, scope), /Ambiguous name/)
  })

  it('that is unknown among the fields is refused', () => {
    assert.throws(
      () => filterNaively([record], compare(path('locator'), 'eq', t('ABC')), scope),
      /Unknown name/,
    )
  })
})

describe('a refusal', () => {
  const scope: Scope = { dataset: 'invoices', labels: ['Budget'] }
  const budget = path('customDataFields', 'budget')
  const other = path('customDataFields', 'Other')
  const fit: readonly Expr[] = [
    compare(path('dueDate'), 'gt', t('2026-01-15')),
    compare(path('dueDate'), 'gt', t('2026-01-15 09:30:00.5Z')),
    compare(path('dueDate'), 'gt', nullLiteral),
    compare(path('company'), 'eq', n('5')),
    compare(path('company'), 'eq', t('2026-01')),
    compare(path('quantity'), 'eq', t('1e-2')),
    compare(budget, 'eq', yes),
    isIn(path('dueDate'), []),
    match('contains', path('dueDate'), 'yesterday'),
  ]
  const slips: readonly Expr[] = [
    compare(path('dueDate'), 'gt', t('2026-1-15')),
    compare(path('dueDate'), 'gt', t('20260115')),
    compare(path('dueDate'), 'gt', t('15/01/2026')),
    compare(path('dueDate'), 'ne', t('2026-02-30')),
    compare(path('dueDate'), 'eq', t('2026-01-15t09:30')),
    compare(path('dueDate'), 'ge', t('2026-01-15T00:00-05:00')),
    isIn(path('dueDate'), [t('2026-01-15'), t('2026-01-15T10:00+10:00')]),
    compare(path('dueDate'), 'eq', n('2026')),
    compare(path('dueDate'), 'eq', yes),
    compare(path('company'), 'eq', no),
    compare(path('lineItems', 'quantity'), 'gt', t('ten')),
    compare(path('quantity'), 'gt', t('')),
    compare(path('quantity'), 'gt', t('1e10000')),
    compare(path('quantity'), 'gt', yes),
    isIn(path('quantity'), [n('1'), nullLiteral, t(' 1')]),
    any(path('lineItems'), compare(path('quantity'), 'gt', t('x'))),
    not(or(compare(path('company'), 'eq', t('x')), compare(path('dueDate'), 'eq', t('x')))),
  ]
  const unknown: readonly Expr[] = [
    compare(other, 'eq', nullLiteral),
    isNotIn(other, []),
    match('contains', other, ''),
    and(compare(other, 'eq', nullLiteral), compare(path('dueDate'), 'eq', t('x'))),
  ]
  const refusal = (filter: Expr) => refusalOf({ filter, orderBy: [], paging: null, select: null }, scope)

  it('is not for what fits', () =>
    assert.deepEqual(
      fit.map(refusal),
      fit.map(() => null),
    ))
  it('is for a literal that does not fit', () =>
    assert.deepEqual(
      slips.map(refusal),
      slips.map(() => 'literal'),
    ))
  it('is for an unknown label', () =>
    assert.deepEqual(
      unknown.map(refusal),
      unknown.map(() => 'label'),
    ))
  it('is for the first fault, and for the order last', () => {
    const orderBy = [ascending(other)]
    const slip = compare(path('dueDate'), 'eq', t('x'))
    assert.equal(refusal(and(slip, compare(other, 'eq', nullLiteral))), 'literal')
    assert.equal(refusalOf({ filter: slip, orderBy, paging: null, select: null }, scope), 'literal')
    assert.equal(refusalOf({ filter: null, orderBy, paging: null, select: null }, scope), 'label')
  })
  it('is for booleans that are not written as one', () => {
    const ticketed = (literal: Literal) => compare(path('isTicketed'), 'eq', literal)
    const refusals = [yes, n('1'), n('0.0'), t('FALSE'), t('0'), n('2'), t('1.0'), t('yes'), t('')].map(
      (literal) =>
        refusalOf({ filter: ticketed(literal), orderBy: [], paging: null, select: null }, bookings),
    )
    assert.deepEqual(refusals, [null, null, null, null, null, 'literal', 'literal', 'literal', 'literal'])
  })
})

describe('sorting', () => {
  const records: readonly JsonRecord[] = [
    { recordLocator: 'a', isTicketed: true, bookingDate: '2026-01-02', customDataFields: { Budget: '10' } },
    { recordLocator: 'B', isTicketed: false, bookingDate: '2026-01-02', customDataFields: {} },
    { recordLocator: '😀', isTicketed: true, bookingDate: '2026-01-01', customDataFields: { Budget: '9' } },
    {
      recordLocator: '\uffff',
      isTicketed: false,
      bookingDate: '2026-01-03',
      customDataFields: { Budget: 'x' },
    },
  ]
  const rows: readonly (readonly [
    what: string,
    orderBy: readonly Ordering[],
    locators: readonly string[],
  ])[] = [
    ['keeps the order without clauses', [], ['a', 'B', '😀', '\uffff']],
    [
      'orders text without letter case, by code point',
      [ascending(path('recordLocator'))],
      ['a', 'B', '\uffff', '😀'],
    ],
    ['orders downwards', [descending(path('recordLocator'))], ['😀', '\uffff', 'B', 'a']],
    ['keeps ties in the order they came in', [ascending(path('isTicketed'))], ['B', '\uffff', 'a', '😀']],
    ['keeps ties when descending too', [descending(path('isTicketed'))], ['a', '😀', 'B', '\uffff']],
    ['puts null last', [ascending(path('customDataFields', 'Budget'))], ['a', '😀', '\uffff', 'B']],
    [
      'puts null first when descending',
      [descending(path('customDataFields', 'budget'))],
      ['B', '\uffff', '😀', 'a'],
    ],
    [
      'applies clauses from left to right',
      [descending(path('bookingDate')), ascending(path('recordLocator'))],
      ['\uffff', 'a', 'B', '😀'],
    ],
  ]
  for (const [what, orderBy, locators] of rows) {
    it(what, () => {
      const sorted = sortNaively(records, orderBy, bookings)
      assert.deepEqual(
        sorted.map(({ recordLocator }) => recordLocator),
        locators,
      )
    })
  }
})

describe('a page', () => {
  const records = ['A', 'B', 'C', 'D', 'E'].map((recordLocator) => ({ recordLocator, customDataFields: {} }))
  const rows: readonly (readonly [page: number, pageSize: number, locators: string])[] = [
    [1, 2, 'CD'],
    [2, 2, 'E'],
    [3, 2, ''],
    [1, 3, 'CDE'],
    [1, 500, 'CDE'],
  ]
  for (const [page, pageSize, locators] of rows) {
    it(`${page} of ${pageSize} is '${locators}', and the total counts every selected record`, () => {
      const filter = compare(path('recordLocator'), 'gt', t('B'))
      const paging = { offset: (page - 1) * pageSize, limit: pageSize }
      const answer = answerNaively(records, { filter, orderBy: [], paging, select: null }, bookings)
      assert.equal(answer.records.map(({ recordLocator }) => recordLocator).join(''), locators)
      assert.equal(answer.total, 3)
    })
  }

  it('is everything without parameters', () => {
    assert.deepEqual(
      answerNaively(records, { filter: null, orderBy: [], paging: null, select: null }, bookings),
      {
        records,
        total: 5,
      },
    )
  })
})

function selects(expr: Expr, place: Place, value: JsonScalar): boolean {
  return filterNaively([place.holder(value)], expr, place.scope).length === 1
}

function heldWithNull(place: Place, value: JsonScalar): readonly string[] {
  return operators.filter((operator) =>
    selects(compare(path(...place.field), operator, nullLiteral), place, value),
  )
}

function show(literal: Literal): string {
  switch (literal.kind) {
    case 'text':
      return `'${literal.value}'`
    case 'number':
      return literal.text
    case 'boolean':
      return String(literal.value)
    case 'null':
      return 'null'
  }
}
