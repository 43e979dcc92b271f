import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inputTypeOf, literalOf, textOf } from './value-text.ts'

describe('literalOf', () => {
  const rows = [
    ['Sales', 'text', 'text', 'Sales'],
    ['42', 'label', 'text', '42'],
    ['2026-01-31', 'date', 'text', '2026-01-31'],
    [' 1.50 ', 'decimal', 'number', '1.50'],
    ['-2e3', 'integer', 'number', '-2e3'],
  ] as const
  for (const [text, kind, literal, written] of rows) {
    it(`makes a ${literal} of '${text}' for a field of kind ${kind}`, () => {
      const [made] = literalOf(text, kind)
      assert.ok(made !== undefined)
      assert.deepEqual([made.kind, textOf(made)], [literal, written])
    })
  }

  it('makes nothing of what is no value yet', () => {
    assert.deepEqual(literalOf('', 'text'), [])
    assert.deepEqual(literalOf('1.', 'decimal'), [])
    assert.deepEqual(literalOf('-', 'integer'), [])
  })
})

describe('inputTypeOf', () => {
  const rows = [
    ['date', '', 'date'],
    ['minute', '2026-01-31', 'date'],
    ['minute', '2026-01-31T09:30', 'datetime-local'],
    ['minute', '2026-01-31T09:30Z', 'text'],
    ['decimal', '1', 'text'],
  ] as const
  for (const [kind, text, type] of rows) {
    it(`is ${type} for '${text}' in a field of kind ${kind}`, () =>
      assert.equal(inputTypeOf(kind, text), type))
  }
})
