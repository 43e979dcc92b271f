import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { TrialCache } from './trial-cache.ts'

describe('a trial cache', () => {
  it('has a value from the first time on', () => {
    const cache = new TrialCache<number>(1000)
    cache.keep('a', 1, 10)
    assert.equal(cache.get('a'), 1)
    cache.keep('a', 2, 10)
    assert.equal(cache.get('a'), 2)
    assert.equal(cache.get('b'), undefined)
  })

  it('keeps what is asked for again, however many values come only once', () => {
    const cache = new TrialCache<number>(100_000)
    cache.keep('again', 1, 10)
    cache.keep('once', 2, 10)
    cache.get('again')
    for (let i = 0; i < 1000; i++) cache.keep(`other ${i}`, i, 10)
    assert.equal(cache.get('again'), 1)
    assert.equal(cache.get('once'), undefined)
    assert.equal(cache.get('other 999'), 999)
    assert.equal(cache.get('other 984'), 984, 'the newest 16 at least are on trial')
    assert.equal(cache.get('other 967'), undefined, 'and 32 at most')
  })

  it('says whether it has a value, without taking that for being asked', () => {
    const cache = new TrialCache<number>(100_000)
    cache.keep('proven', 1, 10)
    cache.get('proven')
    cache.keep('on trial', 2, 10)
    assert.deepEqual([cache.has('proven'), cache.has('on trial'), cache.has('other')], [true, true, false])
    for (let i = 0; i < 100; i++) cache.keep(`other ${i}`, i, 10)
    assert.deepEqual([cache.has('proven'), cache.has('on trial')], [true, false])
  })

  it('lets go of the least recently used of those it keeps for long', () => {
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

  it('keeps what is too heavy for a trial at once, and what is too heavy at all never', () => {
    const cache = new TrialCache<number>(100)
    cache.keep('heavy', 1, 60)
    assert.equal(cache.get('heavy'), 1)
    cache.keep('too heavy', 1, 80)
    assert.equal(cache.get('too heavy'), undefined)
  })

  it('never has another value than the last one kept', () => {
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
