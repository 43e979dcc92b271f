import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compareCodePoints } from '../../kernel/text.ts'
import { columnKey } from './plan-key.ts'
import type { ColumnRef, Comparand, Predicate, QueryPlan, SortKey } from './plan-nodes.ts'
import { planQuery } from './plan-query.ts'

const field = (name: string): ColumnRef => ({
  kind: 'field',
  name,
  type: name === 'bookingDate' ? 'date' : 'text',
})
const text = (folded: string): Comparand => ({ as: 'text', folded })
const eq = (name: string, value: string): Predicate => ({
  kind: 'compare',
  column: field(name),
  comparison: 'eq',
  comparand: text(value),
})
const gt = (name: string, value: string): Predicate => ({
  kind: 'compare',
  column: field(name),
  comparison: 'gt',
  comparand: text(value),
})
const oneOf = (name: string, values: readonly string[], orNull = false): Predicate => ({
  kind: 'one-of',
  column: field(name),
  comparands: values.map(text),
  orNull,
})
const isNull = (name: string): Predicate => ({ kind: 'is-null', column: field(name) })
const any = (condition: Predicate | null): Predicate => ({ kind: 'any', collection: 'segments', condition })
const not = (operand: Predicate): Predicate => ({ kind: 'not', operand })
const and = (...operands: readonly Predicate[]): Predicate => ({ kind: 'and', operands })
const or = (...operands: readonly Predicate[]): Predicate => ({ kind: 'or', operands })
const yes: Predicate = { kind: 'constant', value: true }
const no: Predicate = { kind: 'constant', value: false }

const plan = (where: Predicate | null, orderBy: readonly SortKey[] = []): QueryPlan => ({
  dataset: 'itineraries',
  where,
  orderBy,
  paging: null,
  select: null,
})

