import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { averageOf } from '../../group-values.ts'
import { ExactSums } from './exact-sums.ts'

const { MAX_SAFE_INTEGER: MOST } = Number

describe('ExactSums', () => {
  it('adds integers of any size without an error, and counts nulls', () => {
    const value = fc.oneof(
      fc.maxSafeInteger(),
      fc.integer(),
      fc.constantFrom(MOST, -MOST, 2 ** 52, -(2 ** 52), 2 ** 52 - 1, 0, -0, Number.NaN),
    )
    // So many groups have one sum each, and few have two.
    const groupCount = fc.constantFrom(3, 1 << 13)
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), value), { maxLength: 200 }), groupCount, (added, count) => {
        const sums = new ExactSums(count)
        const values = Float64Array.from(added, ([, each]) => each)
        const groups = Int32Array.from(added, ([group]) => group)
        sums.add(values, null, Number.NaN, groups, 0, values.length)
        for (const group of [0, 1, 2]) {
          const own = added.filter(([of]) => of === group).map(([, each]) => each)
          const wanted = own.reduce((sum, each) => sum + (Number.isNaN(each) ? 0n : BigInt(each)), 0n)
          const sum = sums.of(group)
          assert.equal(BigInt(sum), wanted)
          assert.equal(typeof sum, Number.isSafeInteger(Number(wanted)) ? 'number' : 'bigint')
          assert.equal(sums.nulls[group], own.filter(Number.isNaN).length)
          const [high, low] = sums.parts(group)
          assert.ok(low >= 0 && low < 2 ** 52)
          assert.equal(BigInt(high) * 2n ** 52n + BigInt(low), wanted)
        }
      }),
    )
  })

  it('reads rows by their numbers, and leaves out null integers', () => {
    const sums = new ExactSums(1)
    const [values, none] = [Int32Array.of(5, -0x80000000, 7, 100), -0x80000000]
    sums.add(values, Int32Array.of(0, 1, 2), none, new Int32Array(3), 0, 3)
    assert.deepEqual([sums.of(0), sums.nulls[0]], [12, 1])
  })
})

describe('averageOf rounds half away from zero at five decimals', () => {
  const rows: readonly (readonly [
    sum: number | bigint,
    count: number,
    isScaled: boolean,
    average: number,
  ])[] = [
    [1, 2, true, 1],
    [-1, 2, true, -1],
    [1, 3, true, 0],
    [-1, 3, true, 0],
    [2, 3, true, 1],
    [5, 2, true, 3],
    [-5, 2, true, -3],
    [1, 3, false, 33_333],
    [2, 3, false, 66_667],
    [3n * BigInt(MOST), 3, true, MOST],
  ]
  for (const [sum, count, isScaled, average] of rows) {
    it(`${sum} / ${count}${isScaled ? ' scaled' : ''} is ${average}`, () =>
      assert.equal(averageOf(sum, count, isScaled) + 0, average))
  }
})
