import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { caller, fails, testContext } from '../../testing/context.ts'
import { ARRAY_BYTES, bytesOfGrownList, NUMBER_BYTES, PLACE_BYTES } from '../../values/sizes.ts'
import { range } from './range.ts'

const call = caller([range])

type Row = readonly [name: string, args: readonly unknown[], expected: unknown]

const show = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => (typeof inner === 'number' ? String(inner) : inner)) ?? 'nothing'

const answers = (rows: readonly Row[], context = testContext): void => {
  for (const [name, args, expected] of rows) {
    it(`${name}(${args.map(show).join(', ')}) is ${show(expected)}`, () => {
      assert.deepEqual(call(name, args, context()), expected)
    })
  }
}

describe('Range', () => {
  const { NaN: nan, POSITIVE_INFINITY: infinity } = Number
  answers([
    ['Range', [1, 3], [1, 2, 3]],
    ['Range', [1, 1], [1]],
    ['Range', [1, 2.5], [1, 2]],
    ['Range', [0.5, 3], [0.5, 1.5, 2.5]],
    ['Range', [1, 6, 2], [1, 3, 5]],
    ['Range', [3, 1, -1], [3, 2, 1]],
    ['Range', [3, 0, -2], [3, 1]],
    ['Range', [3, 1], []],
    ['Range', [1, 3, -1], []],
    ['Range', [1, 3, 0], []],
    ['Range', [1, 3, -0], []],
    ['Range', [nan, 3], []],
    ['Range', [1, nan], []],
    ['Range', [1, 3, nan], []],
    ['Range', [1, 3, infinity], [1]],
    ['Range', [0, 0.3, 0.1], [0, 0.1, 0.2]],
    ['Range', [0, 0.5, 0.1], [0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5]],
  ])

  const refused: readonly (readonly unknown[])[] = [
    [1, 1e12],
    [1, infinity],
    [-infinity, 1],
    [1, infinity, infinity],
    [1e12, 1, -1],
    [0, 1, 1e-300],
  ]
  for (const args of refused) {
    it(`Range(${args.map(show).join(', ')}) is refused before it is made`, () => {
      fails('JM5910', () => call('Range', args, testContext({ mostBytes: 1_000_000 })))
      fails('JM5910', () => call('Range', args))
    })
  }

  for (const args of [
    [2 ** 53, 2 ** 53 + 10],
    [1e300, 1e300],
    [1, 1 + 2 ** -52, 1e-17],
    [-(2 ** 53), -(2 ** 53) - 10, -1],
  ]) {
    it(`Range(${args.join(', ')}) ends although adding the step changes nothing`, () => {
      fails('JM5002', () => call('Range', args))
    })
  }

  it('counts the elements that rounding adds to the expected length', () => {
    // Doubles of this size are multiples of 4, so adding 5.5 adds only 4.
    const start = 2 ** 54
    const context = testContext()
    const numbers = call('Range', [start, start + 40, 5.5], context)
    assert.deepEqual(
      numbers,
      Array.from({ length: 11 }, (_, i) => start + 4 * i),
    )
    // Ten elements are expected; each number of this size takes 16 bytes, and the eleventh a place as well.
    const expected = ARRAY_BYTES + bytesOfGrownList(8)
    assert.equal(context.bytes, expected + 11 * NUMBER_BYTES + 3 * PLACE_BYTES)
  })

  it('continues by addition', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -100, max: 100, noNaN: true }),
        fc.double({ min: 0.1, max: 50, noNaN: true }),
        fc.nat(40),
        (start, step, count) => {
          const end = start + step * count
          const expected: number[] = []
          for (let value = start; value <= end; value += step) expected.push(value)
          assert.deepEqual(call('Range', [start, end, step]), expected)
        },
      ),
    )
  })
})
