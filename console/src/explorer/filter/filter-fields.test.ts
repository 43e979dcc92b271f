import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { containing } from './filter-fields.ts'

describe('containing', () => {
  for (const [path, text, condition] of [
    ['department', "O'Brien", "contains(department,'O''Brien')"],
    ['segments.vendor', 'q', "any(segments,contains(vendor,'q'))"],
    ["customDataFields['a.b']", 'x', "contains(customDataFields['a.b'],'x')"],
  ] as const) {
    it(condition, () => assert.equal(containing(path, text), condition))
  }
})
