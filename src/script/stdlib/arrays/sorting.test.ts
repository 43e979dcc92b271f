import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../../test/fixtures/any-character.ts'
import { caller, fails, given, plainOf, testContext } from '../../testing/context.ts'
import { sort, sortByField } from './sorting.ts'

const call = caller([sort, sortByField])
const nan = Number.NaN

describe('Sort', () => {
  const table: readonly (readonly [unknown[], unknown[]])[] = [
    [[], []],
    [
      [3, 1, 2],
      [1, 2, 3],
    ],
    [
      [10, 9, -1, 0.5],
      [-1, 0.5, 9, 10],
    ],
    [
      ['b', 'a', 'B', 'ab', ''],
      ['', 'B', 'a', 'ab', 'b'],
    ],
    [
      ['\uFFFF', '\u{1F600}'],
      ['\u{1F600}', '\uFFFF'],
    ],
    [
      [true, false, true, false],
      [false, false, true, true],
    ],
    [
      [2, null, 1, null],
      [null, null, 1, 2],
    ],
    [
      [1, nan, Number.NEGATIVE_INFINITY, nan],
      [nan, nan, Number.NEGATIVE_INFINITY, 1],
    ],
    [
      [true, 2, 'a', null],
      [null, true, 2, 'a'],
    ],
    [
      [2, 'a', 1],
      [1, 'a', 2],
    ],
    [
      [3, 'a', 1, 2],
      [3, 'a', 1, 2],
    ],
  ]
  for (const [value, expected] of table) {
    it(`makes [${expected.map(String)}] of [${value.map(String)}]`, () => {
      assert.deepEqual(call('Sort', [value]), expected)
    })
  }

  const model = fc.oneof(
    fc.array(fc.double()),
    fc.array(fc.string({ unit: anyCharacter })),
    fc.array(fc.boolean()),
  )
  it('puts values of one type in order, nulls first', () => {
    const order = (left: unknown, right: unknown): number => {
      const a = left as number
      const b = right as number
      if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a))
      return a < b ? -1 : a > b ? 1 : 0
    }
    fc.assert(
      fc.property(model, fc.nat(3), fc.nat(50), (values, nulls, at) => {
        const mixed = [...values.slice(0, at), ...Array(nulls).fill(null), ...values.slice(at)]
        const sorted = call('Sort', [mixed]) as unknown[]
        assert.deepEqual(sorted.slice(0, nulls), Array(nulls).fill(null))
        const positive = (list: readonly unknown[]): unknown[] => list.map((x) => (x === 0 ? 0 : x))
        assert.deepEqual(positive(sorted.slice(nulls)), positive([...values].sort(order)))
      }),
    )
  })

  it('loses nothing, whatever is in the array', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<unknown[]>(null, true, 1, 'a', nan, 2, 'b'), { maxLength: 60 }),
        (values) => {
          const names = (list: unknown[]): string[] => list.map(String).sort()
          assert.deepEqual(names(call('Sort', [values]) as unknown[]), names(values))
        },
      ),
    )
  })

  it('counts comparisons, and how long compared texts are', () => {
    const numbers = Array.from({ length: 1000 }, (_, i) => -i)
    fails('JM5903', () => call('Sort', [numbers], testContext({ mostUnits: 5000 })))
    const texts = Array.from({ length: 10 }, (_, i) => 'x'.repeat(100_000) + i)
    fails('JM5903', () => call('Sort', [texts], testContext({ mostUnits: 5000 })))
  })
})

describe('SortByField', () => {
  const sorted = (rows: readonly unknown[], direction: string, fieldName = 'k'): unknown =>
    call('SortByField', [rows, fieldName, direction])
  const rows = (...keys: readonly unknown[]) => keys.map((k) => ({ k }))
  const plain = (list: readonly unknown[]): unknown => plainOf(given(list))

  for (const direction of ['desc', 'DESC', 'dEsC']) {
    it(`sorts in descending order by '${direction}'`, () => {
      assert.deepEqual(sorted(rows(1, 3, 2), direction), plain(rows(3, 2, 1)))
    })
  }
  for (const direction of ['asc', '', 'descending', ' desc', 'null', 'up']) {
    it(`sorts in ascending order by '${direction}'`, () => {
      assert.deepEqual(sorted(rows(1, 3, 2), direction), plain(rows(1, 2, 3)))
    })
  }

  const table: readonly (readonly [what: string, given: readonly unknown[], expected: readonly unknown[]])[] =
    [
      ['texts', rows('b', 'B', 'a'), rows('B', 'a', 'b')],
      ['NaN before numbers', rows(1, nan), rows(nan, 1)],
      ['a null as equal to anything', rows(2, null), rows(2, null)],
      ['a missing field as equal to anything', [{ k: 2 }, {}], [{ k: 2 }, {}]],
      ['booleans as equal', rows(true, false), rows(true, false)],
      ['unlike types as equal', rows(2, '1'), rows(2, '1')],
      ['values that are not objects as equal', [5, null, { k: 1 }, [3]], [5, null, { k: 1 }, [3]]],
    ]
  for (const [what, given, expected] of table) {
    it(`takes ${what}`, () => assert.deepEqual(sorted(given, 'asc'), plain(expected)))
  }

  it('follows a path', () => {
    const deep = (x: number) => ({ a: { b: x } })
    assert.deepEqual(sorted([deep(2), deep(1)], 'asc', 'a.b'), plain([deep(1), deep(2)]))
  })

  it('compares the other way round where it is descending, which does not reverse ties', () => {
    const ties = Array.from({ length: 10 }, (_, i) => ({ k: i % 2, i }))
    const order = (direction: string): unknown =>
      (sorted(ties, direction) as { '{}': [string, number][] }[]).map((row) => row['{}'][1]?.[1])
    assert.deepEqual(order('asc'), [0, 2, 4, 6, 8, 1, 3, 5, 7, 9])
    assert.deepEqual(order('desc'), [1, 3, 5, 7, 9, 0, 2, 4, 6, 8])
  })

  it('agrees with Sort where the field is all there is', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (numbers) => {
        assert.deepEqual(
          sorted(rows(...numbers), 'asc'),
          plain(rows(...(call('Sort', [numbers]) as number[]))),
        )
      }),
    )
  })

  it('counts comparisons', () => {
    const many = rows(...Array.from({ length: 1000 }, (_, i) => -i))
    fails('JM5903', () => call('SortByField', [many, 'k', 'asc'], testContext({ mostUnits: 5000 })))
  })
})
