import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { caller, entries, fails, given, lambdaOf, plainOf, testContext } from '../../testing/context.ts'
import { areEqual } from '../../values/equality.ts'
import { ScriptArray } from '../../values/value.ts'
import { distinct, groupBy } from './grouping.ts'

const call = caller([distinct, groupBy])
const f = lambdaOf((x) => x)
const infinity = Number.POSITIVE_INFINITY
const nulls = [null, [null], null, [null], { a: null }, { a: null }]

describe('Distinct', () => {
  const table: readonly (readonly [unknown[], unknown[]])[] = [
    [[], []],
    [
      [null, null, 1, 1],
      [null, null, 1],
    ],
    [
      [1, '1', true, 'true', 1, '1', true],
      [1, '1', true, 'true'],
    ],
    [
      [0, -0, false, ''],
      [0, false, ''],
    ],
    [
      [Number.NaN, Number.NaN],
      [Number.NaN, Number.NaN],
    ],
    [
      [infinity, infinity],
      [infinity, infinity],
    ],
    [
      [f, f],
      [f, f],
    ],
    [
      [
        [1, [2]],
        [1, [2]],
        [1, [3]],
      ],
      [
        [1, [2]],
        [1, [3]],
      ],
    ],
    [nulls, nulls],
    [
      [[f], [f]],
      [[f], [f]],
    ],
  ]
  for (const [value, expected] of table) {
    it(`keeps ${JSON.stringify(expected)} of ${JSON.stringify(value)}`, () => {
      assert.deepEqual(call('Distinct', [value]), plainOf(given(expected)))
    })
  }

  it('keeps the first of equal objects, whatever the order of their keys', () => {
    const rows = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ]
    assert.deepEqual(call('Distinct', [rows]), plainOf(given(rows.slice(0, 1))))
  })

  it('agrees with comparing all with all', () => {
    const values = fc.array(
      fc.constantFrom<unknown[]>(
        null,
        0,
        -0,
        1,
        '1',
        'a',
        true,
        f,
        [],
        [1],
        [null],
        {},
        { a: 1 },
        { a: null },
      ),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(values, (plain) => {
        const context = testContext()
        const kept: ReturnType<typeof given>[] = []
        for (const value of plain.map(given)) {
          if (!kept.some((known) => areEqual(known, value, context, 'never'))) kept.push(value)
        }
        assert.deepEqual(call('Distinct', [plain], context), kept.map(plainOf))
      }),
    )
  })

  it('counts each number and text once', () => {
    const values = Array.from({ length: 10_000 }, (_, i) => (i % 2 === 0 ? i : `${i}`))
    const context = testContext()
    assert.deepEqual(call('Distinct', [values], context), values)
    assert.equal(context.units, 10_000)
  })

  it('counts comparisons of arrays and objects, and the length of texts', () => {
    const arrays = Array.from({ length: 1000 }, (_, i) => Array(i).fill(0))
    fails('JM5903', () => call('Distinct', [arrays], testContext({ mostUnits: 100_000 })))
    fails('JM5903', () => call('Distinct', [['x'.repeat(100_000)]], testContext({ mostUnits: 999 })))
  })
})

describe('GroupBy', () => {
  const by = (fieldName: string, ...rows: readonly unknown[]): unknown => call('GroupBy', [rows, fieldName])
  it('returns an empty object for no objects', () => {
    assert.deepEqual(by('a', 1, null, [{ a: 1 }], 'text'), entries())
  })
  it('groups by the text of the field, in the order of first appearance', () => {
    assert.deepEqual(
      by('k', { k: 2, i: 1 }, { k: 'b', i: 2 }, { k: '2', i: 3 }, { k: 1.5, i: 4 }, { k: true, i: 5 }),
      entries(
        ['2', [entries(['k', 2], ['i', 1]), entries(['k', '2'], ['i', 3])]],
        ['b', [entries(['k', 'b'], ['i', 2])]],
        ['1.5', [entries(['k', 1.5], ['i', 4])]],
        ['true', [entries(['k', true], ['i', 5])]],
      ),
    )
  })
  it('groups objects without the field, or with null in it, under null', () => {
    assert.deepEqual(
      by('k', { k: null }, {}, { k: 'null' }),
      entries(['null', [entries(['k', null]), entries(), entries(['k', 'null'])]]),
    )
  })
  it('keeps every object of a group whose key contains a dot', () => {
    const groups = by('k', { k: 1.5 }, { k: 1.5 }, { k: '1.5' })
    assert.deepEqual(
      groups,
      entries(['1.5', [entries(['k', 1.5]), entries(['k', 1.5]), entries(['k', '1.5'])]]),
    )
  })
  it('follows a path', () => {
    const row = { a: { b: 1 } }
    assert.deepEqual(by('a.b', row), entries(['1', [plainOf(given(row))]]))
  })
  it('groups by whole arrays', () => {
    assert.deepEqual(by('k', { k: [1, 'x'] }), entries(['[1, x]', [entries(['k', [1, 'x']])]]))
  })
  it('groups the objects themselves', () => {
    const row = given({ k: 1 })
    assert.ok('body' in groupBy)
    const groups = groupBy.body(testContext(), new ScriptArray([row]) as never, 'k' as never)
    assert.ok(groups !== null && typeof groups === 'object' && 'get' in groups)
    const group = groups.get('1')
    assert.ok(group instanceof ScriptArray)
    assert.equal(group.items[0], row)
  })
  it('counts keys, groups and work', () => {
    const rows = Array.from({ length: 100 }, (_, i) => ({ k: i }))
    fails('JM5910', () => call('GroupBy', [rows, 'k'], testContext({ mostBytes: 5000 })))
    fails('JM5910', () =>
      call('GroupBy', [[{ k: ['x'.repeat(9000)] }], 'k'], testContext({ mostBytes: 9000 })),
    )
    fails('JM5903', () => call('GroupBy', [rows, 'k'], testContext({ mostUnits: 99 })))
    fails('JM5903', () => call('GroupBy', [[{ k: 'x'.repeat(10_000) }], 'k'], testContext({ mostUnits: 99 })))
  })
})
