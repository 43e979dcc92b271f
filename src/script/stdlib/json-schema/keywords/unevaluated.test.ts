import { describe } from 'node:test'
import { condition, matchesAsListed } from '../../../testing/schema.ts'

describe('unevaluatedProperties', () => {
  const a = { properties: { a: {} } }
  const b = { properties: { b: {} } }
  matchesAsListed([
    [{ ...a, unevaluatedProperties: false }, [{ a: 1 }, [], 1], [{ b: 1 }]],
    [{ ...a, unevaluatedProperties: { type: 'null' } }, [{ a: 1, b: null }], [{ b: 1 }]],
    [{ patternProperties: { '^a': {} }, unevaluatedProperties: false }, [{ ab: 1 }], [{ b: 1 }]],
    [{ additionalProperties: true, unevaluatedProperties: false }, [{ a: 1 }], []],
    [{ unevaluatedProperties: false, allOf: [a, b] }, [{ a: 1, b: 1 }], [{ c: 1 }]],
    [
      { anyOf: [{ ...a, required: ['a'] }, b], unevaluatedProperties: false },
      [{ a: 1, b: 1 }, { b: 1 }, {}],
      [{ c: 1 }, { a: 1, c: 1 }],
    ],
    [
      {
        oneOf: [
          { ...a, required: ['a'] },
          { ...b, required: ['b'] },
        ],
        unevaluatedProperties: false,
      },
      [{ a: 1 }, { b: 1 }],
      [{ a: 1, c: 1 }],
    ],
    [{ not: { not: a }, unevaluatedProperties: false }, [{}], [{ a: 1 }]],
    [
      { ...condition({ ...a, required: ['a'] }, b, { properties: { c: {} } }), unevaluatedProperties: false },
      [{ a: 1, b: 1 }, { c: 1 }],
      [{ a: 1, c: 1 }, { b: 1 }],
    ],
    [
      { dependentSchemas: { a: { properties: { a: {}, b: {} } } }, unevaluatedProperties: false },
      [{ a: 1, b: 1 }, {}],
      [{ b: 1 }],
    ],
    [{ $ref: '#/$defs/a', $defs: { a }, unevaluatedProperties: false }, [{ a: 1 }], [{ b: 1 }]],
    // Inside an array or another schema there is another object.
    [{ properties: { a: a }, unevaluatedProperties: false }, [{ a: { b: 1 } }], [{ b: 1 }]],
    [{ allOf: [a, { unevaluatedProperties: false }] }, [{}], [{ a: 1 }]],
    [{ allOf: [{ ...a, unevaluatedProperties: true }], unevaluatedProperties: false }, [{ a: 1, b: 1 }], []],
    [
      { properties: { a: { unevaluatedProperties: false } }, unevaluatedProperties: true },
      [{ a: {}, b: 1 }],
      [{ a: { x: 1 } }],
    ],
  ])
})

describe('unevaluatedItems', () => {
  matchesAsListed([
    [{ prefixItems: [{}], unevaluatedItems: false }, [[], [1], {}], [[1, 2]]],
    [{ prefixItems: [{}], unevaluatedItems: { type: 'null' } }, [[1, null]], [[1, 2]]],
    [{ items: {}, unevaluatedItems: false }, [[1, 2]], []],
    [{ contains: { type: 'string' }, unevaluatedItems: false }, [['a'], ['a', 'b']], [['a', 1]]],
    [
      { prefixItems: [{}], allOf: [{ contains: { const: 1 } }], unevaluatedItems: false },
      [[0, 1], [1]],
      [[1, 2]],
    ],
    [
      { allOf: [{ prefixItems: [{}, {}] }, { prefixItems: [{}] }], unevaluatedItems: false },
      [[1, 2]],
      [[1, 2, 3]],
    ],
    [
      { anyOf: [{ prefixItems: [{ const: 1 }, {}] }, { prefixItems: [{}] }], unevaluatedItems: false },
      [[1, 2], [2]],
      [[2, 2]],
    ],
    [{ allOf: [{ unevaluatedItems: true }], unevaluatedItems: false }, [[1]], []],
    [condition({ prefixItems: [{ const: 1 }] }, { prefixItems: [{}, {}] }), [[1, 2, 3]], []],
    [
      { ...condition({ prefixItems: [{ const: 1 }] }, { prefixItems: [{}, {}] }), unevaluatedItems: false },
      [[1, 2]],
      [[2], [1, 2, 3]],
    ],
  ])
})
