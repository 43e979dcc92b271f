import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { caller, fails, given, lambdaOf, plainOf, run, testContext } from '../../testing/context.ts'
import { isTruthy } from '../../values/kinds.ts'
import { ScriptArray, type Value } from '../../values/value.ts'
import { lambdaFunctions } from './lambdas.ts'
import { sort } from './sorting.ts'

const call = caller([...lambdaFunctions, sort])
const identity = lambdaOf((x) => x ?? null)
const named = (wanted: string) => {
  const native = lambdaFunctions.find(({ name }) => name === wanted)
  assert.ok(native !== undefined)
  return native
}

describe('the list of functions that call lambdas', () => {
  it('has all of the reference, with its parameters, and contains failures in SortBy only', () => {
    const plain = ['array array', 'callback function']
    assert.deepEqual(
      lambdaFunctions.map((native) => [
        native.name,
        native.parameters.map(({ name, kind }) => `${name} ${kind}`),
        'containsFailures' in native,
      ]),
      [
        ['Map', plain, false],
        ['Where', plain, false],
        ['Each', plain, false],
        ['Find', plain, false],
        ['All', plain, false],
        ['Any', plain, false],
        ['Reduce', [...plain, 'initial any'], false],
        ['SortBy', plain, true],
      ],
    )
  })
})

