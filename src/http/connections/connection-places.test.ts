import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  openPlaces,
  peerOf,
  placeLimits,
  placesMemory,
  proxyCheck,
  SPARE_CONNECTIONS,
} from './connection-places.ts'

describe('places for connections', () => {
  it('are limited per address, over all threads', () => {
    const memory = placesMemory(2)
    const [one, other] = [0, 1].map((thread) => openPlaces({ total: 100, perAddress: 3 }, memory, thread))
    assert.ok(one && other)
    assert.deepEqual([one.take('a'), other.take('a'), one.take('a')], [null, null, null])
    assert.deepEqual([other.take('a'), one.take('a')], ['perAddress', 'perAddress'])
    assert.equal(other.take('b'), null)
    one.release('a')
    assert.deepEqual([other.of('a'), other.take('a'), other.of('a')], [2, null, 3])
  })

  it('are limited in total, over all threads', () => {
    const memory = placesMemory(2)
    const [one, other] = [0, 1].map((thread) => openPlaces({ total: 3, perAddress: 0 }, memory, thread))
    assert.ok(one && other)
    assert.deepEqual([one.take('a'), other.take('a'), one.take('a')], [null, null, null])
    assert.deepEqual([one.take('b'), other.take('c'), one.total()], ['total', 'total', 3])
    other.release('a')
    assert.equal(one.take('b'), null)
  })

  it('of a proxy count for the total only', () => {
    const places = openPlaces({ total: 4, perAddress: 1 })
    assert.deepEqual([places.take(null), places.take(null), places.take('a')], [null, null, null])
    assert.deepEqual([places.take('a'), places.take(null), places.take(null)], ['perAddress', null, 'total'])
    assert.deepEqual([places.of(null), places.total()], [0, 4])
    places.release(null)
    assert.deepEqual([places.total(), places.take('b')], [3, null])
  })

  it('of a thread that died are free again when another thread gets its number', () => {
    const memory = placesMemory(2)
    const [one, other] = [0, 1].map((thread) => openPlaces({ total: 2, perAddress: 0 }, memory, thread))
    assert.deepEqual([one?.take('a'), other?.take('a'), one?.take('a')], [null, null, 'total'])
    const next = openPlaces({ total: 2, perAddress: 0 }, memory, 1)
    assert.deepEqual([next.total(), next.of('a'), next.take('b')], [1, 1, null])
  })

  it('are counted for each address when they are taken and released', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(20), fc.boolean())), (steps) => {
        const places = openPlaces({ total: 50, perAddress: 5 })
        const held = new Map<string, number>()
        for (const [number, gives] of steps) {
          const peer = `10.0.0.${number}`
          const count = held.get(peer) ?? 0
          if (gives && count > 0) {
            places.release(peer)
            held.set(peer, count - 1)
          } else if (!gives && places.take(peer) === null) held.set(peer, count + 1)
          const sum = held.values().reduce((total, own) => total + own, 0)
          assert.equal(places.total(), sum)
          // An address whose two counters are both shared also has the counts of others.
          assert.ok(places.of(peer) >= (held.get(peer) ?? 0) && places.of(peer) <= sum)
          assert.ok(sum <= 50 && (held.get(peer) ?? 0) <= 5)
        }
      }),
    ))
})

describe('the limits of connections', () => {
  const rows: readonly (readonly [
    why: string,
    asked: { readonly connections?: number; readonly connectionsPerAddress?: number },
    limit: number,
    total: number,
    perAddress: number,
  ])[] = [
    ['what other files leave of the limit, and half of that', {}, 1024, 832, 416],
    ['no more than a service can use, without a limit', {}, Number.POSITIVE_INFINITY, 16_384, 8192],
    ['as given', { connections: 500, connectionsPerAddress: 400 }, 1024, 500, 400],
    ['as given above what is usual', { connections: 50_000 }, 1_000_000, 50_000, 25_000],
    ['never more than the limit of files leaves', { connections: 5000 }, 1024, 832, 416],
    ['without a limit per address for 0', { connectionsPerAddress: 0 }, 1024, 832, 0],
    ['at least one', {}, 64, 1, 1],
  ]
  for (const [why, { connections, connectionsPerAddress }, limit, total, perAddress] of rows) {
    it(`are ${why}`, () => {
      const files = { limit, apiThreads: 4, scriptThreads: 2 }
      assert.equal(4 * (16 + SPARE_CONNECTIONS) + 2 * 16 + 64, 192)
      assert.deepEqual(placeLimits({ connections, connectionsPerAddress }, files), { total, perAddress })
    })
  }
})

describe('a proxy', () => {
  const ranges = '10.0.0.0/8, 192.0.2.7,2001:db8::/32,fe80::1'
  const rows: readonly (readonly [address: string | undefined, isProxy: boolean])[] = [
    ['10.255.0.1', true],
    ['11.0.0.1', false],
    ['::ffff:10.1.2.3', true],
    ['::ffff:11.1.2.3', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['2001:db8:1::7', true],
    ['2001:db9::7', false],
    ['fe80::1%eth0', true],
    [undefined, false],
  ]
  for (const [address, isProxy] of rows) {
    it(`is ${isProxy ? '' : 'not '}at ${address}`, () => {
      assert.equal(proxyCheck(ranges)(address), isProxy)
      assert.equal(proxyCheck(undefined)(address), false)
    })
  }
})

describe('the peer of a connection', () => {
  const rows: readonly (readonly [address: string | undefined, peer: string])[] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['2001:db8:1::', '2001:db8:1:0::/64'],
    [undefined, 'unknown'],
  ]
  for (const [address, peer] of rows) {
    it(`is ${peer} for ${address}`, () => assert.equal(peerOf(address), peer))
  }
})
