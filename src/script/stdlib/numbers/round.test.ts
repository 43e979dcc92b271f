import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { caller, fails } from '../../testing/context.ts'
import { mathematicsFunctions } from './mathematics.ts'

const call = caller(mathematicsFunctions)
const { NaN: nan, POSITIVE_INFINITY: infinity } = Number

type Row = readonly [name: string, args: readonly unknown[], expected: unknown]

const answers = (rows: readonly Row[]): void => {
  for (const [name, args, expected] of rows) {
    const shown = args.map((arg) => (Array.isArray(arg) ? `[${arg.join(', ')}]` : String(arg)))
    it(`${name}(${shown.join(', ')}) is ${Object.is(expected, -0) ? '-0' : expected}`, () => {
      assert.equal(call(name, args), expected)
    })
  }
}

describe('Round', () => {
  answers([
    ['Round', [2.5, 0], 3],
    ['Round', [-2.5, 0], -3],
    ['Round', [2.4, 0], 2],
    ['Round', [0.49999999999999994, 0], 0],
    ['Round', [-0.4, 0], -0],
    ['Round', [2.675, 2], 2.67],
    ['Round', [-2.675, 2], -2.67],
    ['Round', [2.675, 2, 'halfEven'], 2.68],
    ['Round', [0.125, 2], 0.13],
    ['Round', [2.665, 2], 2.67],
    ['Round', [1.005, 2], 1],
    ['Round', [1.25, 1], 1.3],
    ['Round', [-1.25, 1], -1.3],
    ['Round', [1.25, 1, 'halfUp'], 1.3],
    ['Round', [1.25, 1, 'halfEven'], 1.2],
    ['Round', [1.35, 1, 'halfEven'], 1.4],
    ['Round', [2.5, 0, 'halfEven'], 2],
    ['Round', [3.5, 0, 'halfEven'], 4],
    ['Round', [-2.5, 0, 'halfEven'], -2],
    ['Round', [-3.5, 0, 'halfEven'], -4],
    ['Round', [2.51, 0, 'halfEven'], 3],
    ['Round', [2.9, 0, 'halfDown'], 2],
    ['Round', [-2.9, 0, 'halfDown'], -2],
    ['Round', [1.29, 1, 'halfDown'], 1.2],
    ['Round', [1234, -2], 1200],
    ['Round', [1250, -2], 1300],
    ['Round', [-1250, -2], -1300],
    ['Round', [1250, -2, 'halfEven'], 1200],
    ['Round', [1299, -2, 'halfDown'], 1200],
    ['Round', [49, -2], 0],
    ['Round', [2e16, -17], 0],
    ['Round', [0.123456789012345, 15], 0.123456789012345],
    ['Round', [1e16, 15], 1e16],
    ['Round', [1.2345e299, 15], 1.2345e299],
    ['Round', [nan, 2], nan],
    ['Round', [-infinity, 2], -infinity],
  ])

  const refused = [
    ['JM5904', [1, 0.5]],
    ['JM5904', [1, nan]],
    ['JM5904', [1, infinity]],
    ['JM5904', [1, 0.5, 'unknown']],
    ['JM5002', [1, 16]],
    ['JM5002', [1, 16, 'unknown']],
    ['JM5909', [1, 0, 'HALFUP']],
    ['JM5909', [1, 0, 'null']],
    ['JM5909', [1, 0, '']],
    ['JM5909', [1e17, 0, 'half']],
  ] as const
  for (const [code, args] of refused) {
    it(`Round(${args.join(', ')}) is ${code}`, () => fails(code, () => call('Round', args)))
  }

  it('treats a half as a tie only if the number is exactly one', () => {
    const halves = fc.tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.integer({ min: 0, max: 12 }))
    fc.assert(
      fc.property(halves, ([digits, decimals]) => {
        const value = Number(`${digits}5e${-decimals - 1}`)
        const scaled = Math.trunc(value * 10 ** decimals)
        fc.pre(Math.abs(value * 10 ** decimals - scaled) === 0.5)
        const away = (scaled + Math.sign(value)) / 10 ** decimals
        // A hundred decimals show every double of this size exactly.
        const written = BigInt(Math.abs(value).toFixed(100).replace('.', ''))
        const half =
          BigInt(Math.abs(scaled)) * 10n ** BigInt(100 - decimals) + 5n * 10n ** BigInt(99 - decimals)
        const expected = written >= half ? away : scaled / 10 ** decimals
        assert.equal(call('Round', [value, decimals]), expected)
      }),
    )
  })

  it('rounds to the nearest integer, or cuts off', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), (value) => {
        for (const mode of [undefined, 'halfUp', 'halfEven']) {
          const rounded = call('Round', [value, 0, mode]) as number
          assert.ok(Number.isInteger(rounded) && Math.abs(rounded - value) <= 0.5)
        }
        assert.equal(call('Round', [value, 0, 'halfDown']), Math.trunc(value))
      }),
    )
  })
})
