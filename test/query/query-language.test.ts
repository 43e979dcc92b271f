/** The version 2 language from text to plan. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { QueryProblem } from '../../src/kernel/problem.ts'
import { bindQuery } from '../../src/query/bind/bind-query.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import { parseParameters } from '../../src/query/odata/parameters.ts'
import { planKey } from '../../src/query/plan/plan-key.ts'
import { planQuery } from '../../src/query/plan/plan-query.ts'
import { datasets, type ListName } from '../../src/schema/datasets.ts'

const labels = ['Cost centre', 'Kostenträger', 'in']

function keyOf(dataset: ListName, ...pairs: readonly (readonly [name: string, value: string])[]): string {
  const { query, texts } = parseParameters(pairs, defaultQueryLimits)
  return planKey(planQuery(bindQuery(query, datasets[dataset], labels, texts)))
}

describe('queries that mean the same', () => {
  const rows: readonly (readonly [dataset: ListName, a: string, b: string])[] = [
    ['invoices', "company ne 'a'", "not company eq 'a'"],
    ['invoices', "company nin ('a', null)", "not company in ('a', null)"],
    ['invoices', "lineItems.lineType eq 'a'", "any(lineItems, lineType eq 'a')"],
    ['invoices', "lineItems.lineType ne 'a'", "not any(lineItems, lineType eq 'a')"],
    ['invoices', "lineItems.lineType nin ('a')", "not any(lineItems, lineType eq 'a')"],
    ['itineraries', "all(segments, status eq 'HK')", "not any(segments, status ne 'HK')"],
    ['itineraries', "all(segments, status ne 'HK')", "not any(segments, status eq 'HK')"],
    ['bookings', "bookingDate ge '2026-01-01'", "bookingDate ge '2026-01-01T00:00Z'"],
    ['bookings', "modifiedAt lt '2026-01-01T10:00'", "modifiedAt lt '2026-01-01 10:00:00-00:00'"],
    ['bookings', "tripEndUtc lt '2026-01-01T10:00'", "tripEndUtc lt '2026-01-01 12:00:00+02:00'"],
    ['invoices', 'lineItems.quantity gt 1.50', "lineItems.quantity gt '15e-1'"],
    ['bookings', 'originatingAgency eq 1.0', 'originatingAgency eq 1'],
    ['bookings', 'isTicketed eq 1', 'isTicketed eq true'],
    ['bookings', "isTicketed ne '0'", 'isTicketed ne false'],
    ['bookings', "isTicketed in ('TRUE', 0)", 'isTicketed in (true, false)'],
    ['invoices', "lineType in ('FARE', 'TAX')", "lineItems.lineType in ('FARE', 'TAX')"],
    ['invoices', 'quantity gt 1', 'any(lineItems, quantity gt 1)'],
    ['bookings', "originatingAgency eq 'SYDNEY'", "originatingAgency eq 'sydney'"],
    ['bookings', "recordLocator in ('a','b')", "recordLocator eq 'b' or recordLocator eq 'A'"],
    [
      'bookings',
      'isTicketed eq true and isInternational eq false',
      '(isInternational eq false) and isTicketed eq true',
    ],
    ['bookings', "customDataFields['COST CENTRE'] eq 'x'", "customDataFields['Cost centre'] eq 'X'"],
    ['bookings', "customDataFields.kostenTRÄGER eq 'x'", "customDataFields['Kostenträger'] eq 'x'"],
  ]
  for (const [dataset, a, b] of rows) {
    it(`${a} is ${b}`, () => assert.equal(keyOf(dataset, ['filter', a]), keyOf(dataset, ['filter', b])))
  }

  it('have one key in every spelling', () => {
    fc.assert(
      fc.property(randomFilter, randomOrder, fc.infiniteStream(fc.nat()), (filter, order, choices) => {
        const plain = keyOf(
          'invoices',
          ['$filter', filter.map(plainly).join(' ')],
          ['$orderby', order.map(plainly).join(' ')],
        )
        const respelled = (tokens: readonly Piece[]) =>
          tokens.map((token) => respell(token, choices)).join('')
        const other = keyOf('invoices', ['ORDERBY', respelled(order)], ['Filter', respelled(filter)])
        assert.equal(other, plain)
      }),
      { numRuns: 300 },
    )
  })
})

/** A piece of a query: words may have any letter case, and all pieces may have blanks around them. */
type Piece = { readonly text: string; readonly word: boolean }

const word = (text: string): Piece => ({ text, word: true })
const fixed = (text: string): Piece => ({ text, word: false })
const plainly = ({ text }: Piece): string => text

function respell({ text, word: anyCase }: Piece, choices: fc.Stream<number>): string {
  const next = () => choices.next().value ?? 0
  const letters = anyCase
    ? [...text].map((c) => (next() % 2 ? c.toUpperCase() : c.toLowerCase())).join('')
    : text
  const blanks = [' ', '  ', '\n', '\t '][next() % 4] ?? ' '
  return next() % 2 ? `${blanks}${letters} ` : ` ${letters}${blanks}`
}

