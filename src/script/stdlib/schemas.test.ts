import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { caller, entries, fails, testContext } from '../testing/context.ts'
import { schemaFunctions } from './schemas.ts'

const call = caller(schemaFunctions)

describe('the list of schema functions', () => {
  it('has the functions of the reference, with their parameters', () => {
    assert.deepEqual(
      schemaFunctions.map(({ name, parameters }) => [
        name,
        parameters.map(({ name, kind }) => `${name} ${kind}`),
      ]),
      [
        ['ValidateRequired', ['obj object', 'fields array']],
        ['ValidateSchema', ['data any', 'schema object']],
      ],
    )
  })
})

describe('ValidateRequired', () => {
  const rows: readonly (readonly [object: unknown, fields: readonly unknown[], errors: readonly string[]])[] =
    [
      [{}, [], []],
      [{ a: 1, b: 'x' }, ['a', 'b'], []],
      [{ a: 0, b: false, c: [], d: {} }, ['a', 'b', 'c', 'd'], []],
      [{}, ['b', 'a'], ['Missing required field: b', 'Missing required field: a']],
      [{ a: null }, ['a'], ['Field is null: a']],
      [{ a: '' }, ['a'], ['Field is empty: a']],
      [{ a: ' \t\r\n\u00a0\u0085\u2003\u3000' }, ['a'], ['Field is empty: a']],
      [{ a: '\ufeff' }, ['a'], []],
      [{ a: '\u200b' }, ['a'], []],
      [{ a: { b: 1 } }, ['a.b'], ['Missing required field: a.b']],
      [{ 'a.b': 1 }, ['a.b'], []],
      [
        {},
        ['toString', '__proto__'],
        ['Missing required field: toString', 'Missing required field: __proto__'],
      ],
      [{}, [1, null, ['a'], 'x', 'x'], ['Missing required field: x', 'Missing required field: x']],
      [
        { a: null, b: '', c: 1 },
        ['c', 'b', 'd', 'a'],
        ['Field is empty: b', 'Missing required field: d', 'Field is null: a'],
      ],
    ]
  for (const [object, fields, errors] of rows) {
    it(`finds ${JSON.stringify(errors)} in ${JSON.stringify(object)} for ${JSON.stringify(fields)}`, () => {
      assert.deepEqual(
        call('ValidateRequired', [object, fields]),
        entries(['valid', errors.length === 0], ['errors', errors]),
      )
    })
  }

  it('counts its work', () => {
    fails('JM5903', () =>
      call('ValidateRequired', [{}, new Array(100).fill('a')], testContext({ mostUnits: 50 })),
    )
    fails('JM5910', () =>
      call('ValidateRequired', [{}, new Array(100).fill('a')], testContext({ mostBytes: 500 })),
    )
  })
})

describe('ValidateSchema', () => {
  it('returns no entries for a valid value', () => {
    assert.deepEqual(call('ValidateSchema', [{ a: 1 }, { properties: { a: { type: 'integer' } } }]), [])
    assert.deepEqual(call('ValidateSchema', [null, {}]), [])
  })

  it('returns an entry for each failing keyword', () => {
    assert.deepEqual(call('ValidateSchema', [{ a: 'x' }, { properties: { a: { type: 'integer' } } }]), [
      entries(['path', '/a'], ['keyword', 'type'], ['message', 'Expected integer, received string']),
    ])
  })

  it('refuses a malformed schema', () => {
    fails('JM5002', () => call('ValidateSchema', [1, { type: 'text' }]))
  })
})
