import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../test/fixtures/any-character.ts'
import { cutToBytes, detachedString } from './detached-string.ts'

const anyText = fc.string({ unit: anyCharacter, maxLength: 200 })
const brokenText = fc
  .array(fc.integer({ min: 0xd700, max: 0xe100 }))
  .map((units) => String.fromCharCode(...units))

describe('a detached text', () => {
  it('equals the original', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, brokenText), (text) => {
        assert.equal(detachedString(text), text)
      }),
    )
  })
})

describe('cutting a text', () => {
  it('keeps the longest prefix of whole characters that fits', () => {
    fc.assert(
      fc.property(anyText, fc.nat(300), (text, most) => {
        const { text: kept, wasCut } = cutToBytes(text, most)
        assert.equal(wasCut, Buffer.byteLength(text) > most)
        if (!wasCut) return assert.equal(kept, text)
        assert.ok(text.startsWith(kept))
        const next = String.fromCodePoint(text.codePointAt(kept.length) as number)
        const bytes = Buffer.byteLength(kept)
        assert.ok(bytes <= most && bytes + Buffer.byteLength(next) > most)
      }),
    )
  })
})