/** A path with literals that fit it. */
type Subject = { readonly path: readonly Piece[]; readonly literals: readonly Piece[] }

const [text, number, truth, nothing, date] = [
  fixed("'O''Hare'"),
  fixed('-1.5e3'),
  word('true'),
  word('null'),
  fixed("'2026-01-01'"),
] as const

const randomSubject = fc.constantFrom<Subject[]>(
  { path: [word('company')], literals: [text, number, date, nothing] },
  { path: [word('invoiceDate')], literals: [date, nothing] },
  { path: [word('lineItems'), fixed('.'), word('quantity')], literals: [number, nothing] },
  { path: [word('lineType')], literals: [text, number, nothing] },
  {
    path: [word('customDataFields'), fixed("['Cost centre']")],
    literals: [text, number, truth, nothing, date],
  },
  {
    path: [word('customDataFields'), fixed('.'), word('Kostenträger')],
    literals: [text, number, truth, nothing, date],
  },
)

const randomComparison = randomSubject.chain(({ path, literals }) =>
  fc
    .tuple(fc.constantFrom('eq', 'ne', 'gt', 'ge', 'lt', 'le'), fc.constantFrom(...literals))
    .map(([operator, literal]) => [...path, word(operator), literal]),
)

const randomMembership = randomSubject.chain(({ path, literals }) =>
  fc
    .tuple(fc.constantFrom('in', 'nin'), fc.array(fc.constantFrom(...literals), { maxLength: 3 }))
    .map(([operator, items]) => [
      ...path,
      word(operator),
      fixed('('),
      ...items.flatMap((item, i) => (i === 0 ? [item] : [fixed(','), item])),
      fixed(')'),
    ]),
)

const randomCondition: fc.Arbitrary<readonly Piece[]> = fc.oneof(
  randomComparison,
  randomMembership,
  fc
    .tuple(fc.constantFrom('contains', 'startswith', 'endswith'), randomSubject)
    .map(([name, { path }]) => [word(name), fixed('('), ...path, fixed(','), fixed("'x'"), fixed(')')]),
  fc
    .constantFrom('any', 'all')
    .map((name) => [
      ...[word(name), fixed('('), word('lineItems'), fixed(',')],
      ...[word('lineType'), word('eq'), fixed("'FARE'"), fixed(')')],
    ]),
)

const randomFilter: fc.Arbitrary<readonly Piece[]> = fc
  .array(fc.tuple(fc.constantFrom('and', 'or'), fc.boolean(), randomCondition), {
    minLength: 1,
    maxLength: 5,
  })
  .map((conditions) =>
    conditions.flatMap(([junction, negated, condition], i) => [
      ...(i === 0 ? [] : [word(junction)]),
      ...(negated ? [word('not')] : []),
      ...condition,
    ]),
  )

const randomOrder: fc.Arbitrary<readonly Piece[]> = fc
  .array(fc.tuple(fc.constantFrom('company', 'invoiceDate', 'dueDate'), fc.constantFrom('asc', 'desc')), {
    minLength: 1,
    maxLength: 4,
  })
  .map((clauses) =>
    clauses.flatMap(([name, direction], i) => [
      ...(i === 0 ? [] : [fixed(',')]),
      word(name),
      word(direction),
    ]),
  )

describe('a random sequence of words of the language', () => {
  const soup =
    "and or not eq ne gt in nin ( ) ( ) , . company lineItems segments customDataFields ['Cost centre'] quantity x 'y' 1 null any all contains"
  const token = fc.constantFrom(...soup.split(/ (?!centre)/))
  const sentence = fc.array(token, { maxLength: 30 }).map((tokens) => tokens.join(' '))
  // Mostly well-formed, to reach binding: one random token within a valid filter.
  const slip = fc.tuple(token, fc.nat({ max: 12 })).map(([replacement, at]) => {
    const filter =
      "company eq 1 and any ( lineItems , quantity gt 1 ) or not contains ( customDataFields . x , 'y' )"
    return filter.split(' ').toSpliced(at, 1, replacement).join(' ')
  })

  it('has a plan or a problem within the text', () => {
    fc.assert(
      fc.property(fc.oneof(sentence, slip), fc.constantFrom('$filter', '$orderby'), (input, name) => {
        for (const dataset of ['bookings', 'invoices', 'itineraries'] as const) {
          try {
            keyOf(dataset, [name, input])
          } catch (problem) {
            assert.ok(problem instanceof QueryProblem, String(problem))
            assert.ok(problem.column !== undefined && problem.column >= 0 && problem.column <= input.length)
            assert.equal(problem.input, input)
            assert.equal(problem.parameter, name)
          }
        }
      }),
      { numRuns: 1500 },
    )
  })

  it('has binding problems that point at the name in the text', () => {
    const input = "company eq 'x' and  any( lineItems, lineTyp eq 'y' )"
    assert.throws(() => keyOf('invoices', ['filter', input]), {
      name: 'QueryProblem',
      code: 'QRY201',
      parameter: '$filter',
      column: input.indexOf('lineTyp'),
      input,
    })
  })
})
