import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ScriptFailure } from '../failure.ts'
import {
  arrayOf,
  cycles,
  nestedArrays,
  objectOf,
  sharedTwice,
  TestFunction,
  testMaker,
} from '../testing/maker.ts'
import { areEqual } from './equality.ts'
import { fromPlain } from './from-plain.ts'
import type { Value } from './value.ts'

const equal = (left: Value, right: Value, nullEqualsNull = false, functions: 'same' | 'never' = 'same') =>
  areEqual(left, right, { work: () => {}, nullEqualsNull, numericTextIsNumber: nullEqualsNull }, functions)

const lambda = new TestFunction()

describe('areEqual', () => {
  const rows: readonly (readonly [
    title: string,
    left: Value,
    right: Value,
    strict: boolean,
    service?: boolean,
  ])[] = [
    ['null and null', null, null, false, true],
    ['null and false', null, false, false],
    ['zero and null', 0, null, false],
    ['equal texts', 'ab', 'ab', true],
    ['texts in another letter case', 'ab', 'aB', false],
    ['long texts', 'x'.repeat(2000), 'x'.repeat(2000), true],
    ['long texts that end differently', `${'x'.repeat(2000)}a`, `${'x'.repeat(2000)}b`, false],
    ['equal numbers', 1.5, 1.5, true],
    ['zero and minus zero', 0, -0, true],
    ['NaN and NaN', Number.NaN, Number.NaN, false],
    ['infinity and infinity', Infinity, Infinity, false],
    ['the number 1 and the text 1', 1, '1', false, true],
    ['the text 1.0 and the number 1', '1.0', 1, false, true],
    ['an array of numbers and one of their texts', arrayOf(1, 2), arrayOf('1', ' 2'), false, true],
    ['the number 0 and the empty text', 0, '', false],
    ['infinity and a text beyond the range of doubles', Number.POSITIVE_INFINITY, '1e400', false],
    ['the number 1 and true', 1, true, false],
    ['zero and false', 0, false, false],
    ['false and false', false, false, true],
    ['the empty text and false', '', false, false],
    ['empty arrays', arrayOf(), arrayOf(), true],
    ['arrays of equal elements', arrayOf(1, 'a'), arrayOf(1, 'a'), true],
    ['arrays in another order', arrayOf(1, 2), arrayOf(2, 1), false],
    ['an array and a longer one', arrayOf(1), arrayOf(1, 1), false],
    ['arrays of null', arrayOf(null), arrayOf(null), false, true],
    ['an empty array and an empty object', arrayOf(), objectOf(), false],
    ['an array and a text', arrayOf('a'), 'a', false],
    ['empty objects', objectOf(), objectOf(), true],
    ['objects in another order', objectOf(['a', 1], ['b', 2]), objectOf(['b', 2], ['a', 1]), true],
    ['objects with other keys', objectOf(['a', 1]), objectOf(['b', 1]), false],
    ['an object and one with more keys', objectOf(['a', 1]), objectOf(['a', 1], ['b', 1]), false],
    ['objects that hold null', objectOf(['k', null]), objectOf(['k', null]), false, true],
    ['a key with null and another key', objectOf(['a', null]), objectOf(['b', null]), false],
    ['nested ones', arrayOf(objectOf(['a', arrayOf(1)])), arrayOf(objectOf(['a', arrayOf(1)])), true],
    [
      'nested ones that differ',
      arrayOf(objectOf(['a', arrayOf(1)])),
      arrayOf(objectOf(['a', arrayOf(2)])),
      false,
    ],
    ['a function and itself', lambda, lambda, true],
    ['two functions', lambda, new TestFunction(), false],
    ['a function and null', lambda, null, false],
  ]
  for (const [title, left, right, strict, service = strict] of rows) {
    it(`${strict ? 'finds' : 'does not find'} ${title} equal`, () => {
      assert.equal(equal(left, right), strict)
      assert.equal(equal(right, left), strict)
    })
    it(`${service ? 'finds' : 'does not find'} ${title} equal where null equals null`, () => {
      assert.equal(equal(left, right, true), service)
      assert.equal(equal(right, left, true), service)
    })
  }

  it('does not find a value that contains null or NaN equal to itself', () => {
    for (const value of [arrayOf(null), objectOf(['k', null]), arrayOf(Number.NaN)]) {
      assert.equal(equal(value, value), false)
    }
  })

  it('finds no two functions equal where functions never are, not even nested ones', () => {
    assert.equal(equal(lambda, lambda, true, 'never'), false)
    assert.equal(equal(arrayOf(lambda), arrayOf(lambda), true, 'never'), false)
    assert.equal(equal(arrayOf(lambda), arrayOf(lambda), true, 'same'), true)
  })

  it('compares objects from which keys were deleted', () => {
    const object = objectOf(['a', 1], ['b', 2], ['c', 3])
    object.delete('b')
    assert.equal(equal(object, objectOf(['c', 3], ['a', 1])), true)
    assert.equal(equal(objectOf(['c', 3], ['a', 1]), object), true)
    assert.equal(equal(object, objectOf(['c', 3], ['b', 1])), false)
  })

  it('treats hostile keys as plain ones', () => {
    for (const key of ['__proto__', 'constructor', 'prototype', 'toString']) {
      assert.equal(equal(objectOf([key, 1]), objectOf([key, 1])), true)
      assert.equal(equal(objectOf([key, 1]), objectOf(['x', 1])), false)
    }
  })

  it('refuses values that contain themselves, and compares a thousand levels', () => {
    for (const value of cycles()) {
      assert.throws(
        () => equal(value, value),
        (failure) => failure instanceof ScriptFailure && failure.code === 'JM5002',
      )
    }
    assert.equal(equal(nestedArrays(999), nestedArrays(999)), true)
    assert.throws(() => equal(nestedArrays(1000), nestedArrays(1000)), ScriptFailure)
  })

  it('counts every element and every hundred units of long texts', () => {
    const stop = new Error('stop')
    const limited = (left: Value, right: Value, most: number) => {
      let units = 0
      const work = (more: number) => {
        units += more
        if (units > most) throw stop
      }
      return areEqual(left, right, { work, nullEqualsNull: true })
    }
    const long = 'x'.repeat(100_000)
    const wide = () => arrayOf(...Array.from({ length: 10_000 }, (_, i) => i))
    assert.throws(() => limited(wide(), wide(), 9_999), stop)
    assert.throws(() => limited(long, `${long}`, 900), stop)
    assert.equal(limited('short', 'short', 0), true)
  })

  it('compares parts that occur many times once', () => {
    let units = 0
    const work = (more: number) => {
      units += more
      if (units > 20_000) throw new Error(`${units} units`)
    }
    const doubled = (last: Value) => {
      let value: Value = arrayOf(last)
      for (let i = 0; i < 40; i++) value = objectOf(['a', value], ['b', arrayOf(value)])
      return value
    }
    assert.equal(areEqual(doubled(1), doubled(1), { work }), true)
    assert.equal(areEqual(sharedTwice(500), sharedTwice(500), { work }), true)
    // The difference comes after parts that are known to be equal.
    const ending = (last: Value) => arrayOf(doubled(1), doubled(1), last)
    assert.equal(areEqual(ending(1), ending(2), { work }), false)
  })

  it('is symmetric, and reflexive where null equals null', () => {
    const value = fc.jsonValue().map((plain) => fromPlain(plain, testMaker()))
    fc.assert(
      fc.property(value, value, (left, right) => {
        assert.equal(equal(left, right), equal(right, left))
        assert.equal(equal(left, left, true), true)
      }),
    )
  })
})
