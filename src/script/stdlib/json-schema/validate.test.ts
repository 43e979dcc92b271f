import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ScriptFailure } from '../../failure.ts'
import { fails, given, lambdaOf, testContext } from '../../testing/context.ts'
import { condition, type Entry, entriesOf, isValid } from '../../testing/schema.ts'
import { Shape } from '../../values/shape.ts'
import { ScriptArray, ScriptObject, type Value } from '../../values/value.ts'
import { validate } from './validate.ts'

describe('entries', () => {
  const rows: readonly (readonly [schema: object, value: unknown, entries: readonly Entry[]])[] = [
    [{ type: 'integer' }, 'a', [['', 'type', 'Expected integer, received string']]],
    [{ type: 'integer' }, 1.5, [['', 'type', 'Expected integer, received number']]],
    [{ type: ['string', 'null'] }, 3, [['', 'type', 'Expected string or null, received integer']]],
    [{ enum: [1, 2] }, 3, [['', 'enum', 'The value is not one of those allowed']]],
    [{ const: 1 }, 3, [['', 'const', 'The value is not the one required']]],
    [{ multipleOf: 2 }, 3, [['', 'multipleOf', '3 is not a multiple of 2']]],
    [{ maximum: 2 }, 3.5, [['', 'maximum', '3.5 is more than the maximum of 2']]],
    [{ minimum: 4 }, 3, [['', 'minimum', '3 is less than the minimum of 4']]],
    [{ exclusiveMaximum: 3 }, 3, [['', 'exclusiveMaximum', '3 is not less than 3']]],
    [{ exclusiveMinimum: 3 }, 3, [['', 'exclusiveMinimum', '3 is not more than 3']]],
    [{ maxLength: 2 }, 'abc', [['', 'maxLength', 'The text has 3 characters, more than the maximum of 2']]],
    [{ minLength: 2 }, '😀', [['', 'minLength', 'The text has 1 characters, less than the minimum of 2']]],
    [{ pattern: '^a' }, 'b', [['', 'pattern', 'The text does not match the required pattern']]],
    [{ maxItems: 1 }, [1, 2], [['', 'maxItems', '2 elements are more than the maximum of 1']]],
    [{ minItems: 1 }, [], [['', 'minItems', '0 elements are less than the minimum of 1']]],
    [{ uniqueItems: true }, [1, 1], [['', 'uniqueItems', 'The elements are not all different']]],
    [{ contains: { const: 1 } }, [2], [['', 'contains', '0 elements match, less than the minimum of 1']]],
    [
      { contains: { const: 1 }, minContains: 2 },
      [1],
      [['', 'minContains', '1 elements match, less than the minimum of 2']],
    ],
    [
      { contains: { const: 1 }, maxContains: 1 },
      [1, 1],
      [['', 'maxContains', '2 elements match, more than the maximum of 1']],
    ],
    [{ maxProperties: 0 }, { a: 1 }, [['', 'maxProperties', '1 properties are more than the maximum of 0']]],
    [{ minProperties: 1 }, {}, [['', 'minProperties', '0 properties are less than the minimum of 1']]],
    [
      { required: ['b', 'a', 'c'] },
      { a: 1 },
      [['', 'required', 'Required properties are missing: "b", "c"']],
    ],
    [
      { dependentRequired: { a: ['b'] } },
      { a: 1 },
      [['', 'dependentRequired', 'Properties that "a" requires are missing: "b"']],
    ],
    [
      { propertyNames: { maxLength: 1 } },
      { ab: 1 },
      [['', 'propertyNames', 'The property name "ab" is not allowed']],
    ],
    [{ not: {} }, 1, [['', 'not', 'The value matches a schema that it must not match']]],
    [{ oneOf: [{}, true] }, 1, [['', 'oneOf', 'The value matches 2 of the schemas instead of exactly 1']]],
    [
      { anyOf: [{ type: 'string' }, { minimum: 2 }] },
      1,
      [
        ['', 'anyOf', 'The value matches none of the schemas'],
        ['', 'type', 'Expected string, received integer'],
        ['', 'minimum', '1 is less than the minimum of 2'],
      ],
    ],
    // The entry of a false schema has a place but no keyword.
    [{ properties: { a: false } }, { a: 1 }, [['/a', '', 'No value is allowed here']]],
    [{ additionalProperties: false }, { a: 1 }, [['/a', '', 'No value is allowed here']]],
    [{ items: false }, [1], [['/0', '', 'No value is allowed here']]],
    [{ unevaluatedProperties: false }, { a: 1 }, [['/a', '', 'No value is allowed here']]],
    [{ unevaluatedItems: false }, [1], [['/0', '', 'No value is allowed here']]],
    // Grouping keywords have no entry, and the entries of a value come before those of its members.
    [
      {
        properties: { a: { items: { type: 'string' }, maxItems: 1 }, b: { $ref: '#/$defs/b' } },
        allOf: [condition(true, { minProperties: 3 })],
        required: ['c'],
        $defs: { b: { type: 'null' } },
      },
      { a: [1, 2], b: 1 },
      [
        ['', 'required', 'Required properties are missing: "c"'],
        ['/a', 'maxItems', '2 elements are more than the maximum of 1'],
        ['/a/0', 'type', 'Expected string, received integer'],
        ['/a/1', 'type', 'Expected string, received integer'],
        ['/b', 'type', 'Expected null, received integer'],
        ['', 'minProperties', '2 properties are less than the minimum of 3'],
      ],
    ],
    // It is unknown what a schema that did not match has evaluated.
    [
      { allOf: [{ properties: { a: { type: 'string' } } }], unevaluatedProperties: false },
      { a: 1, b: 2 },
      [['/a', 'type', 'Expected string, received integer']],
    ],
    [
      { additionalProperties: { additionalProperties: { type: 'null' } } },
      { 'a/b': { '~c': 1, '': null } },
      [['/a~1b/~0c', 'type', 'Expected null, received integer']],
    ],
    [
      { maximum: 1, multipleOf: 2 },
      3,
      [
        ['', 'multipleOf', '3 is not a multiple of 2'],
        ['', 'maximum', '3 is more than the maximum of 1'],
      ],
    ],
  ]
  for (const [schema, value, expected] of rows) {
    it(`of ${JSON.stringify(value)} by ${JSON.stringify(schema)}`, () => {
      assert.deepEqual(entriesOf(value, schema), expected)
    })
  }
})

