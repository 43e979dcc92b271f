/** Two languages, one plan: a version 1 query and the `$filter` with the same meaning become the same data. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseInstant } from '../../src/kernel/calendar.ts'
import { Problem } from '../../src/kernel/problem.ts'
import type { Expr } from '../../src/query/ast.ts'
import { bindQuery } from '../../src/query/bind/bind-query.ts'
import { parseVersion1Parameters } from '../../src/query/caret/parameters.ts'
import { parseClauses } from '../../src/query/caret/parse-clauses.ts'
import { version2Filter } from '../../src/query/caret/version-2-filter.ts'
import { defaultQueryLimits, type QueryLimits } from '../../src/query/limits.ts'
import { parseFilter } from '../../src/query/odata/parse-filter.ts'
import { printFilter } from '../../src/query/odata/print-filter.ts'
import { planQuery } from '../../src/query/plan/plan-query.ts'
import { type Dataset, datasets, type ListName, version1Datasets } from '../../src/schema/datasets.ts'
import type { Field, FieldType } from '../../src/schema/field.ts'
import { campaignSeed, repeated } from '../campaign.ts'
import { anyCharacter } from '../fixtures/any-character.ts'
import { nastyText } from '../fixtures/nasty-texts.ts'

const lists = ['bookings', 'invoices', 'itineraries'] as const
const unlimited: QueryLimits = {
  parameterLength: Infinity,
  filterNodes: Infinity,
  filterDepth: Infinity,
  listItems: Infinity,
  sortClauses: Infinity,
  applyDimensions: Infinity,
  applyAggregates: Infinity,
}

const parse = (list: ListName, raw: string, limits: QueryLimits = defaultQueryLimits) =>
  parseVersion1Parameters([['query', raw]], version1Datasets[list], limits).query.filter

const plan = (dataset: Dataset, filter: Expr | null, labels: readonly string[] = []) =>
  planQuery(bindQuery({ filter, orderBy: [], paging: null, select: null }, dataset, labels))

/** The filter, printed and parsed again. */
const reparsed = (filter: Expr) => parseFilter(printFilter(filter), unlimited)

describe('a random query of version 1', () => {
  for (const list of lists) {
    const dataset = version1Datasets[list]

    it(`over ${list} has the plan of the $filter that it prints as`, () => {
      fc.assert(
        fc.property(randomQuery(dataset.fields), (clauses) => {
          const filter = parse(list, inAddress(clauses))
          assert.ok(filter)
          assert.deepEqual(plan(dataset, filter), plan(dataset, reparsed(filter)))
        }),
        { seed: campaignSeed, numRuns: repeated(100, 20_000) },
      )
    })

    it(`over ${list} translates to a $filter with the plan of the same conditions in version 2`, () => {
      const translatable = dataset.fields.filter(({ name }) => name in nameInVersion2)
      fc.assert(
        fc.property(randomQuery(translatable), (clauses) => {
          const raw = inAddress(clauses)
          const { filter } = version2Filter(parseClauses(raw, defaultQueryLimits), list)
          assert.deepEqual(
            plainly(plan(datasets[list], reparsed(filter), labels).where),
            plainly(plan(dataset, parse(list, raw)).where, renamed),
          )
        }),
        { seed: campaignSeed, numRuns: repeated(100, 20_000) },
      )
    })

    it(`over ${list} has the same meaning in every encoding and letter case`, () => {
      fc.assert(
        fc.property(randomQuery(dataset.fields), (clauses) => {
          const filter = parse(list, inAddress(clauses))
          assert.deepEqual(parse(list, encodeURIComponent(inAddress(clauses))), filter)
          assert.deepEqual(parse(list, encodeURI(inAddress(clauses))), filter)
          assert.deepEqual(parse(list, allButCommas(inAddress(clauses))), filter)
          const shouted = clauses.map((clause) => ({ ...clause, property: clause.property.toUpperCase() }))
          assert.deepEqual(parse(list, inAddress(shouted)), filter)
        }),
        { seed: campaignSeed, numRuns: repeated(50, 5000) },
      )
    })

    it(`over ${list} has the same meaning with raw or encoded carets next to a raw separator`, () => {
      fc.assert(
        fc.property(randomQuery(dataset.fields), (clauses) => {
          // The only exception are values that look encoded.
          fc.pre(!clauses.some(({ items }) => items.some((item) => item.includes('%'))))
          const raw = `${inAddress(clauses)};`
          assert.deepEqual(parse(list, raw.replaceAll('^', '%5E')), parse(list, raw))
        }),
        { seed: campaignSeed, numRuns: repeated(50, 5000) },
      )
    })
  }
})

