/** Compares the search for long texts with the search of JavaScript. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { indexOfText, searchIn } from './search.ts'

describe('searchIn', () => {
  it('finds what JavaScript finds, in texts long enough for its own search', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 })
    fc.assert(
      fc.property(letters, letters, fc.nat(20), fc.nat(100), (period, end, lead, from) => {
        const searched = period.repeat(20) + end
        const text = `${'ab'.repeat(lead)}${period.repeat(40)}${end}${'b'.repeat(2_000_000 / (searched.length + 1))}`
        assert.equal(searchIn(text, searched)(from), text.indexOf(searched, from))
      }),
    )
  })

  it('is fast for hostile texts', () => {
    const size = 300_000
    assert.equal(indexOfText('a'.repeat(2 * size), `b${'a'.repeat(size)}`), -1)
    assert.equal(indexOfText(`${'a'.repeat(2 * size)}b`, `${'a'.repeat(size)}b`), size)
  })
})
