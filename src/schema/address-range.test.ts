import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addressFilter, isAddressRange } from './address-range.ts'

describe('a range of addresses', () => {
  const rows: readonly (readonly [range: string, inside: readonly string[], outside: readonly string[]])[] = [
    ['203.0.113.7', ['203.0.113.7'], ['203.0.113.8', '::1', 'text', '']],
    ['203.0.113.0/24', ['203.0.113.0', '203.0.113.255'], ['203.0.114.0']],
    ['0.0.0.0/0', ['8.8.8.8'], ['::1']],
    ['2001:db8::/32', ['2001:db8::1', '2001:DB8:ffff::'], ['2001:db9::', '127.0.0.1']],
    ['::1', ['::1', '0:0:0:0:0:0:0:1'], ['::2']],
  ]
  for (const [range, inside, outside] of rows) {
    it(`holds its addresses and no others: ${range}`, () => {
      assert.ok(isAddressRange(range))
      const has = addressFilter([range])
      assert.deepEqual(inside.filter(has), inside)
      assert.deepEqual(outside.filter(has), [])
      assert.equal(has(undefined), false)
    })
  }

  for (const text of [
    '',
    '/',
    'example.com',
    '1.2.3',
    '1.2.3.4/33',
    '::1/129',
    '1.2.3.4/',
    '1.2.3.4/-1',
    'fe80::1%eth0',
  ]) {
    it(`is not '${text}'`, () => assert.equal(isAddressRange(text), false))
  }
})
