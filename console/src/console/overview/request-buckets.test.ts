import assert from 'node:assert/strict'
import { it } from 'node:test'
import { bucketsOf, type RequestMinute } from './request-buckets.ts'

const at = (minute: string, figures: Partial<RequestMinute>): RequestMinute => ({
  minute,
  requests: 0,
  failures: 0,
  refusals: 0,
  p50Ms: null,
  p95Ms: null,
  p99Ms: null,
  ...figures,
})

it('bucketsOf sums the minutes of each quarter of an hour and takes the slowest latency', () => {
  const buckets = bucketsOf(
    [
      at('2026-11-22T08:59:00Z', { requests: 99 }),
      at('2026-11-23T08:15:00Z', { requests: 10, refusals: 2, failures: 1, p50Ms: 1, p95Ms: 9 }),
      at('2026-11-23T08:29:00Z', { requests: 5, p50Ms: 4, p95Ms: null, p99Ms: 50 }),
      at('2026-11-23T08:30:00Z', { requests: 7 }),
    ],
    Date.parse('2026-11-23T08:59:59Z'),
  )
  assert.equal(buckets.length, 96)
  assert.equal(
    buckets.reduce((sum, { answered }) => sum + answered, 0),
    19,
  )
  assert.deepEqual(buckets.at(-3), {
    beginsAt: Date.parse('2026-11-23T08:15:00Z'),
    answered: 12,
    refusals: 2,
    failures: 1,
    p50Ms: 4,
    p95Ms: 9,
    p99Ms: 50,
  })
  assert.equal(buckets.at(-1)?.p50Ms, null)
})
