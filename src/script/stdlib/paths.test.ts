import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fails, given, plainOf, testContext } from '../testing/context.ts'
import { fieldReader, lastSegment } from './paths.ts'

const read = (path: string, value: unknown): unknown =>
  plainOf(fieldReader(path, testContext())(given(value)))

describe('fieldReader', () => {
  const value = {
    a: { b: { c: 1 }, '': 'empty' },
    'a.b': 'dotted',
    list: [{ x: 1 }],
    text: 'abc',
    none: null,
  }
  const table: readonly (readonly [path: string, unknown])[] = [
    ['text', 'abc'],
    ['none', null],
    ['missing', null],
    ['a.b.c', 1],
    ['a.b.c.d', null],
    ['a.x.c', null],
    ['none.x', null],
    ['a.', 'empty'],
    ['.a', null],
    ['.', null],
    ['', null],
    ['list.x', null],
    ['list.0', null],
    ['text.length', null],
  ]
  for (const [path, expected] of table) {
    it(`reads '${path}' as ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(read(path, value), expected)
    })
  }

  it('reads an empty path as the empty key', () => {
    assert.equal(read('', { '': 1 }), 1)
  })

  it('does not reach a key that contains a dot', () => {
    assert.equal(read('a.b', { 'a.b': 1 }), null)
  })

  for (const value of [null, 1, 'text', true, [], [{ a: 1 }]]) {
    it(`reads nothing of ${JSON.stringify(value)}`, () => {
      assert.equal(read('a', value), null)
      assert.equal(read('a.a', value), null)
    })
  }

  it('counts the segments of a path before it splits them', () => {
    fails('JM5910', () => fieldReader('.'.repeat(10_000), testContext({ mostBytes: 100_000 })))
    fails('JM5903', () => fieldReader('.'.repeat(10_000), testContext({ mostUnits: 10_000 })))
  })

  it('counts each step on the way', () => {
    const loop = given({}) as ReturnType<typeof given> & { set(key: string, value: unknown): void }
    loop.set('self', loop)
    const context = testContext()
    const reader = fieldReader(Array(1000).fill('self').join('.'), context)
    const before = context.units
    assert.equal(reader(loop), loop)
    assert.equal(context.units - before, 1000)
  })
})

describe('lastSegment', () => {
  for (const [path, name] of [
    ['a', 'a'],
    ['a.b.c', 'c'],
    ['a.', ''],
    ['', ''],
  ] as const) {
    it(`calls a copy of '${path}' '${name}'`, () => assert.equal(lastSegment(path), name))
  }
})
