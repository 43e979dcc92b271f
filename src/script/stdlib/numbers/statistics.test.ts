import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { caller, fails, testContext } from '../../testing/context.ts'
import { mathematicsFunctions } from './mathematics.ts'

const call = caller(mathematicsFunctions)
const nan = Number.NaN

type Row = readonly [name: string, args: readonly unknown[], expected: unknown]

const answers = (rows: readonly Row[]): void => {
  for (const [name, args, expected] of rows) {
    const shown = args.map((arg) => (Array.isArray(arg) ? `[${arg.join(', ')}]` : String(arg)))
    it(`${name}(${shown.join(', ')}) is ${Object.is(expected, -0) ? '-0' : expected}`, () => {
      assert.equal(call(name, args), expected)
    })
  }
}

describe('functions of the numbers in an array', () => {
  const mixed = [null, '9', 3, true, 1, [100], { a: 100 }, 2]
  answers([
    ['Min', [[]], null],
    ['Min', [['1', null]], null],
    ['Min', [mixed], 1],
    ['Min', [[2, nan, 1]], nan],
    ['Max', [[]], null],
    ['Max', [mixed], 3],
    ['Max', [[-3, -2]], -2],
    ['Max', [[2, nan, 1]], 2],
    ['Sum', [[]], 0],
    ['Sum', [['1', null]], 0],
    ['Sum', [mixed], 6],
    ['Sum', [[0.1, 0.2]], 0.30000000000000004],
    ['Average', [[]], null],
    ['Average', [mixed], 2],
    ['Average', [[1, 2]], 1.5],
    ['Median', [[]], null],
    ['Median', [mixed], 2],
    ['Median', [[10, 9]], 9.5],
    ['Median', [[10, 9, 1, 2]], 5.5],
    ['Median', [[7]], 7],
    ['Median', [[0, 0, 0]], 0],
    ['Mode', [[]], null],
    ['Mode', [['a', 'a', 1]], 1],
    ['Mode', [[1, 2, 2, 1]], 1],
    ['Mode', [[3, 1, 1]], 1],
    ['Mode', [[nan, 1, nan]], nan],
  ])

  it('the median is in the middle of the sorted numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (numbers) => {
        const sorted = numbers.toSorted((left, right) => left - right)
        const middle = (sorted.length - 1) / 2
        const expected = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
        assert.equal(call('Median', [numbers]), expected)
      }),
    )
  })

  for (const name of ['Min', 'Max', 'Sum', 'Average', 'Median', 'Mode']) {
    it(`${name} counts its work`, () => {
      fails('JM5903', () => call(name, [Array(101).fill(1)], testContext({ mostUnits: 100 })))
    })
    it(`${name} accepts arrays of any length`, () => {
      assert.equal(call(name, [Array(300_000).fill(0)]), 0)
    })
  }
})

describe('Median', () => {
  it('counts comparisons', () => {
    const numbers = Array.from({ length: 1000 }, (_, i) => -i)
    fails('JM5903', () => call('Median', [numbers], testContext({ mostUnits: 5000 })))
  })
})
