import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Expr, FieldPath, Literal, PathName } from '../ast.ts'
import { defaultQueryLimits } from '../limits.ts'
import { parseFilter } from './parse-filter.ts'
import { printFilter } from './print-filter.ts'

const limits = { ...defaultQueryLimits, filterNodes: 10_000 }
const span = { start: 0, end: 0 }

/** The tree with equal spans, so that two trees can be compared. */
const withoutSpans = (expr: Expr): unknown =>
  JSON.parse(JSON.stringify(expr, (key, value) => (key === 'span' ? undefined : value)))

describe('printFilter', () => {
  const rows: readonly (readonly [input: string, printed: string])[] = [
    ["A  EQ'x'", "A eq 'x'"],
    ["a eq 'O''Hare'", "a eq 'O''Hare'"],
    ['a in(1,-2.50,NULL,True)', 'a in (1, -2.50, null, true)'],
    ['a NIN ( )', 'a nin ()'],
    ['((a eq 1)) or (b eq 2 and c eq 3)', 'a eq 1 or b eq 2 and c eq 3'],
    ['(a eq 1 or b eq 2) and c eq 3', '(a eq 1 or b eq 2) and c eq 3'],
    ['(a eq 1 and b eq 2) and c eq 3', '(a eq 1 and b eq 2) and c eq 3'],
    ['a eq 1 or (b eq 2 or c eq 3)', 'a eq 1 or (b eq 2 or c eq 3)'],
    ['not(a eq 1)', 'not a eq 1'],
    ['not (a eq 1 or b eq 2)', 'not (a eq 1 or b eq 2)'],
    ["NOT NOT STARTSWITH(x['y'].z,'')", "not not startswith(x['y'].z, '')"],
    ['ANY(x)', 'any(x)'],
    ['all(x, (a eq 1 or b eq 2))', 'all(x, a eq 1 or b eq 2)'],
  ]
  for (const [input, printed] of rows) {
    it(`prints ${input} as ${printed}`, () => assert.equal(printFilter(parseFilter(input, limits)), printed))
  }

  it('puts names that are not plain words in brackets', () => {
    const field = (name: string): FieldPath => ({ names: [{ name, quoted: false, span }], span })
    const print = (name: string) =>
      printFilter({
        kind: 'compare',
        operator: 'eq',
        field: field(name),
        literal: { kind: 'null', span },
        span,
      })
    assert.equal(print('Cost centre'), "['Cost centre'] eq null")
    assert.equal(print('and'), "['and'] eq null")
    assert.equal(print("O'Hare"), "['O''Hare'] eq null")
    assert.equal(print('2nd'), "['2nd'] eq null")
    assert.equal(print(''), "[''] eq null")
    assert.equal(print('Kostenträger'), 'Kostenträger eq null')
  })

  it('prints what parses back to the same tree', () => {
    fc.assert(
      fc.property(randomExpr, (expr) => {
        assert.deepEqual(withoutSpans(parseFilter(printFilter(expr), limits)), withoutSpans(expr))
      }),
      { numRuns: 500 },
    )
  })
})

const randomText = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom("'", "''", '', "O'Hare", ') and (', 'ünï\n'),
)

const randomName: fc.Arbitrary<PathName> = fc.oneof(
  fc
    .constantFrom('a', 'bookingDate', '_x1', 'Kostenträger', 'notable', 'asc')
    .map((name) => ({ name, quoted: false, span })),
  fc
    .oneof(randomText, fc.constantFrom('and', 'in', 'Cost centre'))
    .map((name) => ({ name, quoted: true, span })),
)

const randomPath: fc.Arbitrary<FieldPath> = fc
  .array(randomName, { minLength: 1, maxLength: 3 })
  .map((names) => ({ names, span }))

const randomLiteral: fc.Arbitrary<Literal> = fc.oneof(
  randomText.map((value): Literal => ({ kind: 'text', value, span })),
  fc
    .oneof(fc.integer().map(String), fc.constantFrom('0.5', '-1.50', '1e3', '-2.5E-7', '1e+2', '007'))
    .map((text): Literal => ({ kind: 'number', text, span })),
  fc.boolean().map((value): Literal => ({ kind: 'boolean', value, span })),
  fc.constant<Literal>({ kind: 'null', span }),
)

const randomLeaf: fc.Arbitrary<Expr> = fc.oneof(
  fc.record({
    kind: fc.constant('compare' as const),
    operator: fc.constantFrom('eq', 'ne', 'gt', 'ge', 'lt', 'le'),
    field: randomPath,
    literal: randomLiteral,
    span: fc.constant(span),
  }),
  fc.record({
    kind: fc.constant('in' as const),
    negated: fc.boolean(),
    field: randomPath,
    items: fc.array(randomLiteral, { maxLength: 4 }),
    span: fc.constant(span),
  }),
  fc.record({
    kind: fc.constant('match' as const),
    function: fc.constantFrom('contains', 'startswith', 'endswith'),
    field: randomPath,
    text: randomText,
    span: fc.constant(span),
  }),
)

/** Trees over the given leaves, without nested quantifiers. */
function randomTree(leaf: fc.Arbitrary<Expr>): fc.Arbitrary<Expr> {
  const { tree } = fc.letrec<{ tree: Expr }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.record({
        kind: fc.constantFrom('and', 'or'),
        operands: fc.array(tie('tree'), { minLength: 2, maxLength: 4 }),
        span: fc.constant(span),
      }),
      fc.record({ kind: fc.constant('not' as const), operand: tie('tree'), span: fc.constant(span) }),
    ),
  }))
  return tree
}

const randomQuantifier: fc.Arbitrary<Expr> = fc.oneof(
  fc.record({
    kind: fc.constant('quantifier' as const),
    quantifier: fc.constantFrom('any', 'all'),
    collection: randomPath,
    condition: randomTree(randomLeaf),
    span: fc.constant(span),
  }),
  randomPath.map(
    (collection): Expr => ({ kind: 'quantifier', quantifier: 'any', collection, condition: null, span }),
  ),
)

const randomExpr = randomTree(fc.oneof({ weight: 3, arbitrary: randomLeaf }, randomQuantifier))
