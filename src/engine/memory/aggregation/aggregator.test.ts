import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AggregationPlan } from '../../../query/aggregation.ts'
import { defaultGroupLimits, OverGroupLimit } from '../../group-set.ts'
import { evaluateAggregation } from '../../testing/evaluate-aggregation.ts'
import { OverBudget } from '../../work-budget.ts'
import { type FixtureRow, partitionOf } from '../testing/partitions.ts'
import { type AggregatorOptions, createAggregator } from './aggregator.ts'

const record = (name: string, type: 'text' | 'date' | 'minute' | 'boolean') =>
  ({ of: 'record', column: { kind: 'field', name, type } }) as const
const line = (name: string, type: 'text' | 'decimal' | 'integer') =>
  ({ of: 'element', column: { kind: 'field', name, type } }) as const

const planOf = (plan: Partial<AggregationPlan>): AggregationPlan => ({
  dataset: 'invoices',
  where: null,
  collection: 'lineItems',
  groupsOf: 'records',
  dimensions: [],
  aggregates: [{ member: 'n', method: 'count' }],
  orderBy: [],
  paging: null,
  ...plan,
})

/** Many rows with many distinct values, some of which differ in letter case only. */
function manyRows(count: number): readonly FixtureRow[] {
  let seed = 7
  const next = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return seed % below
  }
  const text = (below: number) => `${next(2) === 0 ? 'Name' : 'NAME'} ${next(below)}`
  return Array.from({ length: count }, (_, i) => ({
    fields: {
      company: text(1500),
      invoiceNumber: `I${i}`,
      invoiceDate: next(40) === 0 ? 2_932_896 : 20_000 + next(2000),
      dueDate: 20_000 + next(3000),
      obtSource: next(5) === 0 ? null : text(3),
    },
    custom: { Team: next(4) === 0 ? null : text(40) },
    elements: Array.from({ length: next(5) }, () => ({
      lineNumber: next(9),
      lineType: text(4),
      unitPrice: next(6) === 0 ? null : (next(2 ** 30) - 2 ** 29) * 8_000_000,
    })),
  }))
}

describe('many groups of many rows', () => {
  const { partition, rows } = partitionOf('invoices', manyRows(6000), ['Team'])
  const team = { of: 'record', column: { kind: 'custom', label: 'Team', type: 'text' } } as const
  const plans: readonly (readonly [title: string, plan: Partial<AggregationPlan>])[] = [
    [
      'of records by names and days, with sums of their elements',
      {
        dimensions: [
          { member: 'company', value: record('company', 'text'), part: null },
          { member: 'due', value: record('dueDate', 'date'), part: null },
          { member: 'month', value: record('invoiceDate', 'date'), part: 'month' },
        ],
        aggregates: [
          { member: 'n', method: 'count' },
          { member: 's', method: 'sum', value: line('unitPrice', 'decimal') },
          { member: 'a', method: 'average', value: line('unitPrice', 'decimal') },
          { member: 'd', method: 'countdistinct', value: line('unitPrice', 'decimal') },
        ],
        orderBy: [
          { member: 4, descending: true },
          { member: 0, descending: false },
          { member: 1, descending: true },
          { member: 2, descending: false },
        ],
      },
    ],
    [
      'of elements by their price and a label, with texts and counts',
      {
        groupsOf: 'elements',
        dimensions: [
          { member: 'price', value: line('unitPrice', 'decimal'), part: null },
          { member: 'team', value: team, part: null },
        ],
        aggregates: [
          { member: 'least', method: 'min', value: record('company', 'text') },
          { member: 'c', method: 'countdistinct', value: record('company', 'text') },
          { member: 'l', method: 'max', value: line('lineNumber', 'integer') },
        ],
        orderBy: [
          { member: 2, descending: true },
          { member: 1, descending: true },
          { member: 0, descending: false },
        ],
      },
    ],
    [
      'of a selection, by week',
      {
        where: { kind: 'is-null', column: { kind: 'field', name: 'obtSource', type: 'text' } },
        dimensions: [{ member: 'week', value: record('invoiceDate', 'date'), part: 'week' }],
        aggregates: [{ member: 's', method: 'sum', value: line('unitPrice', 'decimal') }],
        orderBy: [{ member: 0, descending: true }],
      },
    ],
  ]
  for (const [title, plan] of plans) {
    it(title, async () => {
      const limits = { groups: 1e6, bytes: 1e9 }
      const found = await createAggregator({ groupLimits: limits }).aggregate(planOf(plan), partition)
      const { total, columns } = evaluateAggregation(rows, planOf(plan))
      assert.equal(found.total, total)
      assert.deepEqual(found.columns, columns)
    })
  }
})

