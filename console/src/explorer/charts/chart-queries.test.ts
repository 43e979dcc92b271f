import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultQueryLimits } from '../../../../src/query/limits.ts'
import { parseFilter } from '../../../../src/query/odata/parse-filter.ts'
import { chartsOf, inMonth, leadTimeOf, literal, narrowed } from './chart-queries.ts'
import { drawnGroups } from './drawn-groups.ts'

describe('inMonth', () => {
  for (const [month, expected] of [
    ['2026-03', "d ge '2026-03-01' and d lt '2026-04-01'"],
    ['2026-12', "d ge '2026-12-01' and d lt '2027-01-01'"],
  ] as const) {
    it(month, () => assert.equal(inMonth('d', month), expected))
  }
})

describe('leadTimeOf', () => {
  for (const [booked, starts, expected] of [
    ['2026-01-10', '2026-01-10', 'day0'],
    ['2026-01-10', '2026-01-11', 'day1'],
    ['2026-01-10', '2026-01-17', 'day4'],
    ['2026-01-10', '2026-04-20', 'day91'],
    ['2026-01-10', '2026-01-09', 'late'],
    ['2026-01-10', null, null],
  ] as const) {
    it(`${booked} to ${starts}`, () => assert.equal(leadTimeOf({ booked, starts }), expected))
  }
})

describe('the condition of a category', () => {
  const group = {
    month: '2026-02',
    value: "O'Brien",
    origin: 'SYD',
    destination: null,
    vendor: 'QF',
    type: 'FARE',
  }
  for (const chart of Object.values(chartsOf).flat()) {
    const { condition } = chart
    if (condition === undefined) continue
    it(`is a filter: ${chart.name}`, () => {
      const narrow = narrowed("a eq 1 or b eq 'x'", condition(group, "Manager's approval"))
      assert.equal(parseFilter(narrow, defaultQueryLimits).kind, 'and')
    })
  }
})

describe('literal', () => {
  it('quotes texts and keeps null', () => {
    assert.deepEqual([literal("a'b"), literal(null)], ["'a''b'", 'null'])
  })
})

describe('drawnGroups', () => {
  const [spend] = chartsOf.invoices
  it('draws a series for each currency, and names what has no value', () => {
    assert.ok(spend)
    const { data } = drawnGroups(
      spend,
      [
        { month: '2026-01', currency: 'AUD', n: 10 },
        { month: '2026-01', currency: 'NZD', n: 5 },
        { month: null, currency: 'AUD', n: 1 },
      ],
      'Month',
    )
    assert.deepEqual(data, {
      kind: 'stacked-bars',
      categoryName: 'Month',
      categories: ['2026-01', '(none)'],
      series: [
        { name: 'AUD', values: [10, 1] },
        { name: 'NZD', values: [5, null] },
      ],
    })
  })

  const spendByLabel = chartsOf.invoices[1]
  it('draws the largest categories first, with the largest currency in front, and none without an amount', () => {
    assert.ok(spendByLabel)
    const groups = [
      { value: 'nothing', currency: null, n: null },
      { value: 'small', currency: 'NZD', n: 1 },
      { value: 'large', currency: 'NZD', n: 2 },
      { value: 'large', currency: 'AUD', n: 300 },
      ...Array.from({ length: 20 }, (_, index) => ({ value: `v${index}`, currency: 'AUD', n: 100 - index })),
    ]
    const { data, isCut } = drawnGroups(spendByLabel, groups, 'Label')
    assert.ok(isCut)
    assert.equal(data.kind, 'stacked-lying-bars')
    assert.deepEqual(
      data.series.map(({ name }) => name),
      ['AUD', 'NZD'],
    )
    assert.deepEqual(data.categories, ['large', ...Array.from({ length: 9 }, (_, index) => `v${index}`)])
  })

  it('leaves out of the routes what goes nowhere', () => {
    const routes = chartsOf.itineraries.find(({ name }) => name === 'routes')
    assert.ok(routes)
    const groups = [
      { origin: 'SYD', destination: null, n: 9 },
      { origin: 'SYD', destination: 'SYD', n: 8 },
      { origin: 'SYD', destination: 'MEL', n: 7 },
    ]
    assert.deepEqual(drawnGroups(routes, groups, 'Route').data.categories, ['SYD → MEL'])
  })
})
