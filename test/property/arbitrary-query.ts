/**
 * Makes random queries over given records. Half of the literals come from the records, respelled with the same meaning, so
 * that filters select something; the other half are nasty. Some names have random letter case. Only `arbitrarySlips` makes
 * queries that are refused.
 */
import fc from 'fast-check'
import type { Expr, FieldPath, Literal, Ordering, Paging, ParsedQuery } from '../../src/query/ast.ts'
import type { JsonElement, JsonRecord, JsonScalar } from '../fixtures/json-record.ts'
import { nastyText, nastyTexts } from '../fixtures/nasty-texts.ts'
import {
  all,
  and,
  any,
  booleanLiteral,
  compare,
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
import { candidatesForLabel, type Scope } from './naive-evaluator.ts'
import { fits, type Kind } from './naive-values.ts'
import { type Collection, kindOfField, recordMembers } from './record-members.ts'

export function arbitraryQuery(records: readonly JsonRecord[], scope: Scope): fc.Arbitrary<ParsedQuery> {
  return fc.record({
    filter: fc.option(arbitraryFilter(records, scope), { freq: 9 }),
    orderBy: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 3, arbitrary: arbitraryOrderBy(records, scope) },
    ),
    paging: fc.option(paging, { freq: 1 }),
    select: fc.constant(null),
  })
}

export function arbitraryFilter(records: readonly JsonRecord[], scope: Scope): fc.Arbitrary<Expr> {
  const whole = recordPlaces(records, scope).map((place) => condition(place, fitting))
  const leaf = fc.oneof({ weight: 4, arbitrary: fc.oneof(...whole) }, ...quantifiers(records, scope, fitting))
  return tree(leaf, 4)
}

/** One comparison of a label with a number, in one of its spellings. The scope has labels. */
export function arbitraryLabelComparison(
  records: readonly JsonRecord[],
  scope: Scope,
): fc.Arbitrary<ParsedQuery & { readonly filter: Expr }> {
  const labels = recordPlaces(records, scope).filter(({ kind }) => kind === 'label')
  const numbers: Literals = (_, known) => {
    const beginnings = known.flatMap((value) => /^-?\d+/.exec(String(value))?.[0] ?? [])
    const spelled = beginnings.length === 0 ? [] : [fc.constantFrom(...beginnings).chain(numberSpelling)]
    return fc.oneof(numberText, ...spelled).map(numberLiteral)
  }
  return fc.record({
    filter: fc.oneof(...labels.map((place) => condition(place, numbers))),
    orderBy: fc.constant([]),
    paging: fc.constant(null),
    select: fc.constant(null),
  })
}

/** Small queries, many of them with a literal that does not fit its field, or with an unknown label. */
export function arbitrarySlips(records: readonly JsonRecord[], scope: Scope): fc.Arbitrary<ParsedQuery> {
  const places = [...recordPlaces(records, scope), unknownLabel]
  const whole = places.map((place) => condition(place, () => anyLiteral))
  const leaf = fc.oneof(
    { weight: 4, arbitrary: fc.oneof(...whole) },
    ...quantifiers(records, scope, () => anyLiteral),
  )
  return fc.record({
    filter: tree(leaf, 1),
    orderBy: fc.oneof(
      { weight: 4, arbitrary: arbitraryOrderBy(records, scope) },
      {
        weight: 1,
        arbitrary: unknownLabel.field.map((field) => [{ field, direction: 'asc' as const }]),
      },
    ),
    paging: fc.constant(null),
    select: fc.constant(null),
  })
}

/** Up to three clauses over fields and labels, repetitions included. */
export function arbitraryOrderBy(
  records: readonly JsonRecord[],
  scope: Scope,
): fc.Arbitrary<readonly Ordering[]> {
  const sortable = recordPlaces(records, scope).filter(({ inCollection }) => !inCollection)
  const clause = fc
    .oneof(...sortable.map(({ field }) => field))
    .chain((field) => fc.record({ field: fc.constant(field), direction: fc.constantFrom('asc', 'desc') }))
  return fc.array(clause, { minLength: 1, maxLength: 3 })
}