describe('functions and the results of their lambda', () => {
  const values = [0, 1, '', 'a', null, false, true, [], {}]
  const truthy = [1, 'a', true, [], {}]
  const length = lambdaOf((x) => (x instanceof ScriptArray ? x.items.length : null))

  const table: readonly (readonly [name: string, args: readonly unknown[], expected: unknown])[] = [
    ['Map', [[], identity], []],
    ['Map', [[1, 2], lambdaOf((x) => Number(x) * 2)], [2, 4]],
    ['Map', [values, identity], values],
    ['Map', [[[], [1]], length], [0, 1]],
    ['Where', [[], identity], []],
    ['Where', [values, identity], truthy],
    ['Where', [values, lambdaOf(() => Number.NaN)], values],
    ['Where', [values, lambdaOf(() => null)], []],
    ['Each', [[], identity], null],
    ['Each', [[1, 2], identity], null],
    ['Find', [[], identity], null],
    ['Find', [values, identity], 1],
    ['Find', [[0, null], identity], null],
    ['Find', [[null, 5], lambdaOf((x) => x === null || x === 5)], 5],
    ['All', [[], identity], true],
    ['All', [truthy, identity], true],
    ['All', [[1, 0], identity], false],
    ['Any', [[], identity], false],
    ['Any', [values, identity], true],
    ['Any', [[0, null, ''], identity], false],
    ['Reduce', [[], identity, 'first'], 'first'],
    ['Reduce', [[], identity, null], null],
    ['Reduce', [['a', 'b'], lambdaOf((sum, x) => `${sum}${x}`), '-'], '-ab'],
    ['Reduce', [[1, 2, 3], lambdaOf((sum, x) => Number(sum) - Number(x)), 10], 4],
    ['SortBy', [[], identity], []],
    ['SortBy', [[3, 1, 2], identity], [1, 2, 3]],
    ['SortBy', [['b', 'a', 'B'], identity], ['B', 'a', 'b']],
    ['SortBy', [[3, 1, 2], lambdaOf((x) => -Number(x))], [3, 2, 1]],
    ['SortBy', [[2, null], identity], [2, null]],
    ['SortBy', [[2, null, 1], identity], [1, null, 2]],
    ['SortBy', [[true, false], identity], [true, false]],
    ['SortBy', [[2, '1'], identity], [2, '1']],
    ['SortBy', [[1, Number.NaN], identity], [Number.NaN, 1]],
  ]
  for (const [name, args, expected] of table) {
    it(`${name} of ${JSON.stringify(args[0])} is ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(call(name, args), plainOf(given(expected)))
    })
  }

  it('return the elements themselves', () => {
    const element = given({ a: 1 })
    const array = new ScriptArray([element])
    for (const name of ['Where', 'SortBy']) {
      const answer = run(named(name), [array, lambdaOf(() => true)], testContext())
      assert.ok(answer instanceof ScriptArray && answer !== array)
      assert.equal(answer.items[0], element)
    }
  })
})

describe('calls of lambdas', () => {
  /** Records the arguments of each call, and returns the first. */
  function calls(name: string, items: readonly unknown[], answer: (item: Value) => Value, ...more: Value[]) {
    const seen: unknown[] = []
    const callback = lambdaOf((...args: Value[]) => {
      seen.push(args.map(plainOf))
      return answer(args.at(-1) ?? null)
    })
    call(name, [items, callback, ...more])
    return seen
  }

  for (const name of ['Map', 'Where', 'Each', 'Find', 'All', 'Any', 'SortBy']) {
    it(`${name} passes an element and nothing else`, () => {
      for (const args of calls(name, ['a', 'b'], () => true)) assert.equal((args as unknown[]).length, 1)
    })
  }

  it('follow the order to the end', () => {
    for (const name of ['Map', 'Where', 'Each'])
      assert.deepEqual(
        calls(name, [3, 1, 2], () => null),
        [[3], [1], [2]],
      )
  })

  it('stop once the result is known', () => {
    const isTwo = (item: Value): Value => item === 2
    assert.deepEqual(calls('Find', [1, 2, 3], isTwo), [[1], [2]])
    assert.deepEqual(calls('Any', [1, 2, 3], isTwo), [[1], [2]])
    assert.deepEqual(calls('All', [2, 1, 3], isTwo), [[2], [1]])
  })

  it('Reduce passes the result so far, then the element', () => {
    assert.deepEqual(
      calls('Reduce', [1, 2], (item) => Number(item) * 10, 'first'),
      [
        ['first', 1],
        [10, 2],
      ],
    )
  })

  it('SortBy calls a lambda without effects once for each element, with the same order', () => {
    const asked: Value[] = []
    const negated = (x: Value): Value => {
      asked.push(x)
      return -Number(x)
    }
    const values = Array.from({ length: 50 }, (_, i) => (i * 7) % 23)
    const often = call('SortBy', [values, lambdaOf(negated)])
    assert.ok(asked.length > 100)
    asked.length = 0
    assert.deepEqual(call('SortBy', [values, lambdaOf(negated, true)]), often)
    assert.deepEqual(asked, values)
    asked.length = 0
    assert.deepEqual(call('SortBy', [[4], lambdaOf(negated, true)]), [4])
    assert.deepEqual(asked, [])
  })

  it('SortBy calls for both sides of each comparison, and for nothing else', () => {
    assert.deepEqual(
      calls('SortBy', [], () => 0),
      [],
    )
    assert.deepEqual(
      calls('SortBy', [1], () => 0),
      [],
    )
    assert.deepEqual(
      calls('SortBy', [1, 2], () => 0),
      [[1], [2]],
    )
    assert.deepEqual(
      calls('SortBy', [1, 2, 3], () => 0),
      [[1], [2], [1], [3], [2], [3]],
    )
    assert.deepEqual(
      calls('SortBy', [1, 3, 2, 4], (item) => item),
      [[3], [1], [2], [3], [2], [1], [4], [3]],
    )
  })
})

describe('an array that a lambda changes', () => {
  for (const name of ['Map', 'Where', 'Each', 'All', 'Reduce', 'SortBy']) {
    it(`gives the elements up to its length when ${name} began`, () => {
      const array = new ScriptArray([1, 2, 3])
      let asked = 0
      const callback = lambdaOf(() => {
        asked++
        assert.ok(asked < 100, 'goes on and on')
        array.items.push(asked)
        return true
      })
      const answer = run(named(name), [array, callback, null], testContext())
      assert.equal(asked, name === 'SortBy' ? 6 : 3)
      if (answer instanceof ScriptArray) assert.equal(answer.items.length, 3)
    })
  }

  it('is read element by element', () => {
    const array = new ScriptArray([1, 2])
    const callback = lambdaOf((item) => {
      array.items[1] = 'new'
      return item ?? null
    })
    assert.deepEqual(plainOf(run(named('Map'), [array, callback], testContext())), [1, 'new'])
    assert.equal(array.version, 0)
  })
})

describe('SortBy', () => {
  it('sorts like Sort if the key is the element', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.integer()), fc.array(fc.string())), (items) => {
        assert.deepEqual(call('SortBy', [items, identity]), call('Sort', [items]))
      }),
    )
  })

  it('does not change its argument', () => {
    const array = new ScriptArray([3, 1, 2])
    run(named('SortBy'), [array, identity], testContext())
    assert.deepEqual(array.items, [3, 1, 2])
  })

  it('ends without losing elements, or fails, with a lambda that returns random values', () => {
    const answers = fc.infiniteStream(fc.constantFrom<Value[]>(1, 2, Number.NaN, null, 'a', 'b', true))
    fc.assert(
      fc.property(fc.nat(200), answers, (size, stream) => {
        const items = Array.from({ length: size }, (_, i) => i)
        const random = lambdaOf(() => stream.next().value ?? null)
        let sorted: unknown
        try {
          sorted = call('SortBy', [items, random])
        } catch (failure) {
          fails('JM5002', () => {
            throw failure
          })
          return
        }
        assert.deepEqual(
          (sorted as number[]).toSorted((left, right) => left - right),
          items,
        )
      }),
    )
  })
})

describe('every function that calls lambdas', () => {
  const many = Array.from({ length: 100 }, (_, i) => i)
  for (const native of lambdaFunctions) {
    it(`${native.name} counts its work`, () => {
      const answer = native.name === 'Any' || native.name === 'Find' ? null : true
      fails('JM5903', () => {
        call(native.name, [many, lambdaOf(() => answer), null], testContext({ mostUnits: 90 }))
      })
    })
  }
  for (const name of ['Map', 'Where', 'SortBy']) {
    it(`${name} counts the memory of what it makes`, () => {
      fails('JM5910', () => call(name, [many, lambdaOf(() => true)], testContext({ mostBytes: 800 })))
    })
  }

  it('agrees with JavaScript', () => {
    const items = fc.array(fc.constantFrom<Value[]>(0, 1, 2, '', 'a', null, true, false))
    fc.assert(
      fc.property(items, (values) => {
        assert.deepEqual(call('Where', [values, identity]), values.filter(isTruthy))
        assert.equal(call('All', [values, identity]), values.every(isTruthy))
        assert.equal(call('Any', [values, identity]), values.some(isTruthy))
        assert.equal(call('Find', [values, identity]), values.find(isTruthy) ?? null)
      }),
    )
  })
})