type RandomClause = {
  readonly property: string
  readonly operator: string
  readonly items: readonly string[]
}

/** Without texts that read as dates: these compare differently with a label of version 2. */
const randomText = nastyText(20)
  .map((text) => text.trim())
  .filter((text) => text !== '' && parseInstant(text) === undefined)

const randomDate = fc
  .date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

const randomNumber = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom('0', '-0', '007', '-1.50', '1e3', '-2.5E-7', '1e-9999', '90071992547.40991'),
)

const randomValue: { readonly [Type in FieldType]: fc.Arbitrary<string> } = {
  text: randomText,
  date: randomDate,
  minute: fc.oneof(randomDate, fc.constantFrom('9999-12-31', '0000-01-01', '1969-12-31')),
  integer: randomNumber,
  decimal: randomNumber,
  boolean: fc.constantFrom('true', 'FALSE', '1', '0'),
}

const ordered = ['GT', 'LT', 'GE', 'LE'] as const

/** Operators by type: those that accept the keyword null, those that do not, and those that accept lists. */
const operators: { readonly [Type in FieldType]: readonly [readonly string[], readonly string[]] } = {
  text: [['CT'], ['IN', 'NI']],
  date: [ordered, ['IN', 'NI']],
  minute: [ordered, ['IN', 'NI']],
  integer: [ordered, ['IN', 'NI']],
  decimal: [ordered, ['IN', 'NI']],
  boolean: [[], []],
}

function randomQuery(fields: readonly Field[]): fc.Arbitrary<readonly RandomClause[]> {
  return fc.array(fc.constantFrom(...fields).chain(randomClause), { minLength: 1, maxLength: 4 })
}

function randomClause({ name, type }: Field): fc.Arbitrary<RandomClause> {
  const [single, list] = operators[type]
  const orNull = fc.oneof(
    { weight: 5, arbitrary: randomValue[type] },
    { weight: 1, arbitrary: fc.constantFrom('null', 'NULL') },
  )
  const one = (arbitrary: fc.Arbitrary<string>) => fc.tuple(arbitrary)
  const clause = (names: readonly string[], items: fc.Arbitrary<readonly string[]>) =>
    names.length === 0
      ? []
      : [fc.record({ property: fc.constant(name), operator: fc.constantFrom(...names), items })]
  return fc.oneof(
    ...clause(['EQ', 'NE'], one(orNull)),
    ...clause(single, one(randomValue[type])),
    ...clause(list, fc.array(orNull, { minLength: 1, maxLength: 5 })),
  )
}

/** As a careful client sends it: separators raw, everything else encoded. */
const inAddress = (clauses: readonly RandomClause[]): string =>
  clauses
    .map(
      ({ property, operator, items }) =>
        `${property}^${operator}${items.map((item) => encodeURIComponent(item)).join(',')}`,
    )
    .join(';')

/** As axios encodes a parameter. */
const allButCommas = (query: string): string => encodeURIComponent(query).replaceAll('%2C', ',')