const paging: fc.Arbitrary<Paging> = fc
  .record({
    page: fc.integer({ min: 1, max: 4 }),
    pageSize: fc.oneof(fc.integer({ min: 1, max: 7 }), fc.constant(500)),
  })
  .map(({ page, pageSize }) => pageOf(page, pageSize))

/** The paging of a page, counted from 1. */
export const pageOf = (page: number, pageSize: number): Paging => ({
  offset: (page - 1) * pageSize,
  limit: pageSize,
})

/** A field that a condition can test: how it is written, and the values that the records have in it. */
type Place = {
  readonly field: fc.Arbitrary<FieldPath>
  readonly kind: Kind
  readonly values: readonly JsonScalar[]
  readonly inCollection: boolean
}

const unknownLabel: Place = {
  field: fc.constant(path('customDataFields', 'No such label')),
  kind: 'label',
  values: [],
  inCollection: false,
}

function recordPlaces(records: readonly JsonRecord[], scope: Scope): readonly Place[] {
  const { fields, collections } = recordMembers[scope.dataset]
  const places: Place[] = fields.map((name) => ({
    field: pathOf(name),
    kind: kindOfField(name),
    values: records.map((record) => record[name] as JsonScalar),
    inCollection: false,
  }))
  for (const label of scope.labels) {
    const spelled = fc.oneof(
      { weight: 4, arbitrary: fc.constant(label) },
      { weight: 1, arbitrary: typographic(label) },
    )
    places.push({
      field: spelled
        .chain((name) => pathOf('customDataFields', name))
        .filter((path) => isClear(path, label, scope)),
      kind: 'label',
      values: records.map(({ customDataFields }) => own(customDataFields as JsonElement, label)),
      inCollection: false,
    })
  }
  for (const collection of collections) {
    for (const name of collection.fields) {
      const qualified = pathOf(collection.name, name)
      places.push({
        field: fields.includes(name) ? qualified : fc.oneof(qualified, pathOf(name)),
        kind: kindOfField(name),
        values: elementValues(records, collection, name),
        inCollection: true,
      })
    }
  }
  return places
}

/** `any(segments)`, and `any` and `all` over trees of conditions on the fields of an element. */
function quantifiers(
  records: readonly JsonRecord[],
  scope: Scope,
  literals: Literals,
): readonly fc.Arbitrary<Expr>[] {
  return recordMembers[scope.dataset].collections.flatMap((collection) =>
    quantifiersOf(collection, records, literals),
  )
}

function quantifiersOf(
  of: Collection,
  records: readonly JsonRecord[],
  literals: Literals,
): readonly fc.Arbitrary<Expr>[] {
  const collection = pathOf(of.name)
  const conditions = of.fields.map((name) =>
    condition(
      {
        field: pathOf(name),
        kind: kindOfField(name),
        values: elementValues(records, of, name),
        inCollection: false,
      },
      literals,
    ),
  )
  const ofElement = tree(fc.oneof(...conditions), 2)
  return [
    collection.map((field) => any(field, null)),
    fc.tuple(collection, ofElement).map(([field, holds]) => any(field, holds)),
    fc.tuple(collection, ofElement).map(([field, holds]) => all(field, holds)),
  ]
}

function tree(leaf: fc.Arbitrary<Expr>, maxDepth: number): fc.Arbitrary<Expr> {
  const { expr } = fc.letrec<{ expr: Expr }>((tie) => {
    const operands = fc.array(tie('expr'), { minLength: 2, maxLength: 4 })
    return {
      expr: fc.oneof(
        { maxDepth, depthSize: 'small', withCrossShrink: true },
        { weight: 4, arbitrary: leaf },
        { weight: 1, arbitrary: operands.map((list) => and(...list)) },
        { weight: 2, arbitrary: operands.map((list) => or(...list)) },
        { weight: 1, arbitrary: tie('expr').map(not) },
      ),
    }
  })
  return expr
}

type Known = readonly (string | number | boolean)[]

/** The literals to compare with a field of a kind that has these values. */
type Literals = (kind: Kind, known: Known) => fc.Arbitrary<Literal>

