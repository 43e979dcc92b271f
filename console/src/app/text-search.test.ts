import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { textSearch } from './text-search.ts'

const { parseSearch, stringifySearch } = textSearch

describe('the search of an address', () => {
  it('is read as it was written', () => {
    const texts = fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { noNullPrototype: true })
    fc.assert(fc.property(texts, (search) => assert.deepEqual(parseSearch(stringifySearch(search)), search)))
  })

  for (const text of ['1e5', '007', '1.0', 'true', '12345678901234567890', '"quoted"', '{}']) {
    it(`leaves ${text} a text`, () => assert.deepEqual(parseSearch(`?text=${text}`), { text }))
  }

  it('leaves out what has no value', () => {
    assert.equal(stringifySearch({ text: undefined }), '')
  })
})
