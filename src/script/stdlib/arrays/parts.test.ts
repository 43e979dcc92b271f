import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { caller, fails, given, testContext } from '../../testing/context.ts'
import { insert, removeAt, removeFirst, removeLast, skip, slice } from './parts.ts'

const call = caller([slice, skip, insert, removeAt, removeFirst, removeLast])

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

describe('parts', () => {
  const abc = ['a', 'b', 'c']
  answers([
    ['Slice', [abc, 1], ['b', 'c']],
    ['Slice', [abc, 0, 2], ['a', 'b']],
    ['Slice', [abc, -2], abc],
    ['Slice', [abc, -2, 1], ['a']],
    ['Slice', [abc, 1, 99], ['b', 'c']],
    ['Slice', [abc, 2, 1], []],
    ['Slice', [abc, 1, 1], []],
    ['Slice', [abc, 0, -1], []],
    ['Slice', [abc, 7], []],
    ['Slice', [abc, 7, 9], []],
    ['Slice', [abc, -0], abc],
    ['Slice', [[], 0, 0], []],
    ['Skip', [abc, 1], ['b', 'c']],
    ['Skip', [abc, 1.9], ['b', 'c']],
    ['Skip', [abc, 0], abc],
    ['Skip', [abc, -0.9], abc],
    ['Skip', [abc, 3], []],
    ['Skip', [abc, 1e300], []],
    ['Skip', [abc, Number.POSITIVE_INFINITY], []],
    ['Insert', [abc, 0, 1], [1, ...abc]],
    ['Insert', [abc, 3, null], [...abc, null]],
    ['Insert', [[], 0, []], [[]]],
    ['RemoveAt', [abc, 1], ['a', 'c']],
    ['RemoveAt', [abc, 0], ['b', 'c']],
    ['RemoveAt', [abc, 3], abc],
    ['RemoveAt', [abc, -1], abc],
    ['RemoveAt', [abc, 1e20], abc],
    ['RemoveAt', [[], 0], []],
    ['RemoveFirst', [abc], ['b', 'c']],
    ['RemoveFirst', [[]], []],
    ['RemoveLast', [abc], ['a', 'b']],
    ['RemoveLast', [[]], []],
  ])

  const refused = [
    ['JM5904', 'Slice', [abc, 0.5]],
    ['JM5904', 'Slice', [abc, Number.NaN]],
    ['JM5904', 'Slice', [abc, 0, 1.5]],
    ['JM5904', 'Slice', [abc, 0, Number.POSITIVE_INFINITY]],
    ['JM5002', 'Slice', [abc, 2 ** 31]],
    ['JM5002', 'Slice', [abc, 0, 2 ** 31]],
    ['JM5002', 'Slice', [abc, -(2 ** 31) - 1]],
    ['JM5002', 'Skip', [abc, -1]],
    ['JM5002', 'Skip', [abc, Number.NaN]],
    ['JM5904', 'Insert', [abc, 0.5, 1]],
    ['JM5904', 'Insert', [abc, Number.NaN, 1]],
    ['JM5300', 'Insert', [abc, -1, 1]],
    ['JM5300', 'Insert', [abc, 4, 1]],
    ['JM5300', 'Insert', [abc, 1e20, 1]],
    ['JM5904', 'RemoveAt', [abc, 1.5]],
    ['JM5904', 'RemoveAt', [abc, Number.NEGATIVE_INFINITY]],
  ] as const
  for (const [code, name, args] of refused) {
    it(`${name}(${args.map(show).join(', ')}) is ${code}`, () => fails(code, () => call(name, args)))
  }

  it('RemoveAt copies even if there is nothing to remove', () => {
    const array = given(abc)
    assert.ok('body' in removeAt)
    assert.notEqual(removeAt.body(testContext(), array as never, 9 as never), array)
  })

  const items = fc.array(fc.integer(), { maxLength: 20 })
  const position = fc.integer({ min: -5, max: 25 })
  const length = (array: unknown): number => (array as unknown[]).length

  it('a slice and the parts before and behind it make the whole', () => {
    fc.assert(
      fc.property(items, fc.nat(20), fc.nat(20), (array, a, b) => {
        const from = Math.min(a, b)
        const to = Math.max(a, b)
        const joined = [
          call('Slice', [array, 0, from]),
          call('Slice', [array, from, to]),
          call('Slice', [array, to]),
        ]
        assert.deepEqual(joined.flat(), array)
      }),
    )
  })

  it('skipping equals slicing from that position', () => {
    fc.assert(
      fc.property(items, fc.nat(25), (array, count) => {
        assert.deepEqual(call('Skip', [array, count]), call('Slice', [array, count]))
      }),
    )
  })

  it('slicing never counts from the end', () => {
    fc.assert(
      fc.property(items, position, position, (array, from, to) => {
        const expected = array.filter((_, i) => i >= from && i < to)
        assert.deepEqual(call('Slice', [array, from, to]), expected)
      }),
    )
  })

  it('removing what was inserted gives the array back', () => {
    fc.assert(
      fc.property(items, fc.nat(25), fc.string(), (array, at, value) => {
        fc.pre(at <= array.length)
        const inserted = call('Insert', [array, at, value])
        assert.equal(length(inserted), array.length + 1)
        assert.equal((inserted as unknown[])[at], value)
        assert.deepEqual(call('RemoveAt', [inserted, at]), array)
      }),
    )
  })
})