/** The properties that version 2 has as a field or, if marked, under a label of the client. */
const nameInVersion2: Readonly<Record<string, { readonly field: string } | 'label'>> = {
  recordLocator: { field: 'recordLocator' },
  originatingAgency: { field: 'originatingAgency' },
  clientNumber: { field: 'clientNumber' },
  bookingDate: { field: 'bookingDate' },
  modifiedDateTime: { field: 'modifiedAt' },
  isTicketed: { field: 'isTicketed' },
  isInternational: { field: 'isInternational' },
  tripStartLocal: { field: 'tripStartLocal' },
  tripEndLocal: { field: 'tripEndLocal' },
  invoiceNumber: { field: 'invoiceNumber' },
  invoiceDate: { field: 'invoiceDate' },
  traveller: 'label',
  employeeId: 'label',
  costCentre: 'label',
  purchaseOrder: 'label',
  bookedBy: 'label',
  authorisedBy: 'label',
  customData1: 'label',
  customData2: 'label',
}

/** A client whose labels of custom fields are the names of version 1. */
const labels = Object.entries(nameInVersion2).flatMap(([name, there]) => (there === 'label' ? [name] : []))

type Column = { readonly kind: string; readonly name: string; readonly type: FieldType }

/** A column of version 1 with its name in version 2. */
function renamed({ kind, name, type }: Column): unknown {
  const there = nameInVersion2[name]
  return there === 'label' ? { kind: 'custom', label: name, type } : { kind, name: there?.field, type }
}

const plainly = (where: unknown, rename: (column: Column) => unknown = (column) => column): unknown =>
  JSON.parse(JSON.stringify(where), (_, value) => (value?.kind === 'field' ? rename(value) : value))

describe('any text as a query of version 1', () => {
  const soup =
    'Traveller BookingDate ModifiedDateTime IsTicketed TotalAmount segmentCount Nobody ^ ^ ^ ^EQ ^ne ^GT ^LE ^IN ^NI ^CT ; ; , , null 1 5.5 2026-01-31 abc %5E %3B %2C %20 %25 % %zz %E9 + é 😀'
  const token = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...soup.split(' ')) }, fc.constant(' '))
  const text = fc.oneof(
    fc.array(token, { maxLength: 20 }).map((tokens) => tokens.join('')),
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: anyCharacter }).map((value) => `Traveller^EQ${value}`),
  )

  it('has a plan or is refused with a problem of the query', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...lists), fc.boolean(), (input, list, encoded) => {
        planOrProblem(list, encoded ? encodeURIComponent(input) : input, defaultQueryLimits)
      }),
      { seed: campaignSeed, numRuns: repeated(1000, 100_000) },
    )
  })

  /** Long enough that work which grows with the square of the length would be felt. */
  const longText = (unit: string) => unit.repeat(repeated(2 ** 18, 2 ** 20) / unit.length)
  const hostile = [
    ...[
      '^',
      ';',
      ',',
      '%',
      '+',
      ' ',
      'x',
      '%25',
      '%5E',
      '%3B',
      '%2C',
      '%C3',
      '%C3%A9',
      '%C0%80',
      '^;',
      ';%25',
    ],
    ...[
      'A^EQ',
      'IsTicketed^EQ1;',
      'IsTicketed%5EEQ1%3B',
      'A%5EEQ;',
      'A%5EEQx,%3B',
      '%zz',
      '😀',
      '^%',
      '%^',
      ',%25',
    ],
  ]
  const fronts = ['', 'Traveller^EQ', 'Traveller%5EIN', 'TotalAmount^GT', 'BookingDate^', 'A^GT1e']
  for (const limits of [defaultQueryLimits, unlimited]) {
    for (const front of fronts) {
      it(`is answered at any length: ${front}... ${limits === unlimited ? 'without' : 'within'} limits`, () => {
        for (const unit of hostile) planOrProblem('bookings', front + longText(unit), limits)
      })
    }
  }
})

function planOrProblem(list: ListName, raw: string, limits: QueryLimits): void {
  try {
    plan(version1Datasets[list], parse(list, raw, limits))
  } catch (problem) {
    assert.ok(problem instanceof Problem, String(problem))
    assert.deepEqual([problem.name, problem.hint], ['Problem', undefined])
    assert.match(problem.code, /^QRY4(0|1)\d$/)
    // The message quotes the whole text, whose length is limited.
    assert.ok(problem.message.length < limits.parameterLength + 400, problem.message)
  }
}
