import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { RowsDigest } from './rows-digest.ts'

const digestOf = (rows: readonly (readonly unknown[])[]) => {
  const digest = new RowsDigest()
  for (const row of rows) digest.add(row)
  return digest.digest()
}

const rows = fc.array(fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 3 }))

describe('the digest of rows', () => {
  it('does not depend on their order', () => {
    fc.assert(fc.property(rows, (given) => assert.deepEqual(digestOf(given), digestOf(given.toReversed()))))
  })

  it('counts a row that is there twice', () => {
    assert.deepEqual(digestOf([]), { rows: 0, sha256: '0'.repeat(64) })
    assert.notEqual(digestOf([['a']]).sha256, digestOf([['a'], ['a']]).sha256)
    assert.equal(digestOf([['a'], ['a']]).rows, 2)
  })

  for (const [one, other] of [
    [['1'], [1]],
    [[null], ['null']],
    [[''], [null]],
    [
      ['ab', 'c'],
      ['a', 'bc'],
    ],
    [
      ['a', null],
      [null, 'a'],
    ],
    [[Buffer.from('61', 'hex')], ['a']],
    [[Buffer.from('61', 'hex')], [Buffer.from('62', 'hex')]],
    [['a'], ['A']],
    [[1.5], [1.25]],
  ] as const) {
    it(`tells ${JSON.stringify(one)} from ${JSON.stringify(other)}`, () =>
      assert.notDeepEqual(digestOf([one]), digestOf([other])))
  }

  it('takes bytes of any kind alike', () => {
    assert.deepEqual(digestOf([[Buffer.from('x')]]), digestOf([[new Uint8Array([0x78])]]))
  })
})