describe('validate', () => {
  const f = lambdaOf((x) => x)

  it('treats functions as the texts that JSON has instead', () => {
    assert.equal(isValid(f, { type: 'string', const: '<function>', minLength: 10 }), true)
    assert.equal(isValid({ a: f }, { properties: { a: { type: 'object' } } }), false)
  })

  it('refuses values without a JSON form, wherever they are', () => {
    const cycle = new ScriptArray([])
    cycle.items.push(cycle)
    for (const value of [Number.NaN, Infinity, [Number.NaN], { a: { b: Infinity } }, cycle, { a: cycle }]) {
      fails('JM5002', () => entriesOf(value, {}))
      fails('JM5002', () => entriesOf(1, { const: value }))
      fails('JM5002', () => entriesOf(1, { unknown: value }))
    }
    const schema = new ScriptObject(Shape.root(), [])
    schema.set('not', schema)
    fails('JM5002', () => validate(1, schema, testContext()))
  })

  it('refuses schemas that refer to themselves for the same value', () => {
    for (const schema of [
      { $ref: '#' },
      { anyOf: [{ $ref: '#' }, { $ref: '#' }] },
      { $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
      { not: { $dynamicRef: '#' } },
    ]) {
      fails('JM5002', () => entriesOf(1, schema))
    }
    assert.equal(isValid(1, { properties: { a: { $ref: '#' } } }), true)
  })

  it('follows a recursive schema as deep as JSON is read', () => {
    const schema = { properties: { a: { $ref: '#' }, b: { type: 'null' } } }
    let value: object = { b: 1 }
    for (let i = 0; i < 64; i++) value = { a: value }
    assert.deepEqual(
      entriesOf(value, schema).map(([path]) => path),
      [`${'/a'.repeat(64)}/b`],
    )
  })

  it('returns or refuses without a stack overflow, however deep schemas and values are', () => {
    const wrappings: readonly ((inner: unknown) => object)[] = [
      (inner) => ({ not: inner }),
      (inner) => ({ allOf: [inner] }),
      (inner) => ({ dependentSchemas: { a: { anyOf: [inner] } } }),
      (inner) => condition(inner, true),
    ]
    for (const wrap of wrappings) {
      for (const levels of [100, 480, 990]) {
        let schema: object = { type: 'object' }
        for (let i = 0; i < levels; i++) schema = wrap(schema)
        try {
          entriesOf({ a: 1 }, schema)
        } catch (failure) {
          assert.ok(failure instanceof ScriptFailure && failure.code === 'JM5002', String(failure))
        }
      }
    }
    let value: unknown = []
    for (let i = 0; i < 990; i++) value = [value]
    fails('JM5002', () => entriesOf(value, { items: { $ref: '#' } }))
    assert.equal(isValid(value, { type: 'array' }), true)
  })

  it('counts its work and its entries', () => {
    const many = new ScriptArray(new Array<Value>(1000).fill(1))
    const schemas = [
      { items: { type: 'integer' } },
      { contains: { const: 2 }, minContains: 0 },
      { uniqueItems: true },
      { enum: [many] },
    ]
    const distinct = new ScriptArray(Array.from({ length: 1000 }, (_, i) => i))
    for (const schema of schemas) {
      fails('JM5903', () =>
        entriesOf(schema.enum === undefined ? distinct : many, schema, testContext({ mostUnits: 600 })),
      )
    }
    fails('JM5910', () => entriesOf(many, { items: { type: 'null' } }, testContext({ mostBytes: 10_000 })))
    fails('JM5903', () => entriesOf('x'.repeat(100_000), { pattern: 'y' }, testContext({ mostUnits: 500 })))
    fails('JM5903', () => entriesOf(1, { enum: distinct }, testContext({ mostUnits: 500 })))
    fails('JM5903', () =>
      entriesOf({}, { required: Array.from({ length: 1000 }, String) }, testContext({ mostUnits: 500 })),
    )
    const objects = given(Array.from({ length: 1000 }, (_, i) => ({ i })))
    fails('JM5903', () => entriesOf(objects, { uniqueItems: true }, testContext({ mostUnits: 20_000 })))
  })
})
