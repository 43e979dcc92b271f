/** Case by Unicode's simple mapping: compares all characters with JavaScript's full mapping. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../../test/fixtures/any-character.ts'
import { toLower, toUpper } from './case.ts'

describe('toUpper and toLower', () => {
  const upper: readonly (readonly [string, string])[] = [
    ['straße', 'STRAßE'],
    ['ﬁ', 'ﬁ'],
    ['ı', 'ı'],
    ['i', 'I'],
    ['ŉ', 'ŉ'],
    ['µ', 'Μ'],
    ['ſ', 'S'],
    ['ǆ', 'Ǆ'],
    ['ᾀ', 'ᾈ'],
    ['ᾈ', 'ᾈ'],
    ['ᾳ', 'ᾼ'],
    ['ῃ', 'ῌ'],
    ['ῳ', 'ῼ'],
    ['\u0390\u1fd3', '\u0390\u1fd3'],
    ['𐐨', '𐐀'],
    ['\ud801', '\ud801'],
  ]
  for (const [text, expected] of upper)
    it(`writes ${text} in upper case`, () => assert.equal(toUpper(text), expected))

  const lower: readonly (readonly [string, string])[] = [
    ['ÀÉ', 'àé'],
    ['İ', 'İ'],
    ['I', 'i'],
    ['ΑΣ', 'ασ'],
    ['ẞ', 'ß'],
    ['\u212a', 'k'],
    ['ᾈ', 'ᾀ'],
    ['𐐀', '𐐨'],
  ]
  for (const [text, expected] of lower)
    it(`writes ${text} in lower case`, () => assert.equal(toLower(text), expected))

  it('change a single character as JavaScript does if that gives one character', () => {
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code)
      if (character === 'ı' || character === 'İ') continue
      for (const [ours, full] of [
        [toUpper(character), character.toUpperCase()],
        [toLower(character), character.toLowerCase()],
      ] as const) {
        if (ours.length !== character.length) assert.fail(`${code.toString(16)} changes its length`)
        if ([...full].length === 1 && ours !== full)
          assert.fail(`${code.toString(16)} is ${full}, not ${ours}`)
      }
    }
  })

  it('change a text character by character', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        assert.equal(toUpper(text), [...text].map(toUpper).join(''))
        assert.equal(toLower(text), [...text].map(toLower).join(''))
      }),
    )
  })
})
