import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fails } from '../../testing/context.ts'
import { condition, entriesOf, isValid } from '../../testing/schema.ts'

describe('readSchema', () => {
  const malformed: readonly object[] = [
    { type: 'text' },
    { type: 1 },
    { type: ['string', 1] },
    { enum: 1 },
    { multipleOf: 0 },
    { multipleOf: -1 },
    { multipleOf: '1' },
    { maximum: '1' },
    { minimum: null },
    { exclusiveMaximum: true },
    { exclusiveMinimum: true },
    { maxLength: -1 },
    { maxLength: 1.5 },
    { minLength: '1' },
    { pattern: 1 },
    { items: 1 },
    { items: [{}] },
    { prefixItems: {} },
    { prefixItems: [] },
    { contains: 'a' },
    { minContains: -1 },
    { maxContains: 'a' },
    { maxItems: -1 },
    { minItems: 0.5 },
    { uniqueItems: 1 },
    { unevaluatedItems: 1 },
    { properties: [] },
    { properties: { a: 1 } },
    { patternProperties: { a: null } },
    { additionalProperties: 'no' },
    { propertyNames: 1 },
    { required: 'a' },
    { required: [1] },
    { maxProperties: {} },
    { minProperties: -1 },
    { dependentRequired: { a: 'b' } },
    { dependentSchemas: { a: ['b'] } },
    { dependencies: { a: 1 } },
    { unevaluatedProperties: 1 },
    { allOf: {} },
    { allOf: [] },
    { anyOf: [1] },
    { oneOf: 'a' },
    { not: 1 },
    { if: 1 },
    condition(true, 1),
    condition(true, true, null),
    { $ref: 1 },
    { $dynamicRef: {} },
    { $defs: { a: 1 } },
    { $defs: [] },
    { definitions: 1 },
    { properties: { deep: { items: { type: 'x' } } } },
  ]
  for (const schema of malformed) {
    it(`refuses the malformed schema ${JSON.stringify(schema)}, whatever the value`, () => {
      fails('JM5002', () => entriesOf(null, schema))
    })
  }

  it('ignores unknown keywords, and does not assert formats', () => {
    assert.equal(
      isValid('x', {
        format: 'email',
        title: 1,
        examples: 1,
        contentEncoding: 'base64',
        contentMediaType: 'application/json',
        unknown: { type: 'nothing' },
        default: { type: 'x' },
        $comment: 'c',
        readOnly: true,
      }),
      true,
    )
  })
})
