/** For tests of JSON Schema: tables of schemas with matching values, and the errors of others. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { validate } from '../stdlib/json-schema/validate.ts'
import type { ScriptObject } from '../values/value.ts'
import { given, plainOf, type TestContext, testContext } from './context.ts'

export const uris = {
  4: 'http://json-schema.org/draft-04/schema#',
  6: 'http://json-schema.org/draft-06/schema#',
  7: 'http://json-schema.org/draft-07/schema#',
  2019: 'https://json-schema.org/draft/2019-09/schema',
  2020: 'https://json-schema.org/draft/2020-12/schema',
} as const

export type Entry = readonly [path: string, keyword: string, message: string]

/** The errors of a plain value by a plain schema. */
export function entriesOf(value: unknown, schema: object, context: TestContext = testContext()): Entry[] {
  return validate(given(value), given(schema) as ScriptObject, context).map((entry) => {
    const { '{}': pairs } = plainOf(entry) as { readonly '{}': readonly (readonly [string, string])[] }
    assert.deepEqual(
      pairs.map(([key]) => key),
      ['path', 'keyword', 'message'],
    )
    return pairs.map(([, text]) => text) as unknown as Entry
  })
}

export const isValid = (value: unknown, schema: object): boolean => entriesOf(value, schema).length === 0

/** A schema, values that match it, and values that do not. */
export type Row = readonly [schema: object, matching: readonly unknown[], others: readonly unknown[]]

export function matchesAsListed(rows: readonly Row[], draft: keyof typeof uris | null = null): void {
  for (const [schema, matching, others] of rows) {
    const whole = draft === null ? schema : { $schema: uris[draft], ...schema }
    it(`${JSON.stringify(whole)} matches ${JSON.stringify(matching)} and not ${JSON.stringify(others)}`, () => {
      for (const value of matching) assert.deepEqual(entriesOf(value, whole), [], JSON.stringify(value))
      for (const value of others) assert.equal(isValid(value, whole), false, JSON.stringify(value))
    })
  }
}

/** Makes `if`, `then` and `else`. The linter refuses an object literal with `then`, which could be mistaken for a promise. */
export const condition = (given: unknown, then: unknown, otherwise: unknown = true): object =>
  Object.fromEntries([
    ['if', given],
    ['then', then],
    ['else', otherwise],
  ])
