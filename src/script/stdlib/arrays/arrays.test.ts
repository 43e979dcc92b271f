import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { caller, fails, given, lambdaOf, plainOf, testContext } from '../../testing/context.ts'
import { ScriptArray } from '../../values/value.ts'
import { arrayFunctions } from './arrays.ts'

const call = caller(arrayFunctions)
const f = lambdaOf((x) => x)
const same = [1, null]

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

describe('the list of array functions', () => {
  it('has all of the reference, with its parameters', () => {
    const letters = { text: 'S', number: 'N', array: 'A', object: 'O', function: 'F', any: '*' }
    assert.deepEqual(
      arrayFunctions.map(({ name, parameters }) => {
        const written = parameters.map((p) => `${p.name}${p.optional ? '?' : ''} ${letters[p.kind]}`)
        return `${name}(${written.join(', ')})`
      }),
      [
        'Length(value *)',
        'Append(left A, right *)',
        'Prepend(left A, right *)',
        'First(value A)',
        'Last(value A)',
        'IndexOf(left *, right *)',
        'Reverse(value A)',
        'Slice(arr A, start N, end? N)',
        'Concatenate(left A, right A)',
        'Distinct(value A)',
        'Sort(value A)',
        'Flatten(value A)',
        'FlattenOnce(value A)',
        'Range(start N, end N, step? N)',
        'Skip(left A, right N)',
        'Insert(array A, index N, value *)',
        'RemoveAt(left A, right N)',
        'RemoveFirst(value A)',
        'RemoveLast(value A)',
        'RandomChoice(value A)',
        'SortByField(array A, fieldName S, direction S)',
        'GroupBy(array A, fieldName S)',
        'SelectMany(array A, fieldName S)',
      ],
    )
  })
})

describe('Length', () => {
  answers([
    ['Length', [null], 0],
    ['Length', [''], 0],
    ['Length', ['a\u{1F600}'], 3],
    ['Length', [[1, null]], 2],
    ['Length', [{ a: null, b: 1 }], 2],
    ['Length', [12], 1],
    ['Length', [0], 1],
    ['Length', [false], 1],
    ['Length', [f], 1],
  ])
})

describe('adding and joining', () => {
  answers([
    ['Append', [[1], null], [1, null]],
    ['Append', [[], [2]], [[2]]],
    ['Prepend', [[1], 2], [2, 1]],
    ['Prepend', [[], null], [null]],
    ['First', [[]], null],
    ['First', [[5, 6]], 5],
    ['First', [[false, 6]], false],
    ['Last', [[]], null],
    ['Last', [[5, 6]], 6],
    ['Reverse', [[1, null, 3]], [3, null, 1]],
    ['Reverse', [[]], []],
    [
      'Concatenate',
      [
        [1, 2],
        [2, null],
      ],
      [1, 2, 2, null],
    ],
    ['Concatenate', [[], []], []],
  ])

  it('reversing twice changes nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (array) => {
        assert.deepEqual(call('Reverse', [call('Reverse', [array])]), array)
      }),
    )
  })

  it('shares elements rather than copying them', () => {
    const inner = given({ a: 1 })
    const result = arrayFunctions.find(({ name }) => name === 'Append')
    assert.ok(result !== undefined && 'body' in result)
    const appended = result.body(testContext(), new ScriptArray([inner]) as never, inner as never)
    assert.ok(appended instanceof ScriptArray)
    assert.equal(appended.items[0], inner)
    assert.equal(appended.items[1], inner)
  })
})

describe('IndexOf', () => {
  answers([
    ['IndexOf', ['abcb', 'b'], 1],
    ['IndexOf', ['abc', 'B'], -1],
    ['IndexOf', ['abc', ''], 0],
    ['IndexOf', ['', ''], 0],
    ['IndexOf', [[1, '1', 1], '1'], 1],
    ['IndexOf', [['a', 'b'], 'c'], -1],
    ['IndexOf', [[], null], -1],
    ['IndexOf', [[null], null], -1],
    ['IndexOf', [[{ a: [1] }, { a: [2] }], { a: [2] }], 1],
    ['IndexOf', [[same], same], -1],
    ['IndexOf', [[f], f], -1],
    ['IndexOf', [[Number.NaN], Number.NaN], -1],
    ['IndexOf', [[Number.POSITIVE_INFINITY], Number.POSITIVE_INFINITY], -1],
    ['IndexOf', [[-0], 0], 0],
    ['IndexOf', [[1, null], null], -1],
    ['IndexOf', [[same], same], -1],
    ['IndexOf', [[f], f], -1],
  ])
  for (const [left, right] of [
    [null, 1],
    [null, null],
    ['a1', 1],
    ['null', null],
    [12, 1],
    [{ a: 1 }, 'a'],
    [true, true],
  ]) {
    it(`cannot look for ${show(right)} in ${show(left)}`, () => {
      fails('JM5704', () => call('IndexOf', [left, right]))
    })
  }
  it('counts its work', () => {
    const long = Array(1001).fill(0)
    fails('JM5903', () => call('IndexOf', [long, 1], testContext({ mostUnits: 1000 })))
    fails('JM5903', () => call('IndexOf', ['a'.repeat(100_000), 'b'], testContext({ mostUnits: 500 })))
  })
})

describe('RandomChoice', () => {
  answers([
    ['RandomChoice', [[]], null],
    ['RandomChoice', [[null]], null],
    ['RandomChoice', [[7]], 7],
  ])

  it('gives every element, and nothing else', () => {
    const seen = new Set<unknown>()
    for (let i = 0; i < 1000; i++) seen.add(call('RandomChoice', [['a', 'b', 'c']]))
    assert.deepEqual([...seen].sort(), ['a', 'b', 'c'])
  })
})

describe('every array function', () => {
  const row = { n: 2, t: 'b', list: [1, [2]] }
  const list = [3, 1, null, 'x', true, [1, [2]], row, row]
  const samples: ReadonlyMap<string, readonly unknown[]> = new Map([
    ['array', list],
    ['any', 'value'],
    ['number', 1],
    ['text', 'list'],
  ] as [string, never][])

  for (const { name, parameters } of arrayFunctions) {
    it(`${name} does not change its arguments`, () => {
      const args = parameters.map(({ kind }) => given(samples.get(kind)))
      const before = args.map(plainOf)
      call(name, args)
      assert.deepEqual(args.map(plainOf), before)
      for (const arg of args) if (arg instanceof ScriptArray) assert.equal(arg.version, 0)
    })
  }

  const copying = arrayFunctions.filter(({ returns, name }) => returns === 'array' && name !== 'Range')
  for (const { name, parameters } of copying) {
    it(`${name} counts the memory of what it makes`, () => {
      const big = Array.from({ length: 1000 }, (_, i) => ({ list: [i], n: i }))
      const items = name.startsWith('Flatten') ? big.map((_, i) => [i]) : big
      const args = parameters.map(({ kind, optional }) =>
        optional ? undefined : given(kind === 'array' ? items : samples.get(kind)),
      )
      fails('JM5910', () => call(name, args, testContext({ mostBytes: 8000 })))
    })
  }
})
