import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sizesByRank } from './client-sizes.ts'

test('sizes add up to the bookings and the largest is never below a tenth', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.nat(2_000_000), (clients, bookings) => {
      const sizes = sizesByRank(clients, bookings)
      assert.equal(sizes.length, clients)
      assert.equal(
        sizes.reduce((sum, size) => sum + size, 0),
        bookings,
      )
      assert.ok((sizes[0] ?? 0) >= bookings / 10)
      assert.ok(sizes.every((size) => size <= (sizes[0] ?? 0)))
    }),
  )
})

test('the largest of 100 clients has 100,000 of 1,000,000 bookings', () => {
  assert.equal(sizesByRank(100, 1_000_000)[0], 100_000)
})

for (const { clients, empty } of [
  { clients: 1, empty: 0 },
  { clients: 4, empty: 0 },
  { clients: 5, empty: 1 },
  { clients: 100, empty: 2 },
]) {
  test(`${empty} of ${clients} clients have no bookings`, () => {
    assert.equal(sizesByRank(clients, 100_000).filter((size) => size === 0).length, empty)
  })
}
