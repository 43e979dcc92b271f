import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { decodeForm } from '../../kernel/addresses/form-encoding.ts'
import { decodeEscapes } from './percent-encoding.ts'

describe('percent-encoding', () => {
  const undecodable = undefined
  const rows: readonly (readonly [raw: string, form: string | undefined, escapes: string])[] = [
    ['', '', ''],
    ['plain', 'plain', 'plain'],
    ['a+b', 'a b', 'a+b'],
    ['a%20b', 'a b', 'a b'],
    ['a%2Bb', 'a+b', 'a+b'],
    ['%C3%A9', 'é', 'é'],
    ['%c3%a9', 'é', 'é'],
    ['é', 'é', 'é'],
    ['%F0%9F%98%80', '😀', '😀'],
    ['%3B%2C%5E%25', ';,^%', ';,^%'],
    // text that is encoded twice is decoded once
    ['%253B', '%3B', '%3B'],
    // a lone percent sign
    ['100%', undecodable, '100%'],
    ['5% of 10%', undecodable, '5% of 10%'],
    ['%', undecodable, '%'],
    ['%4', undecodable, '%4'],
    ['%zz', undecodable, '%zz'],
    // valid escapes are decoded next to invalid ones
    ['%41%', undecodable, 'A%'],
    ['%41%FF', undecodable, 'A%FF'],
    ['%FF%41', undecodable, '%FFA'],
    ['%25%zz', undecodable, '%%zz'],
    ['%C3%A9%zz%C3', undecodable, 'é%zz%C3'],
    // bytes that UTF-8 does not have: Latin-1, cut short, overlong, a surrogate, beyond Unicode
    ['%E9t%E9', undecodable, '%E9t%E9'],
    ['%E2%82', undecodable, '%E2%82'],
    ['%C0%80', undecodable, '%C0%80'],
    ['%ED%A0%80', undecodable, '%ED%A0%80'],
    ['%F5%80%80%80', undecodable, '%F5%80%80%80'],
    ['%80', undecodable, '%80'],
  ]
  for (const [raw, form, escapes] of rows) {
    it(`of ${raw === '' ? 'nothing' : raw} is ${form ?? 'refused'} in an address, ${escapes} within a value`, () => {
      assert.equal(decodeForm(raw), form)
      assert.equal(decodeEscapes(raw), escapes)
    })
  }

  it('decodes any encoded text to the original', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        assert.equal(decodeForm(encodeURIComponent(text)), text)
        assert.equal(decodeEscapes(encodeURIComponent(text)), text)
        assert.equal(decodeForm(new URLSearchParams({ '': text }).toString().slice(1)), text)
      }),
    )
  })
})
