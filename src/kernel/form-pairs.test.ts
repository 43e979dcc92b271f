import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { formPairs } from './form-pairs.ts'

describe('formPairs', () => {
  it('finds what URLSearchParams finds', () => {
    const part = fc.constantFrom('a', 'b', '=', '&', '+', '%', '%41', '%e2%82%ac', '€', '\n', '?')
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const form = parts.join('')
        assert.deepEqual([...formPairs(form)], [...new URLSearchParams(form)])
      }),
    )
  })
})
