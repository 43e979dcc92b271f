import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { caller, fails, testContext } from '../../testing/context.ts'
import { ARRAY_BYTES, bytesOfList } from '../../values/sizes.ts'
import { ScriptArray, type Value } from '../../values/value.ts'
import { flatten, flattenOnce, selectMany } from './nesting.ts'

const call = caller([flatten, flattenOnce, selectMany])

/** This many nested arrays. */
function nested(levels: number): ScriptArray {
  let array = new ScriptArray([1])
  for (let i = 1; i < levels; i++) array = new ScriptArray([array])
  return array
}

function selfContaining(...others: Value[]): ScriptArray {
  const array = new ScriptArray(others)
  array.items.push(array)
  return array
}

/** Small, but has 2 to the power of levels elements when it is flattened. */
function doubling(levels: number, innermost: ScriptArray): ScriptArray {
  let array = innermost
  for (let i = 0; i < levels; i++) array = new ScriptArray([array, array])
  return array
}

describe('Flatten', () => {
  const table: readonly (readonly [unknown[], unknown[]])[] = [
    [[], []],
    [[[], [[]]], []],
    [
      [1, [2, [3, [4]], 5], 6],
      [1, 2, 3, 4, 5, 6],
    ],
    [
      [null, [null, 1], 'ab'],
      [null, null, 1, 'ab'],
    ],
    [
      [false, [0, ['']]],
      [false, 0, ''],
    ],
  ]
  for (const [value, expected] of table) {
    it(`makes ${JSON.stringify(expected)} of ${JSON.stringify(value)}`, () => {
      assert.deepEqual(call('Flatten', [value]), expected)
    })
  }

  it('agrees with JavaScript', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.array(fc.oneof({ depthSize: 'small' }, fc.constantFrom(null, 1, 'a'), tie('value'))),
    }))
    fc.assert(
      fc.property(value, (array) => {
        assert.deepEqual(call('Flatten', [array]), (array as unknown[]).flat(Number.POSITIVE_INFINITY))
      }),
    )
  })

  it('supports a thousand levels and no more', () => {
    assert.deepEqual(call('Flatten', [nested(1000)]), [1])
    fails('JM5002', () => call('Flatten', [nested(1001)]))
    fails('JM5002', () => call('Flatten', [nested(1_000_000)]))
  })

  it('refuses an array that contains itself', () => {
    fails('JM5002', () => call('Flatten', [selfContaining()]))
    fails('JM5002', () => call('Flatten', [selfContaining(1, 2)]))
  })

  it('counts the elements that it finds, and empty arrays', () => {
    const many = doubling(60, new ScriptArray([1]))
    fails('JM5910', () => call('Flatten', [many], testContext({ mostBytes: 100_000 })))
    const none = new ScriptArray(Array.from({ length: 50_000 }, () => new ScriptArray([])))
    fails('JM5903', () => call('Flatten', [none], testContext({ mostUnits: 100_000 })))
  })

  it('walks a part without elements once, however often it occurs', () => {
    const none = doubling(60, new ScriptArray([]))
    assert.deepEqual(call('Flatten', [none], testContext({ mostUnits: 1000 })), [])
    assert.deepEqual(
      call('Flatten', [new ScriptArray([none, 1, none])], testContext({ mostUnits: 1000 })),
      [1],
    )
  })

  it('flattens several levels of shared parts with elements', () => {
    const some = new ScriptArray([new ScriptArray([]), 1])
    assert.deepEqual(call('Flatten', [doubling(2, some)]), [1, 1, 1, 1])
  })
})

describe('FlattenOnce', () => {
  const table: readonly (readonly [unknown[], unknown[]])[] = [
    [[], []],
    [
      [null, [1, null]],
      [1, null],
    ],
    [
      [1, [2, [3]], 'ab', false],
      [1, 2, [3], 'ab', false],
    ],
    [[[], null, []], []],
  ]
  for (const [value, expected] of table) {
    it(`makes ${JSON.stringify(expected)} of ${JSON.stringify(value)}`, () => {
      assert.deepEqual(call('FlattenOnce', [value]), expected)
    })
  }

  it('flattens an array that contains itself once', () => {
    const array = selfContaining(1)
    const answer = 'body' in flattenOnce && flattenOnce.body(testContext(), array as never)
    assert.ok(answer instanceof ScriptArray)
    assert.deepEqual(answer.items, [1, 1, array])
  })

  it('counts elements that add nothing to the result', () => {
    const empty = Array(1001).fill([])
    fails('JM5903', () => call('FlattenOnce', [empty], testContext({ mostUnits: 1000 })))
  })

  it('counts the result before it is made', () => {
    const inner = new ScriptArray(Array(10_000).fill(1))
    const outer = new ScriptArray(Array(10_000).fill(inner))
    const context = testContext({ mostBytes: 1_000_000 })
    fails('JM5910', () => call('FlattenOnce', [outer], context))
    assert.equal(context.bytes, ARRAY_BYTES + bytesOfList(10_000 * 10_000))
  })
})

describe('SelectMany', () => {
  const rows = [
    { tags: ['a', 'b'], deep: { list: [1] } },
    { tags: 'text', deep: null },
    { tags: [] },
    null,
    ['tags'],
    { tags: [null, ['c']], deep: { list: [2, 3] } },
    {},
  ]
  for (const [fieldName, expected] of [
    ['tags', ['a', 'b', null, ['c']]],
    ['deep.list', [1, 2, 3]],
    ['deep', []],
    ['missing', []],
    ['', []],
  ] as const) {
    it(`finds ${JSON.stringify(expected)} by '${fieldName}'`, () => {
      assert.deepEqual(call('SelectMany', [rows, fieldName]), expected)
    })
  }

  it('counts the elements of each array as work', () => {
    const rows = [{ list: Array(1000).fill(1) }]
    fails('JM5903', () => call('SelectMany', [rows, 'list'], testContext({ mostUnits: 1000 })))
  })

  it('counts each array before it copies its elements', () => {
    const shared = new ScriptArray(Array(10_000).fill(1))
    const many = Array.from({ length: 10_000 }, () => ({ shared }))
    const context = testContext({ mostBytes: 1_000_000 })
    fails('JM5910', () => call('SelectMany', [many, 'shared'], context))
    assert.ok(context.bytes < 1_200_000)
  })
})
