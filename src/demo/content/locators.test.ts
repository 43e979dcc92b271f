import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Client } from './client-list.ts'
import { locatorOf } from './locators.ts'
import { airport } from './places.ts'

const client = (key: number, rank: number): Client => ({
  clientNumber: 'C00001',
  name: 'Kestrel Legal Limited',
  bookings: 0,
  rank,
  home: airport('SYD'),
  company: 0,
  agency: 'Wayfarer Melbourne',
  labels: [],
  employees: 4,
  key,
})

test('a client never has a locator twice', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 32 - 1), fc.nat(2), (key, rank) => {
      const its = client(key, rank)
      const locators = new Set(Array.from({ length: 20_000 }, (_, n) => locatorOf(its, n)))
      assert.equal(locators.size, 20_000)
    }),
    { numRuns: 10 },
  )
})

test('a locator has six characters without lookalikes and begins with a letter', () => {
  for (let n = 0; n < 5000; n++) {
    assert.match(locatorOf(client(n * 7919, 3), n), /^[A-HJ-NP-Z][A-HJ-NP-Z2-9]{5}$/)
  }
})

test('the two largest clients share the locator of their first booking', () => {
  assert.equal(locatorOf(client(11, 0), 0), locatorOf(client(22, 1), 0))
  assert.notEqual(locatorOf(client(11, 0), 1), locatorOf(client(22, 1), 1))
})