describe('planQuery', () => {
  const rows: readonly (readonly [what: string, before: Predicate | null, after: Predicate | null])[] = [
    ['keeps no filter', null, null],
    ['keeps a comparison', gt('a', 'x'), gt('a', 'x')],
    ['makes an empty list false', oneOf('a', []), no],
    ['drops a filter that denies an empty list', not(oneOf('a', [])), null],
    ['makes a list of null a test for null', oneOf('a', [], true), isNull('a')],
    ['makes a list of one an equality', oneOf('a', ['x', 'x']), eq('a', 'x')],
    ['keeps a list of one and null', oneOf('a', ['x'], true), oneOf('a', ['x'], true)],
    ['sorts a list and drops repetitions', oneOf('a', ['y', 'x', 'y']), oneOf('a', ['x', 'y'])],
    ['drops true from and', and(yes, gt('a', 'x'), yes), gt('a', 'x')],
    ['decides and by false', and(gt('a', 'x'), no), no],
    ['drops false from or', or(no, gt('a', 'x')), gt('a', 'x')],
    ['decides or by true', or(gt('a', 'x'), not(no)), null],
    ['makes any of a false condition false', any(no), no],
    [
      'drops a repeated operand',
      or(gt('a', 'x'), gt('b', 'x'), gt('a', 'x')),
      or(gt('a', 'x'), gt('b', 'x')),
    ],
    ['drops a repeated any without a condition', and(any(null), any(null)), any(null)],
    ['replaces a junction of equal operands by the operand', and(gt('a', 'x'), gt('a', 'x')), gt('a', 'x')],
    [
      'drops an operand that is repeated in another order',
      or(and(gt('a', 'x'), gt('b', 'x')), and(gt('b', 'x'), gt('a', 'x'))),
      and(gt('a', 'x'), gt('b', 'x')),
    ],
    [
      'flattens junctions that repetitions kept apart',
      or(gt('a', 'x'), and(or(gt('b', 'x'), gt('b', 'y')), or(gt('b', 'x'), gt('b', 'y')))),
      or(gt('a', 'x'), gt('b', 'x'), gt('b', 'y')),
    ],
    [
      'merges two any joined by or',
      or(any(gt('e', 'x')), any(gt('e', 'y'))),
      any(or(gt('e', 'x'), gt('e', 'y'))),
    ],
    ['merges equalities of elements', or(any(eq('e', 'x')), any(eq('e', 'y'))), any(oneOf('e', ['x', 'y']))],
    [
      'merges any with any without a condition',
      or(any(gt('e', 'x')), gt('a', 'x'), any(null)),
      or(any(null), gt('a', 'x')),
    ],
    [
      'keeps two any joined by and',
      and(any(gt('e', 'x')), any(gt('e', 'y'))),
      and(any(gt('e', 'x')), any(gt('e', 'y'))),
    ],
    [
      'merges two all joined by and',
      and(not(any(not(gt('e', 'x')))), not(any(not(gt('e', 'y'))))),
      not(any(or(not(gt('e', 'x')), not(gt('e', 'y'))))),
    ],
    [
      'keeps two denied any joined by or',
      or(not(any(gt('e', 'x'))), not(any(gt('e', 'y')))),
      or(not(any(gt('e', 'x'))), not(any(gt('e', 'y')))),
    ],
    ['drops a true condition of any', any(or(yes, eq('e', 'x'))), any(null)],
    ['folds from the inside out', not(any(and(eq('e', 'x'), oneOf('e', [])))), null],
    ['drops a double not', not(not(gt('a', 'x'))), gt('a', 'x')],
    ['reduces three not to one', not(not(not(gt('a', 'x')))), not(gt('a', 'x'))],
    ['drops a double not that folding brings together', not(and(yes, not(gt('a', 'x')))), gt('a', 'x')],
    [
      'flattens junctions that a double not kept apart',
      and(gt('a', 'x'), not(not(and(gt('b', 'x'), and(gt('a', 'y'), gt('b', 'y')))))),
      and(gt('a', 'x'), gt('b', 'x'), gt('a', 'y'), gt('b', 'y')),
    ],
    [
      'keeps and within or',
      or(and(gt('a', 'x'), gt('b', 'x')), gt('a', 'y')),
      or(and(gt('a', 'x'), gt('b', 'x')), gt('a', 'y')),
    ],
    ['merges equalities of one column', or(eq('a', 'y'), eq('a', 'x'), eq('a', 'y')), oneOf('a', ['x', 'y'])],
    [
      'merges equalities across nested or, with lists and null',
      or(eq('a', 'y'), gt('b', 'x'), or(isNull('a'), oneOf('a', ['x', 'z']))),
      or(oneOf('a', ['x', 'y', 'z'], true), gt('b', 'x')),
    ],
    ['merges the same equality into itself', or(eq('a', 'x'), eq('a', 'x')), eq('a', 'x')],
    [
      'drops a list that merged equalities repeat',
      and(or(isNull('a'), eq('a', 'x')), oneOf('a', ['x'], true)),
      oneOf('a', ['x'], true),
    ],
    ['keeps equalities of several columns', or(eq('a', 'x'), eq('b', 'x')), or(eq('a', 'x'), eq('b', 'x'))],
    ['keeps equalities within and', and(eq('a', 'x'), eq('a', 'y')), and(eq('a', 'x'), eq('a', 'y'))],
    ['merges inside any', any(or(eq('e', 'x'), eq('e', 'y'))), any(oneOf('e', ['x', 'y']))],
  ]
  for (const [what, before, after] of rows) {
    it(what, () => assert.deepEqual(planQuery(plan(before)), plan(after)))
  }

  const key = (name: string, descending = false): SortKey => ({ column: field(name), descending })
  const sorts: readonly (readonly [what: string, before: readonly SortKey[], after: readonly SortKey[]])[] = [
    ['keeps sort keys', [key('a'), key('b', true)], [key('a'), key('b', true)]],
    ['drops a repeated sort key', [key('a'), key('b'), key('a', true)], [key('a'), key('b')]],
    [
      'keeps a text of the default order, which has texts by code point',
      [key('bookingDate'), key('recordLocator')],
      [key('bookingDate'), key('recordLocator')],
    ],
    ['drops the beginning of the default order', [key('bookingDate')], []],
    ['drops the default order at the end', [key('a', true), key('bookingDate')], [key('a', true)]],
    [
      'drops the default order around a repeated key',
      [key('a'), key('bookingDate'), key('bookingDate', true)],
      [key('a')],
    ],
    ['keeps the default order descending', [key('bookingDate', true)], [key('bookingDate', true)]],
    [
      'keeps keys that begin in the middle of the default order',
      [key('recordLocator')],
      [key('recordLocator')],
    ],
    [
      'keeps the default order before other keys',
      [key('bookingDate'), key('a')],
      [key('bookingDate'), key('a')],
    ],
    [
      'keeps a label with the name of the first column',
      [{ column: { kind: 'custom', label: 'bookingDate', type: 'text' }, descending: false }],
      [{ column: { kind: 'custom', label: 'bookingDate', type: 'text' }, descending: false }],
    ],
  ]
  for (const [what, before, after] of sorts) {
    it(what, () => assert.deepEqual(planQuery(plan(null, before)), plan(null, after)))
  }
})

/** A record of two nullable columns, two that are the default order, and elements of one column. */
type Row = {
  readonly a: string | null
  readonly b: string | null
  readonly bookingDate: string
  readonly recordLocator: string
  readonly segments: readonly { readonly e: string | null }[]
}