const fitting: Literals = (kind, known) =>
  known.length === 0
    ? literalsFor[kind]
    : fc.oneof(
        literalsFor[kind],
        fc
          .constantFrom(...known)
          .chain(respelled)
          .filter((literal) => fits(literal, kind, 'eq')),
      )

function condition({ field, kind, values }: Place, literals: Literals): fc.Arbitrary<Expr> {
  const known = values.filter((value) => value !== null)
  const literal = literals(kind, known)
  const operator = fc.constantFrom('eq', 'ne', 'gt', 'ge', 'lt', 'le')
  const items = fc.array(literal, { maxLength: 5 })
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(field, operator, literal)
        .filter(([, o, l]) => literals !== fitting || fits(l, kind, o))
        .map(([f, o, l]) => compare(f, o, l)),
    },
    { weight: 1, arbitrary: fc.tuple(field, items).map(([f, list]) => isIn(f, list)) },
    { weight: 1, arbitrary: fc.tuple(field, items).map(([f, list]) => isNotIn(f, list)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('contains', 'startswith', 'endswith'), field, soughtText(known))
        .map(([name, f, text]) => match(name, f, text)),
    },
  )
}

const numberText = fc.oneof(
  fc.constantFrom(
    '0',
    '1',
    '-1',
    '10',
    '10.0',
    '1e1',
    '1E+1',
    '-5',
    '0.00001',
    '1e-5',
    '0.000011',
    '7',
    '2026',
    '1e20',
    // Texts that are no numbers compare with the digits as they are written.
    '1.0',
    '1.00',
    '1e0',
    '10.00',
    '007',
    '1200e-2',
    '1'.padEnd(61, '0'),
    '1'.padEnd(402, '0'),
  ),
  fc.constantFrom(
    '-0',
    '60000000000',
    '-60000000000.00001',
    '99999999999',
    '0.1',
    '12.5',
    '2e1',
    '2147483648',
  ),
  fc.integer({ min: -2_000_000, max: 2_000_000 }).map((scaled) => `${scaled}e-5`),
)

const instantText = fc.constantFrom(
  '2026-01-01',
  '2026-01-01T00:00',
  '2026-01-01 09:30:00.000',
  '2026-01-01T00:00:30',
  '2024-02-29T23:59:59.999Z',
  '9999-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00.1Z',
  '1970-01-01T00:00-00:00',
)

const instantWithOffset = fc.constantFrom(
  '2026-01-01T09:30+09:30',
  '2025-12-31T14:00-10:00',
  '0000-01-01T00:00-23:59',
  '0000-01-01T00:00+23:59',
)

const anyLiteral: fc.Arbitrary<Literal> = fc.oneof(
  { weight: 3, arbitrary: fc.oneof(nastyText(), fc.constant('')).map(textLiteral) },
  { weight: 2, arbitrary: numberText.map(numberLiteral) },
  { weight: 2, arbitrary: fc.oneof(instantText, instantWithOffset).map(textLiteral) },
  { weight: 1, arbitrary: fc.boolean().map(booleanLiteral) },
  { weight: 1, arbitrary: fc.constant(nullLiteral) },
)

const instant = instantText.map(textLiteral)
const number = fc.oneof(numberText.map(numberLiteral), numberText.map(textLiteral))
const text = fc.oneof(nastyText(), fc.constant(''), instantText, instantWithOffset).map(textLiteral)
const truth = fc.constantFrom(
  ...[true, false].map(booleanLiteral),
  ...['1', '0', '1.0', '-0', '10e-1'].map(numberLiteral),
  ...['true', 'False', 'TRUE', '1', '0'].map(textLiteral),
)
const nullable = (literal: fc.Arbitrary<Literal>): fc.Arbitrary<Literal> =>
  fc.oneof({ weight: 8, arbitrary: literal }, { weight: 1, arbitrary: fc.constant(nullLiteral) })

/** Literals that fit, of every form that does. */
const literalsFor: { readonly [K in Kind]: fc.Arbitrary<Literal> } = {
  label: anyLiteral,
  text: nullable(fc.oneof(text, number)),
  date: nullable(instant),
  minute: nullable(instant),
  'utc-minute': nullable(fc.oneof(instant, instantWithOffset.map(textLiteral))),
  number: nullable(number),
  boolean: nullable(truth),
}

