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

describe('the list of mathematical functions', () => {
  it('has all of the reference, with its parameters', () => {
    const letters = { text: 'S', number: 'N', array: 'A', object: 'O', function: 'F', any: '*' }
    assert.deepEqual(
      mathematicsFunctions.map(({ name, parameters }) => {
        const written = parameters.map((p) => `${p.name}${p.optional ? '?' : ''} ${letters[p.kind]}`)
        return `${name}(${written.join(', ')})`
      }),
      [
        'Absolute(value N)',
        'Floor(value N)',
        'Ceiling(value N)',
        'SquareRoot(value N)',
        'Round(value N, decimals N, mode? S)',
        'Min(value A)',
        'Max(value A)',
        'Sum(value A)',
        'Average(value A)',
        'Median(value A)',
        'Mode(value A)',
        'Power(left N, right N)',
        'Log(value N, base? N)',
        'Clamp(value N, min N, max N)',
        'RandomInt(left N, right N)',
      ],
    )
  })
})

describe('functions of one or two numbers', () => {
  answers([
    ['Absolute', [-2.5], 2.5],
    ['Absolute', [-infinity], infinity],
    ['Floor', [-1.5], -2],
    ['Floor', [1.9], 1],
    ['Ceiling', [-1.5], -1],
    ['Ceiling', [1.1], 2],
    ['SquareRoot', [9], 3],
    ['SquareRoot', [-1], nan],
    ['Power', [2, 10], 1024],
    ['Power', [2, -1], 0.5],
    ['Power', [0, 0], 1],
    ['Power', [-8, 1 / 3], nan],
    ['Power', [10, 400], infinity],
    ['Log', [Math.E], 1],
    ['Log', [1], 0],
    ['Log', [0], -infinity],
    ['Log', [-1], nan],
    ['Log', [8, 2], 3],
    ['Log', [100, 10], 2],
    ['Log', [5, 1], nan],
    ['Log', [1, 1], nan],
    ['Log', [5, -2], nan],
    ['Clamp', [5, 1, 3], 3],
    ['Clamp', [0, 1, 3], 1],
    ['Clamp', [2, 1, 3], 2],
    ['Clamp', [2, 2, 2], 2],
    ['Clamp', [infinity, 1, 3], 3],
    ['Clamp', [nan, 1, 3], nan],
  ])

  it('Clamp refuses bounds the wrong way round', () => fails('JM5002', () => call('Clamp', [2, 3, 1])))
})

describe('RandomInt', () => {
  it('gives every integer between both ends, which are included, and nothing else', () => {
    const seen = new Set<unknown>()
    for (let i = 0; i < 2000; i++) seen.add(call('RandomInt', [-1.9, 2.9]))
    assert.deepEqual([...seen].sort(), [-1, 0, 1, 2])
  })

  it('cuts off fractions', () => {
    assert.equal(call('RandomInt', [5.2, 5.9]), 5)
    assert.equal(call('RandomInt', [5.9, 5.2]), 5)
    assert.equal(call('RandomInt', [-0.5, 0.5]), 0)
  })

  it('stays between both ends, however far they are apart', () => {
    const most = Number.MAX_SAFE_INTEGER
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (a, b) => {
        const least = Math.min(a, b)
        const greatest = Math.max(a, b)
        const drawn = call('RandomInt', [least, greatest]) as number
        assert.ok(Number.isInteger(drawn) && drawn >= least && drawn <= greatest)
      }),
    )
    const drawn = Array.from({ length: 100 }, () => call('RandomInt', [-most, most]) as number)
    assert.ok(drawn.some((value) => value < 0) && drawn.some((value) => value > 0))
  })

  for (const args of [
    [2, 1],
    [nan, 1],
    [1, nan],
    [0, infinity],
    [-infinity, 0],
    [0, 2 ** 53],
  ]) {
    it(`refuses ${args.join(' to ')}`, () => fails('JM5002', () => call('RandomInt', args)))
  }
})