const values = [null, 'x', 'y'] as const
const collections: readonly Row['segments'][] = [[], [{ e: null }], [{ e: 'x' }], [{ e: 'x' }, { e: 'y' }]]
const rows: readonly Row[] = values.flatMap((a) =>
  values.flatMap((b) =>
    collections.map((segments, i) => ({
      a,
      b,
      segments,
      bookingDate: String(i % 2),
      recordLocator: `${a}${b}${i}`,
    })),
  ),
)

const fieldOf = (owner: object, column: ColumnRef): unknown => Reflect.get(owner, columnKey(column))

/** A naive evaluator of predicates. */
function holds(predicate: Predicate, owner: object): boolean {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value
    case 'and':
      return predicate.operands.every((operand) => holds(operand, owner))
    case 'or':
      return predicate.operands.some((operand) => holds(operand, owner))
    case 'not':
      return !holds(predicate.operand, owner)
    case 'is-null':
      return fieldOf(owner, predicate.column) === null
    case 'compare': {
      const value = fieldOf(owner, predicate.column)
      const wanted = predicate.comparand.as === 'text' ? predicate.comparand.folded : ''
      return typeof value === 'string' && (predicate.comparison === 'eq' ? value === wanted : value > wanted)
    }
    case 'one-of': {
      const value = fieldOf(owner, predicate.column)
      if (value === null) return predicate.orNull
      return predicate.comparands.some((comparand) => comparand.as === 'text' && comparand.folded === value)
    }
    case 'match':
      return false
    case 'any': {
      const elements: unknown = Reflect.get(owner, predicate.collection)
      assert.ok(Array.isArray(elements))
      return elements.some((element) => predicate.condition === null || holds(predicate.condition, element))
    }
  }
}

function sorted(orderBy: readonly SortKey[]): readonly Row[] {
  const keys = [
    ...orderBy,
    ...['bookingDate', 'recordLocator'].map((name) => ({ column: field(name), descending: false })),
  ]
  return [...rows].sort((left, right) => {
    for (const { column, descending } of keys) {
      const compared = compareValues(fieldOf(left, column), fieldOf(right, column))
      if (compared !== 0) return descending ? -compared : compared
    }
    return 0
  })
}

function compareValues(a: unknown, b: unknown): number {
  if (typeof a !== 'string' || typeof b !== 'string') return Number(a === null) - Number(b === null)
  return compareCodePoints(a, b)
}

const randomLeaf = (...names: readonly string[]): fc.Arbitrary<Predicate> => {
  const name = fc.constantFrom(...names)
  const value = fc.constantFrom('x', 'y', 'z')
  return fc.oneof(
    fc.boolean().map((constant): Predicate => ({ kind: 'constant', value: constant })),
    name.map(isNull),
    fc.tuple(name, value).map(([n, v]) => eq(n, v)),
    fc.tuple(name, value).map(([n, v]) => gt(n, v)),
    fc
      .tuple(name, fc.array(value, { maxLength: 3 }), fc.boolean())
      .map(([n, v, orNull]) => oneOf(n, v, orNull)),
  )
}

function randomPredicate(leaf: fc.Arbitrary<Predicate>): fc.Arbitrary<Predicate> {
  const { tree } = fc.letrec<{ tree: Predicate }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }).map((operands) => and(...operands)),
      fc.array(tie('tree'), { maxLength: 4 }).map((operands) => or(...operands)),
      tie('tree').map(not),
    ),
  }))
  return tree
}

const randomWhere = randomPredicate(
  fc.oneof(
    randomLeaf('a', 'b'),
    fc.option(randomPredicate(randomLeaf('e')), { freq: 5 }).map((condition) => any(condition)),
  ),
)

const randomOrder = fc.array(
  fc.record({
    column: fc.constantFrom('a', 'b', 'bookingDate', 'recordLocator').map(field),
    descending: fc.boolean(),
  }),
  { maxLength: 5 },
)

describe('planQuery of any plan', () => {
  it('keeps the answer', () => {
    fc.assert(
      fc.property(randomWhere, (where) => {
        const normalised = planQuery(plan(where)).where
        for (const row of rows) {
          assert.equal(normalised === null || holds(normalised, row), holds(where, row))
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps the order', () => {
    fc.assert(
      fc.property(randomOrder, (orderBy) => {
        assert.deepEqual(sorted(planQuery(plan(null, orderBy)).orderBy), sorted(orderBy))
      }),
    )
  })

  it('does not change a plan that is planned again', () => {
    fc.assert(
      fc.property(randomWhere, randomOrder, (where, orderBy) => {
        const once = planQuery(plan(where, orderBy))
        assert.deepEqual(planQuery(once), once)
      }),
      { numRuns: 1000 },
    )
  })
})
