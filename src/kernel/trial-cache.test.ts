import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { TrialCache } from './trial-cache.ts'

describe('a trial cache', () => {
  it('has a value from the first time it is kept', () => {
    const cache = new TrialCache<number>(1000)
    cache.keep('a', 1, 10)
    assert.equal(cache.get('a'), 1)
    cache.keep('a', 2, 10)
    assert.equal(cache.get('a'), 2)
    assert.equal(cache.get('b'), undefined)
  })

  it('keeps a value that is requested again, however many values are kept after it', () => {
    const cache = new TrialCache<number>(100_000)
    cache.keep('again', 1, 10)
    cache.keep('once', 2, 10)
    cache.get('again')
    for (let i = 0; i < 1000; i++) cache.keep(`other ${i}`, i, 10)
    assert.equal(cache.get('again'), 1)
    assert.equal(cache.get('once'), undefined)
    assert.equal(cache.get('other 999'), 999)
    assert.equal(cache.get('other 984'), 984, 'at least the newest 16 are on trial')
    assert.equal(cache.get('other 967'), undefined, 'at most 32 are on trial')
  })

  it('says whether it has a value, without counting that as a request', () => {
    const cache = new TrialCache<number>(100_000)
    cache.keep('proven', 1, 10)
    cache.get('proven')
    cache.keep('on trial', 2, 10)
    assert.deepEqual([cache.has('proven'), cache.has('on trial'), cache.has('other')], [true, true, false])
    for (let i = 0; i < 100; i++) cache.keep(`other ${i}`, i, 10)
    assert.deepEqual([cache.has('proven'), cache.has('on trial')], [true, false])
  })

  it('evicts the least recently used of the values that were requested again', () => {
    const cache = new TrialCache<number>(40)
    for (const key of 'abcd') {
      cache.keep(key, 1, 10)
      cache.get(key)
    }
    assert.deepEqual(
      [...'abcd'].map((key) => cache.get(key)),
      [undefined, 1, 1, 1],
    )
  })

  it('keeps a value that is too heavy for a trial without one, and does not keep one that is too heavy for the cache', () => {
    const cache = new TrialCache<number>(100)
    cache.keep('heavy', 1, 60)
    assert.equal(cache.get('heavy'), 1)
    cache.keep('too heavy', 1, 80)
    assert.equal(cache.get('too heavy'), undefined)
  })

  it('has no value of a key but the last one kept', () => {
    const steps = fc.array(
      fc.record({
        key: fc.constantFrom('a', 'b', 'c'),
        weight: fc.integer({ min: 1, max: 60 }),
        keeps: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(steps, (taken) => {
        const cache = new TrialCache<number>(100)
        const last = new Map<string, number>()
        for (const [step, { key, weight, keeps }] of taken.entries()) {
          if (keeps) {
            cache.keep(key, step, weight)
            last.set(key, step)
          } else {
            const found = cache.get(key)
            assert.ok(found === undefined || found === last.get(key))
          }
        }
      }),
    )
  })
})
