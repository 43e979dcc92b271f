import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseDecimal } from '../../kernel/decimal.ts'
import { planKey } from './plan-key.ts'
import type { ColumnRef, Comparand, Predicate, QueryPlan } from './plan-nodes.ts'

const everything: QueryPlan = { dataset: 'bookings', where: null, orderBy: [], paging: null, select: null }
const field = (name: string): ColumnRef => ({ kind: 'field', name, type: 'text' })
const custom = (label: string): ColumnRef => ({ kind: 'custom', label, type: 'text' })
const text = (folded: string): Comparand => ({ as: 'text', folded })
const is = (column: ColumnRef, comparand: Comparand): Predicate => ({
  kind: 'compare',
  column,
  comparison: 'eq',
  comparand,
})
const key = (where: Predicate) => planKey({ ...everything, where })

function decimal(digits: string) {
  const value = parseDecimal(digits)
  assert.ok(value)
  return value
}

describe('planKey', () => {
  it('names dataset, filter, order and page', () => {
    const column = field('recordLocator')
    const plan: QueryPlan = {
      dataset: 'itineraries',
      where: {
        kind: 'and',
        operands: [
          { kind: 'not', operand: { kind: 'is-null', column: custom('Cost centre') } },
          { kind: 'any', collection: 'segments', condition: is(field('status'), text('hk')) },
          { kind: 'any', collection: 'segments', condition: null },
          { kind: 'match', column, function: 'contains', folded: 'a"b' },
          { kind: 'one-of', column, comparands: [text('x'), { as: 'boolean', value: true }], orNull: true },
          { kind: 'constant', value: false },
        ],
      },
      orderBy: [
        { column, descending: true },
        { column: custom('Dept'), descending: false },
      ],
      paging: { offset: 50, limit: 50 },
      select: null,
    }
    assert.equal(
      planKey(plan),
      'itineraries|and(any(segments),any(segments,eq(status,"hk")),contains(recordLocator,"a\\"b"),false,' +
        'in(recordLocator,"x",btrue,null),not(null(custom"Cost centre")))|-recordLocator,+custom"Dept"|50+50',
    )
  })

  it('is equal whatever the order of operands', () => {
    const [a, b] = [is(field('a'), text('1')), is(field('b'), text('2'))]
    assert.equal(key({ kind: 'or', operands: [a, b] }), key({ kind: 'or', operands: [b, a] }))
  })

  it('distinguishes labels from the structure around them', () => {
    const isNull = (label: string): Predicate => ({ kind: 'is-null', column: custom(label) })
    const rest = is(field('a'), text('1'))
    assert.notEqual(
      key({ kind: 'and', operands: [rest, isNull('A'), isNull('B')] }),
      key({ kind: 'and', operands: [rest, isNull('A),null(customB')] }),
    )
    const ordered = (...labels: readonly string[]) =>
      planKey({
        ...everything,
        orderBy: labels.map((label) => ({ column: custom(label), descending: false })),
      })
    assert.notEqual(ordered('A', 'B'), ordered('A,+customB'))
  })

  it('differs for every difference in meaning', () => {
    const column = field('a')
    const compare = (comparand: Comparand) => is(column, comparand)
    const predicates: readonly Predicate[] = [
      compare(text('1')),
      compare(text('null')),
      compare(text('1","2')),
      compare({ as: 'number', value: decimal('1') }),
      compare({ as: 'number', value: decimal('-1') }),
      compare({ as: 'number-or-text', value: decimal('1'), folded: '1' }),
      compare({ as: 'instant', instant: 1 }),
      compare({ as: 'instant-or-text', instant: 1, folded: '1' }),
      compare({ as: 'instant-or-text', instant: 1, folded: '2' }),
      compare({ as: 'boolean', value: true }),
      compare({ as: 'boolean', value: false }),
      { kind: 'compare', column, comparison: 'gt', comparand: text('1') },
      { kind: 'match', column, function: 'startswith', folded: '1' },
      { kind: 'match', column, function: 'endswith', folded: '1' },
      { kind: 'is-null', column },
      { kind: 'one-of', column, comparands: [text('1'), text('2')], orNull: false },
      { kind: 'one-of', column, comparands: [text('1'), text('2')], orNull: true },
      { kind: 'one-of', column, comparands: [text('1'), text('null')], orNull: false },
      { kind: 'one-of', column, comparands: [text('1","2')], orNull: false },
      is(custom('a'), text('1')),
      is(custom('a",x'), text('1')),
      { kind: 'any', collection: 'segments', condition: compare(text('1')) },
      { kind: 'any', collection: 'lineItems', condition: compare(text('1')) },
      { kind: 'any', collection: 'segments', condition: null },
      { kind: 'not', operand: compare(text('1')) },
      { kind: 'constant', value: true },
      { kind: 'constant', value: false },
    ]
    const keys = [
      ...predicates.map(key),
      planKey(everything),
      planKey({ ...everything, dataset: 'invoices' }),
      planKey({ ...everything, orderBy: [{ column, descending: false }] }),
      planKey({ ...everything, orderBy: [{ column, descending: true }] }),
      planKey({ ...everything, paging: { offset: 0, limit: 50 }, select: null }),
      planKey({ ...everything, paging: { offset: 0, limit: 5 }, select: null }),
    ]
    assert.equal(new Set(keys).size, keys.length)
  })
})
