import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isRepeatable, retryAfterSeconds, retryDelayMs } from './retries.ts'

const now = new Date('2026-03-01T00:00:00.000Z')

describe('the delay before a retry', () => {
  it('doubles with every attempt, up to ten seconds', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((attempts) => retryDelayMs(attempts, 0, 0)),
      [100, 200, 400, 800, 1600, 3200, 5000, 5000],
    )
  })

  it('lies between half and all of that, and is never shorter than the receiver asks for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 100 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempts, wishSeconds, random) => {
          const least = retryDelayMs(attempts, 0, 0)
          const delay = retryDelayMs(attempts, wishSeconds, random)
          assert.ok(delay >= least && delay >= wishSeconds * 1000)
          assert.ok(delay <= Math.max(2 * least, wishSeconds * 1000))
        },
      ),
    )
  })
})

it('a request is repeatable when doing it twice does no more than once, or when the receiver knows its key', () => {
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) assert.equal(isRepeatable(method, {}), true, method)
  for (const method of ['POST', 'PATCH']) {
    assert.equal(isRepeatable(method, {}), false, method)
    assert.equal(isRepeatable(method, { 'idempotency-key': 'a' }), true, method)
  }
})

it('Retry-After is a number of seconds or a date', () => {
  for (const [header, seconds] of [
    [undefined, 0],
    ['120', 120],
    [' 7 ', 7],
    ['-1', 0],
    ['soon', 0],
    ['Sun, 01 Mar 2026 00:01:00 GMT', 60],
    ['Sat, 28 Feb 2026 00:00:00 GMT', 0],
  ] as const) {
    assert.equal(retryAfterSeconds(header, now), seconds, header)
  }
})
