import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { RecencyCache } from './recency-cache.ts'

describe('a recency cache', () => {
  it('lets go of the least recently used, got or kept', () => {
    const cache = new RecencyCache<number>(3)
    for (const [key, value] of [...'abc'].entries()) cache.keep(value, key, 1)
    assert.equal(cache.get('a'), 0)
    cache.keep('b', 1, 1)
    cache.keep('d', 3, 1)
    assert.deepEqual(
      [...'abcd'].map((key) => cache.get(key)),
      [0, 1, undefined, 3],
    )
  })

  it('forgets', () => {
    const cache = new RecencyCache<number>(10)
    for (const key of 'abc') cache.keep(key, 1, 2)
    cache.forget('b')
    cache.forget('unknown')
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.weight], [1, undefined, 4])
  })

  it('keeps nothing that alone weighs too much, and lets go of everything for it', () => {
    const cache = new RecencyCache<number>(3)
    cache.keep('a', 1, 1)
    cache.keep('b', 2, 4)
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.weight], [undefined, undefined, 0])
  })

  it('weighs what it holds, and never more than it may', () => {
    const steps = fc.array(
      fc.record({
        key: fc.constantFrom('a', 'b', 'c', 'd'),
        weight: fc.integer({ min: 0, max: 6 }),
        keeps: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(steps, (taken) => {
        const cache = new RecencyCache<number>(10)
        const weights = new Map<string, number>()
        for (const { key, weight, keeps } of taken) {
          if (keeps) {
            cache.keep(key, weight, weight)
            weights.set(key, weight)
          } else {
            const found = cache.get(key)
            assert.ok(found === undefined || found === weights.get(key))
          }
          assert.ok(cache.weight <= 10)
        }
        const held = ['a', 'b', 'c', 'd'].map((key) => cache.get(key) ?? 0)
        assert.equal(
          held.reduce((sum, weight) => sum + weight, 0),
          cache.weight,
        )
      }),
    )
  })
})
