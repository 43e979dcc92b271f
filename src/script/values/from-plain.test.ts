import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nullPrototypeObject } from '../../kernel/null-prototype-object.ts'
import { ScriptFailure } from '../failure.ts'
import { plainOf, testMaker } from '../testing/maker.ts'
import { fromPlain } from './from-plain.ts'

const convert = (plain: unknown) => plainOf(fromPlain(plain, testMaker()))

describe('fromPlain', () => {
  it('keeps scalars as they are', () => {
    for (const scalar of [null, true, false, 0, -0, 1.5, Number.NaN, Infinity, '', 'a']) {
      assert.deepEqual(convert(scalar), scalar)
    }
  })

  it('converts arrays and objects all the way down', () => {
    assert.deepEqual(convert([1, [{ a: [null] }], {}]), [1, [{ '{}': [['a', [null]]] }], { '{}': [] }])
    for (const empty of [Object.create(null), nullPrototypeObject()]) {
      assert.deepEqual(convert(Object.assign(empty, { a: 1 })), { '{}': [['a', 1]] })
    }
  })

  it('leaves out members that are undefined, inherited, hidden or named by a symbol', () => {
    const plain = { a: undefined, b: 1, [Symbol('c')]: 2 }
    Object.defineProperty(plain, 'hidden', { value: 3, enumerable: false })
    assert.deepEqual(convert(plain), { '{}': [['b', 1]] })
  })

  it('treats hostile keys as plain ones', () => {
    const plain = JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":3}')
    assert.deepEqual(convert(plain), {
      '{}': [
        ['__proto__', { '{}': [['a', 1]] }],
        ['constructor', 2],
        ['toString', 3],
      ],
    })
  })

  const notPlain: readonly (readonly [title: string, value: unknown])[] = [
    ['undefined', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a boxed number', Object(1)],
    ['an instance', new (class Thing {})()],
    ['an inheriting object', Object.create({ a: 1 })],
  ]
  for (const [title, value] of notPlain) {
    it(`refuses ${title}, nested ones too`, () => {
      assert.throws(() => convert(value), TypeError)
      assert.throws(() => convert([value]), TypeError)
      if (value !== undefined) assert.throws(() => convert({ a: value }), TypeError)
    })
  }

  it('refuses arrays with holes', () => {
    assert.throws(() => convert(new Array(1)), TypeError)
  })

  it('refuses values that contain themselves', () => {
    const cycle: unknown[] = []
    cycle.push(cycle)
    assert.throws(
      () => convert(cycle),
      (failure) => failure instanceof ScriptFailure && failure.code === 'JM5002',
    )
  })

  it('counts the memory of what it makes', () => {
    const maker = testMaker()
    fromPlain({ a: ['bcd', 1] }, maker)
    assert.equal(maker.bytes, 64 + 16 + (48 + 2 * 16) + (24 + 2 * 3))
    assert.ok(maker.units >= 3)
  })
})