/** A value of the data in one of the ways in which a filter can spell it. */
function respelled(value: string | number | boolean): fc.Arbitrary<Literal> {
  const text = String(value)
  const asText = fc
    .constantFrom(text, text.toLowerCase(), text.toUpperCase(), text.replace('T', ' '))
    .map(textLiteral)
  if (typeof value === 'boolean') {
    const digit = value ? '1' : '0'
    return fc.oneof(fc.constantFrom(booleanLiteral(value), numberLiteral(digit), textLiteral(digit)), asText)
  }
  if (isNumber(text))
    return fc.oneof(numberSpelling(text).map(numberLiteral), numberSpelling(text).map(textLiteral), asText)
  if (/^(true|false)$/i.test(text)) return fc.oneof(fc.constant(booleanLiteral(/^true$/i.test(text))), asText)
  const sameInstant = /T\d\d:\d\d$/.test(text)
    ? [`${text}Z`, `${text}:00.0`, `${text}:00+00:00`]
    : [`${text}T00:00`]
  return fc.oneof(asText, fc.constantFrom(...sameInstant).map(textLiteral))
}

/** True for texts with the form of a number literal, except those with large exponents. */
const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?([eE][+-]?[0-2]?\d)?$/.test(text)

function numberSpelling(text: string): fc.Arbitrary<string> {
  if (/e/i.test(text)) return fc.constant(text)
  const padded = text.includes('.') ? `${text}00` : `${text}.0`
  return fc.constantFrom(
    text,
    padded,
    `${text}e0`,
    `${text}E+0`,
    `${padded}00001`,
    text.replace(/^(-?)/, '$10'),
  )
}

/** Part of a value of the data, or any text. */
function soughtText(known: Known): fc.Arbitrary<string> {
  const other = fc.oneof(fc.constantFrom(...nastyTexts, ''), nastyText(3))
  if (known.length === 0) return other
  const part = fc
    .tuple(
      fc.constantFrom(...known),
      fc.nat({ max: 6 }),
      fc.nat({ max: 6 }),
      fc.constantFrom('as is', 'lower', 'upper'),
    )
    .map(([value, from, length, spelling]) => {
      const letters = [...String(value)]
      const start = from % (letters.length + 1)
      const text = letters.slice(start, length === 6 ? undefined : start + length).join('')
      return spelling === 'lower' ? text.toLowerCase() : spelling === 'upper' ? text.toUpperCase() : text
    })
  return fc.oneof({ weight: 2, arbitrary: part }, { weight: 1, arbitrary: other })
}

/** Names mostly in the letter case of the documents, otherwise in any. */
function pathOf(...names: readonly string[]): fc.Arbitrary<FieldPath> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(path(...names)) },
    { weight: 1, arbitrary: fc.tuple(...names.map(inAnyCase)).map((spelled) => path(...spelled)) },
  )
}

/** Whether a name means this label and no other one. */
function isClear({ names }: FieldPath, label: string, { labels }: Scope): boolean {
  const [only, ...others] = candidatesForLabel(names[1]?.name ?? '', labels)
  return only === label && others.length === 0
}

/** A label as a word processor would write it. */
const typographic = (label: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    label.replaceAll("'", '’').replaceAll('-', '–').replaceAll('"', '“').replaceAll(' ', '\u00a0'),
    label.normalize('NFD'),
  )

const inAnyCase = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(name.toLowerCase(), name.toUpperCase()),
    fc.mixedCase(fc.constant(name), { toggleCase: swappedCase }),
  )

const swappedCase = (letter: string): string =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()

function elementValues(
  records: readonly JsonRecord[],
  { name: collection }: Collection,
  name: string,
): readonly JsonScalar[] {
  return records.flatMap((record) =>
    (record[collection] as readonly JsonElement[]).map((element) => own(element, name)),
  )
}

const own = (element: JsonElement, name: string): JsonScalar =>
  Object.hasOwn(element, name) ? (element[name] ?? null) : null
