import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { condition, entriesOf, matchesAsListed } from '../../../testing/schema.ts'

describe('draft 2019-09', () => {
  matchesAsListed(
    [
      [{ items: [{ type: 'integer' }], additionalItems: false }, [[], [1]], [['a'], [1, 2]]],
      [{ items: { type: 'integer' }, additionalItems: false }, [[1, 2]], [['a']]],
      [{ additionalItems: false }, [[1]], []],
      [{ items: [{}], unevaluatedItems: false }, [[1]], [[1, 2]]],
      [{ items: [{}], additionalItems: {}, unevaluatedItems: false }, [[1, 2]], []],
      // Only in later drafts do elements that `contains` matches count as evaluated.
      [{ contains: { const: 1 }, unevaluatedItems: false }, [], [[1]]],
      [{ contains: { const: 1 }, minContains: 2 }, [[1, 1]], [[1]]],
      [{ prefixItems: [false] }, [[1]], []],
      [{ $ref: '#/$defs/a', minimum: 2, $defs: { a: { maximum: 3 } } }, [2], [1, 4]],
      [{ dependentRequired: { a: ['b'] } }, [{}], [{ a: 1 }]],
    ],
    2019,
  )
})

describe('draft 7', () => {
  matchesAsListed(
    [
      [{ items: [{ type: 'integer' }], additionalItems: { type: 'null' } }, [[1, null]], [[1, 2]]],
      [{ dependencies: { a: ['b'], c: false } }, [{ a: 1, b: 1 }], [{ a: 1 }, { c: 1 }]],
      [condition({ type: 'integer' }, { minimum: 2 }), [2, 'a'], [1]],
      // A reference hides the other keywords of its schema, and later keywords do not exist yet.
      [{ $ref: '#/definitions/a', minimum: 2, definitions: { a: { maximum: 3 } } }, [1], [4]],
      [
        { dependentRequired: { a: ['b'] }, unevaluatedProperties: false, minContains: 2, contains: {} },
        [{ a: 1 }, [1]],
        [],
      ],
      [{ $ref: '#foo', definitions: { a: { $id: '#foo', type: 'null' } } }, [null], [1]],
    ],
    7,
  )
})

describe('draft 6', () => {
  matchesAsListed(
    [
      [condition({ type: 'integer' }, false), [1], []],
      [{ const: 1, exclusiveMinimum: 0 }, [1], [2]],
      [{ contains: { const: 1 }, propertyNames: { maxLength: 1 } }, [[1], { a: 1 }], [[], { ab: 1 }]],
    ],
    6,
  )
})

describe('draft 4', () => {
  matchesAsListed(
    [
      [{ maximum: 3, exclusiveMaximum: true }, [2.9], [3]],
      [{ maximum: 3, exclusiveMaximum: false }, [3], [4]],
      [{ minimum: 3, exclusiveMinimum: true }, [3.1], [3]],
      [{ exclusiveMinimum: true }, [1], []],
      [{ const: 1, contains: false, propertyNames: false }, [2, [], { a: 1 }], []],
      [{ additionalProperties: false, properties: { $id: {} } }, [{ $id: 1 }], [{ a: 1 }]],
      [
        {
          items: { $ref: 'http://example.com/b' },
          definitions: { b: { id: 'http://example.com/b', type: 'null' } },
        },
        [[null]],
        [[1]],
      ],
      [
        {
          $id: 'http://example.com/a',
          items: { $ref: '#/definitions/b' },
          definitions: { b: { type: 'null' } },
        },
        [[null]],
        [[1]],
      ],
    ],
    4,
  )
})

describe('$schema', () => {
  const draft4 = { maximum: 3, exclusiveMaximum: true }
  const spellings = [
    'http://json-schema.org/draft-04/schema#',
    'http://json-schema.org/draft-04/schema',
    'https://json-schema.org/draft-04/schema#',
  ]
  for (const $schema of spellings) {
    it(`reads ${$schema} as draft 4`, () => {
      assert.equal(entriesOf(3, { $schema, ...draft4 }).length, 1)
    })
  }
  for (const $schema of ['https://example.com/schema', 'https://json-schema.org/draft/2020-12/schema', 5]) {
    it(`reads ${$schema} as draft 2020-12`, () => {
      assert.equal(entriesOf([1], { $schema, prefixItems: [false] }).length, 1)
    })
  }
  it('changes the draft of a resource inside another one', () => {
    const inner = {
      $id: 'inner',
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'null' }],
    }
    assert.equal(entriesOf({ a: [1] }, { properties: { a: inner } }).length, 1)
  })
})
