import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRandom, scatter } from './random.ts'

const stream = (seed: number) => {
  const random = createRandom(seed)
  return Array.from({ length: 50 }, () => random.below(1_000_000))
}

test('the same seed yields the same stream, another seed a different one', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (a, b) => {
      assert.deepEqual(stream(a), stream(a))
      if (a !== b) assert.notDeepEqual(stream(a), stream(b))
    }),
    { numRuns: 50 },
  )
})

test('the stream of a seed is fixed, so that extracts can be compared between machines', () => {
  assert.deepEqual(stream(1).slice(0, 4), [102_862, 143_062, 382_850, 788_768])
})

test('numbers stay within their limits and use all of them', () => {
  const random = createRandom(7)
  const seen = new Set(Array.from({ length: 500 }, () => random.between(3, 6)))
  assert.deepEqual([...seen].sort(), [3, 4, 5, 6])
})

test('an early pick prefers the front of the list', () => {
  const random = createRandom(7)
  const front = Array.from({ length: 1000 }, () => random.pickEarly([0, 1, 2, 3])).filter((i) => i === 0)
  assert.ok(front.length > 400, `${front.length} of 1000`)
})

test('picking from an empty list is a defect', () => {
  assert.throws(() => createRandom(1).pick([]), RangeError)
})

test('neighbouring keys scatter to different numbers', () => {
  assert.equal(new Set(Array.from({ length: 10_000 }, (_, key) => scatter(key))).size, 10_000)
})
