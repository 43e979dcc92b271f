import { describe } from 'node:test'
import { condition, matchesAsListed } from '../../../testing/schema.ts'

describe('keywords for every kind of value', () => {
  matchesAsListed([
    [{ type: 'null' }, [null], [0, '', false, [], {}]],
    [{ type: 'boolean' }, [true, false], [0, 'true', null]],
    [{ type: 'object' }, [{}], [[], null, 1, '']],
    [{ type: 'array' }, [[]], [{}, null, '']],
    [{ type: 'number' }, [1, 1.5, -0], ['1', null, true]],
    [{ type: 'integer' }, [1, -1, 1e300], [1.5, '1', null]],
    [{ type: 'string' }, ['', 'a'], [1, null, []]],
    [{ type: ['integer', 'null'] }, [1, null], [1.5, 'a']],
    [{ type: [] }, [], [1, null]],
    [
      { enum: [1, 'a', null, [1, { b: null }], { c: [] }] },
      [1, 'a', null, [1, { b: null }], { c: [] }],
      [2, '1', [], {}],
    ],
    [{ enum: [] }, [], [1]],
    [{ const: null }, [null], [0, false, '']],
    [{ const: { a: 1, b: [null] } }, [{ b: [null], a: 1 }], [{ a: 1 }, { a: 1, b: [] }]],
    [{ const: 0 }, [0, -0], [false, '']],
    [{ const: [true] }, [[true]], [[1], true]],
  ])
})

describe('keywords for numbers', () => {
  matchesAsListed([
    [{ multipleOf: 2 }, [0, 4, -6, '3'], [1, 7.5]],
    [{ multipleOf: 1.5 }, [4.5, 0], [35, 1]],
    [{ multipleOf: 0.1 }, [0.3, 1.1, 4.35e300], [0.35]],
    [{ multipleOf: 0.0001 }, [0.0075], [0.00751]],
    [{ multipleOf: 0.123456789 }, [], [1e308]],
    [{ multipleOf: 0.5 }, [1e308], []],
    [{ multipleOf: 1e-8 }, [12391239123], []],
    [{ maximum: 3 }, [3, -1, '4', null], [3.1]],
    [{ minimum: -1.5 }, [-1.5, 0, ''], [-1.6]],
    [{ exclusiveMaximum: 3 }, [2.9], [3, 4]],
    [{ exclusiveMinimum: 3 }, [3.1], [3, 2]],
    [{ minimum: 1, exclusiveMinimum: 0 }, [1], [0.5]],
  ])
})

describe('keywords for texts', () => {
  matchesAsListed([
    [{ maxLength: 2 }, ['', 'ab', '😀😀', 123, [1, 2, 3]], ['abc', '😀😀😀']],
    [{ maxLength: 2.0 }, ['ab'], ['abc']],
    [{ minLength: 2 }, ['ab', '😀a', 1], ['a', '😀', '']],
    [{ pattern: 'b+' }, ['abc', 'b', 5, null], ['', 'ac']],
    [{ pattern: '^\\d{2}$' }, ['12'], ['1', '123', '12\n']],
  ])
})

describe('keywords for arrays', () => {
  matchesAsListed([
    [
      { prefixItems: [{ type: 'integer' }, { type: 'string' }] },
      [[], [1], [1, 'a'], [1, 'a', null], 'x'],
      [['a'], [1, 2]],
    ],
    [{ items: { type: 'integer' } }, [[], [1, 2], { 0: 'a' }], [[1, 'a']]],
    [{ prefixItems: [{}], items: false }, [[], [1]], [[1, 2]]],
    [{ items: true }, [[1]], []],
    [{ additionalItems: false }, [[1, 2]], []],
    [{ contains: { const: 1 } }, [[1], [0, 1], 'x'], [[], [0]]],
    [{ contains: false }, ['x'], [[], [1]]],
    [{ contains: { const: 1 }, minContains: 0 }, [[], [2]], []],
    [
      { contains: { const: 1 }, minContains: 2 },
      [
        [1, 1],
        [1, 0, 1, 1],
      ],
      [[1], []],
    ],
    [{ contains: { const: 1 }, maxContains: 1 }, [[1], [0, 1]], [[1, 1], []]],
    [{ contains: { const: 1 }, minContains: 2, maxContains: 1 }, [], [[], [1], [1, 1]]],
    [{ minContains: 2, maxContains: 1 }, [[], [1]], []],
    [{ maxItems: 1 }, [[], [1], { a: 1, b: 2 }, 'ab'], [[1, 2]]],
    [{ minItems: 1 }, [[1], '', {}], [[]]],
    [{ uniqueItems: false }, [[1, 1]], []],
    [
      { uniqueItems: true },
      [
        [],
        [1, true, 'a', '1', null, 0, false, ''],
        [[1], [2], [1, 2]],
        [{ a: 1 }, { a: 2 }, { b: 1 }],
        [{}, []],
        'aa',
      ],
      [
        [1, 2, 1],
        [null, null],
        [0, -0],
        [[1], [1]],
        [
          { a: 1, b: null },
          { b: null, a: 1 },
        ],
        [[[null]], [[null]]],
      ],
    ],
  ])
})