describe('names of which one has two spellings', () => {
  const names = [...Array.from({ length: 1100 }, (_, i) => `a${i}`), 'B', 'b', null]
  const { partition, rows } = partitionOf(
    'invoices',
    names.map((obtSource, i) => ({
      fields: {
        company: 'Acme',
        invoiceNumber: `I${i}`,
        invoiceDate: 20_000,
        dueDate: 20_000 + (i % 3),
        obtSource,
      },
    })),
  )
  const days = { member: 'due', value: record('dueDate', 'date'), part: null }
  const source = { member: 'source', value: record('obtSource', 'text'), part: null }
  for (const dimensions of [[source], [source, days], [days, source]]) {
    for (const descending of [false, true]) {
      const order = descending ? 'descending' : 'ascending'
      it(`are in ${order} order as ${dimensions.map(({ member }) => member).join(' and ')}`, async () => {
        const orderBy = dimensions.map((_, member) => ({ member, descending }))
        const plan = planOf({ collection: null, dimensions, orderBy })
        const { columns } = await createAggregator().aggregate(plan, partition)
        assert.deepEqual(columns, evaluateAggregation(rows, plan).columns)
      })
    }
  }
})

const { partition: small } = partitionOf('invoices', manyRows(50), ['Team'])
const byNumber = planOf({
  collection: null,
  dimensions: [{ member: 'number', value: record('invoiceNumber', 'text'), part: null }],
  orderBy: [{ member: 0, descending: false }],
})

/** A clock on which every look takes this long. */
function slowClock(milliseconds: number): NonNullable<AggregatorOptions['clock']> {
  let time = 0
  const now = () => (time += milliseconds)
  return { now, cpu: now }
}

describe('the aggregator', () => {
  it('keeps the groups of a plan for its other pages', async () => {
    const aggregator = createAggregator()
    assert.equal(aggregator.remembers(byNumber, small), false)
    const first = await aggregator.aggregate({ ...byNumber, paging: { offset: 0, limit: 20 } }, small)
    assert.equal(aggregator.remembers({ ...byNumber, paging: { offset: 40, limit: 20 } }, small), true)
    const last = await aggregator.aggregate({ ...byNumber, paging: { offset: 40, limit: 20 } }, small)
    const none = await aggregator.aggregate({ ...byNumber, paging: { offset: 60, limit: 20 } }, small)
    assert.deepEqual([first.total, first.count, last.count, none.count], [50, 20, 10, 0])
    const whole = await aggregator.aggregate(byNumber, small)
    assert.deepEqual(last.columns[0]?.values, whole.columns[0]?.values.slice(40))
  })

  it('stops at the budget of a request, and does not begin again soon', async () => {
    const aggregator = createAggregator({ budget: { rowsScanned: 60, cpuMs: Infinity } })
    const refused = async () => {
      const cause = await aggregator.aggregate(byNumber, small).catch((thrown: unknown) => thrown)
      assert.ok(cause instanceof OverBudget, String(cause))
      return cause
    }
    const first = await refused()
    assert.deepEqual(first.overrun, { kind: 'rows', limit: 60 })
    assert.equal(await refused(), first)
  })

  it('stops when the request is cancelled while it pauses', async () => {
    const cancellation = new AbortController()
    const aggregator = createAggregator({ clock: slowClock(10) })
    const aggregated = aggregator.aggregate(byNumber, small, cancellation.signal)
    const reason = new Error('The caller left')
    cancellation.abort(reason)
    await assert.rejects(aggregated, reason)
    assert.equal((await aggregator.aggregate(byNumber, small)).total, 50)
  })

  it('refuses more groups than it may, and more memory', async () => {
    const limited = (limits: object) =>
      createAggregator({ groupLimits: { ...defaultGroupLimits, ...limits } }).aggregate(byNumber, small)
    const isOver = (limit: string) => (cause: unknown) =>
      cause instanceof OverGroupLimit && cause.limit === limit
    await assert.rejects(limited({ groups: 49 }), isOver('groups'))
    // Fifty groups with two members of 8 bytes each.
    await assert.rejects(limited({ bytes: 799 }), isOver('bytes'))
    assert.equal((await limited({ groups: 50, bytes: 800 })).total, 50)
  })

  it('refuses the partition of another list', async () => {
    const plan = planOf({ dataset: 'bookings', collection: null })
    await assert.rejects(
      createAggregator().aggregate(plan, small),
      /^Error: Expected a partition for bookings/,
    )
  })
})
