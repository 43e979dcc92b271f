import assert from 'node:assert/strict'
import { SocketAddress } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { addressGroup } from './client-address.ts'

describe('addressGroup', () => {
  const rows: readonly (readonly [text: string | undefined, group: string | undefined])[] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[2001:db8::1]:4711', '2001:db8:0:0::/64'],
    ['[2001:db8::1]', '2001:db8:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['', undefined],
    [undefined, undefined],
    ['unknown', undefined],
    ['_hidden', undefined],
    ['192.0.2', undefined],
    ['192.0.2.256', undefined],
    ['192.0.2.1:x', undefined],
    ['2001:db8::1::2', undefined],
    ['<script>', undefined],
    ['1'.repeat(100_000), undefined],
  ]
  for (const [text, group] of rows) {
    it(`of ${text?.slice(0, 40) || text} is ${group}`, () => assert.equal(addressGroup(text), group))
  }

  it('is the same for all addresses of a /64, however they are written', () => {
    const word = fc.integer({ min: 0, max: 0xffff })
    fc.assert(
      fc.property(
        fc.tuple(word, word, word, word).filter((network) => network.some((part) => part !== 0)),
        fc.tuple(word, word, word, word),
        (network, host) => {
          const text = [...network, ...host].map((part) => part.toString(16)).join(':')
          const { address } = new SocketAddress({ address: text, family: 'ipv6' })
          const group = `${network.map((part) => part.toString(16)).join(':')}::/64`
          assert.equal(addressGroup(text), group)
          assert.equal(addressGroup(address), group)
        },
      ),
    )
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'01af:.[]%/') }), (text) => void addressGroup(text)),
    )
  })
})