describe('keywords for objects', () => {
  matchesAsListed([
    [
      { properties: { a: { type: 'integer' }, b: false } },
      [{}, { a: 1 }, { c: 'x' }, [], 1],
      [{ a: 'x' }, { b: 1 }],
    ],
    [{ properties: { a: { type: 'null' } } }, [{ a: null }, {}], [{ a: 1 }]],
    [
      { patternProperties: { '^a': { type: 'integer' }, b$: { minimum: 2 } } },
      [{ a: 1, x: 'y' }, { ab: 2 }],
      [{ ax: '1' }, { ab: 1 }],
    ],
    [{ additionalProperties: false }, [{}, []], [{ a: 1 }]],
    [
      { properties: { a: {} }, patternProperties: { '^x': {} }, additionalProperties: { type: 'null' } },
      [{ a: 1, xy: 2, b: null }],
      [{ b: 1 }],
    ],
    [
      { propertyNames: { maxLength: 2, pattern: '^a' } },
      [{}, { a: 1, ab: 2 }, ['abc']],
      [{ abc: 1 }, { b: 1 }],
    ],
    [{ propertyNames: false }, [{}], [{ a: 1 }]],
    [{ required: ['a', 'b'] }, [{ a: null, b: 0 }, [], 'x'], [{}, { a: 1 }]],
    [{ required: [] }, [{}], []],
    [
      { required: ['__proto__', 'toString', 'constructor'] },
      [JSON.parse('{"__proto__":1,"toString":2,"constructor":3}')],
      [{}],
    ],
    [
      { properties: JSON.parse('{"__proto__":{"type":"integer"},"toString":{"type":"string"}}') },
      [{}, { toString: 'x' }],
      [JSON.parse('{"__proto__":"x"}'), { toString: 1 }],
    ],
    [{ maxProperties: 1 }, [{}, { a: 1 }, [1, 2]], [{ a: 1, b: 2 }]],
    [{ minProperties: 1 }, [{ a: 1 }, []], [{}]],
    [
      { dependentRequired: { a: ['b', 'c'], d: [] } },
      [{}, { b: 1 }, { a: 1, b: 1, c: 1 }, { d: 1 }, ['a']],
      [{ a: 1 }, { a: 1, b: 1 }],
    ],
    [
      { dependentSchemas: { a: { properties: { b: { type: 'integer' } } }, c: false } },
      [{}, { b: 'x' }, { a: 1, b: 1 }],
      [{ a: 1, b: 'x' }, { c: 1 }],
    ],
    [
      { dependencies: { a: ['b'], c: { minProperties: 2 } } },
      [{}, { a: 1, b: 1 }, { c: 1, d: 1 }],
      [{ a: 1 }, { c: 1 }],
    ],
  ])
})

describe('keywords that combine schemas', () => {
  matchesAsListed([
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2, 'x'], [0, 3]],
    [{ allOf: [true, false] }, [], [1]],
    [{ anyOf: [{ type: 'string' }, { minimum: 2 }] }, ['a', 2], [1]],
    [{ anyOf: [false, true] }, [1], []],
    [{ oneOf: [{ type: 'integer' }, { minimum: 2 }] }, [1, 2.5], [1.5, 3]],
    [{ not: { type: 'integer' } }, ['a', 1.5], [1]],
    [{ not: true }, [], [1, null]],
    [{ not: false }, [1], []],
    [condition({ type: 'integer' }, { minimum: 2 }, { type: 'string' }), [2, 'a'], [1, 1.5, null]],
    [
      Object.fromEntries([
        ['then', false],
        ['else', false],
      ]),
      [1],
      [],
    ],
    [{ if: false }, [1], []],
    [condition(false, false), [1], []],
  ])
})
