import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decodedPairs, decodeForm, faultOfForm, formPairs, undecodablePart } from './form-encoding.ts'

describe('form encoding', () => {
  const pairs: readonly (readonly [text: string, expected: readonly (readonly [string, string])[]])[] = [
    ['', []],
    ['&&', []],
    ['a', [['a', '']]],
    ['=1', [['', '1']]],
    ['a=1&a=b=c&%41', [...[['a', '1'] as const], ['a', 'b=c'], ['%41', '']]],
    ['?a=1', [['?a', '1']]],
  ]
  for (const [text, expected] of pairs)
    it(`is split as it was sent: ${text}`, () => assert.deepEqual(formPairs(text), expected))

  it('means what URLSearchParams finds in it', () => {
    const part = fc.constantFrom('a', 'b', '=', '&', '+', '%41', '%e2%82%ac', '€', '\n')
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const form = parts.join('')
        assert.deepEqual(decodedPairs(form), [...new URLSearchParams(form)])
      }),
    )
    assert.deepEqual(decodedPairs('%zz=a%E9'), [['%zz', 'a%E9']])
  })

  const faults: readonly (readonly [raw: string, part: string, at: number])[] = [
    ['a%41b%zzc', '%zz', 5],
    ['100%', '%', 3],
    ['5% off', '% o', 1],
    ['caf%E9s', '%E9', 3],
    ['%41%E9%41', '%41%E9%41', 0],
    ['%😀😀😀', '%😀😀', 0],
    ['%\n\n\n', '%\n\n', 0],
  ]
  for (const [raw, part, at] of faults) {
    it(`points at ${JSON.stringify(part)} in ${JSON.stringify(raw)}`, () => {
      assert.deepEqual(undecodablePart(raw), { part, at })
      assert.equal(decodeForm(raw), undefined)
    })
  }

  it('as a whole is good exactly when each part is', () => {
    for (const text of ['a=%C3&b=%A9', 'a%=&3D', 'a=%C3%A9&b', 'a+b=%2B', '%E2%82=%AC', 'a=%E2%82%AC'])
      assert.equal(
        faultOfForm(text) === null,
        formPairs(text).every((pair) => pair.every((part) => decodeForm(part) !== undefined)),
        text,
      )
    assert.equal(
      faultOfForm('payer=Andr%E9&x'),
      "expected percent-encoded UTF-8, found '%E9' at character 10",
    )
  })
})
