import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { comparedWith, membershipIn, type Ranges, rangesOfTable, rangesWithin, united } from './ranges.ts'

describe('comparedWith', () => {
  const cases: readonly [Parameters<typeof comparedWith>, Ranges][] = [
    [
      ['eq', 5, true],
      [5, 5],
    ],
    [['eq', 5, false], []],
    [
      ['gt', 5, true],
      [6, Infinity],
    ],
    [
      ['gt', 5, false],
      [6, Infinity],
    ],
    [
      ['ge', 5, true],
      [5, Infinity],
    ],
    [
      ['ge', 5, false],
      [6, Infinity],
    ],
    [
      ['lt', 5, true],
      [-Infinity, 4],
    ],
    [
      ['lt', 5, false],
      [-Infinity, 5],
    ],
    [
      ['le', 5, true],
      [-Infinity, 5],
    ],
    [
      ['le', 5, false],
      [-Infinity, 5],
    ],
  ]
  for (const [[comparison, floor, exact], expected] of cases) {
    it(`finds the values that are ${comparison} ${exact ? 5 : 'between 5 and 6'}`, () => {
      assert.deepEqual(comparedWith(comparison, floor, exact), expected)
    })
  }

  it('is limited to a domain', () => {
    assert.deepEqual(rangesWithin(comparedWith('ge', 5, true), -10, 10), [5, 10])
    assert.deepEqual(rangesWithin(comparedWith('gt', Infinity, false), -10, 10), [])
    assert.deepEqual(rangesWithin(comparedWith('gt', -Infinity, false), -10, 10), [-10, 10])
    assert.deepEqual(
      rangesWithin([-30, -20, -11, -9, 0, 1, 10, 12, 14, 15], -10, 10),
      [-10, -9, 0, 1, 10, 10],
    )
    assert.deepEqual(rangesWithin([], -10, 10), [])
  })
})

describe('rangesOfTable', () => {
  it('finds each run of ones', () => {
    assert.deepEqual(rangesOfTable(Uint8Array.of(1, 1, 0, 1, 0, 0, 1)), [0, 1, 3, 3, 6, 6])
    assert.deepEqual(rangesOfTable(Uint8Array.of(0, 0)), [])
    assert.deepEqual(rangesOfTable(new Uint8Array(0)), [])
  })
})

describe('united', () => {
  it('merges ranges that overlap or touch and keeps the others apart', () => {
    assert.deepEqual(united([[8, 9], [1, 3], [], [2, 5], [6, 6]]), [1, 6, 8, 9])
  })

  it('keeps a long range that holds a shorter one', () => {
    assert.deepEqual(
      united([
        [1, 9],
        [2, 3],
        [20, 20],
      ]),
      [1, 9, 20, 20],
    )
  })
})

describe('membershipIn', () => {
  const pair = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.nat(6))

  it('agrees with a check of every range', () => {
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 30 }), fc.boolean(), (pairs, single) => {
        const ranges = united(
          pairs.map(([from, length]) => (single ? [2 * from, 2 * from] : [from, from + length])),
        )
        const isMember = membershipIn(ranges)
        for (let value = -110; value < 110; value++) {
          assert.equal(isMember(value), isIn(ranges, value), String(value))
        }
        assert.equal(isMember(Number.NaN), false)
      }),
    )
  })

  it('handles open ends and values far apart', () => {
    const ranges = [-Infinity, -5, 0, 0, 3, 4, 9e15, Infinity]
    const isMember = membershipIn(ranges)
    for (const value of [-9e15, -6, -5, -4, -1, 0, 1, 2, 3, 4, 5, 1e10, 9e15, 9.007e15]) {
      assert.equal(isMember(value), isIn(ranges, value), String(value))
    }
  })

  const isIn = (ranges: Ranges, value: number): boolean => {
    for (let i = 0; i < ranges.length; i += 2) if (value >= ranges[i]! && value <= ranges[i + 1]!) return true
    return false
  }
})
