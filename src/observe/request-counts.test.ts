import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createRequestMetrics } from './metrics.ts'
import {
  addCounts,
  type CountsByFamily,
  countedFamilies,
  countsBetween,
  countsIn,
  percentileMs,
  requestSeconds,
  requestsIn,
} from './request-counts.ts'

type Sample = { readonly route: string; readonly status: number; readonly milliseconds: number }

/** What threads would tell, each with a share of the requests. */
async function told(samples: readonly Sample[], threads = 1) {
  const metrics = Array.from({ length: threads }, createRequestMetrics)
  for (const [i, { route, status, milliseconds }] of samples.entries()) {
    metrics[i % threads]?.record({
      kind: 'request-answered',
      requestId: 'r',
      method: 'GET',
      route,
      status,
      milliseconds,
      bytes: 0,
      aborted: false,
      accountId: undefined,
      clientNumber: undefined,
      address: undefined,
      problem: undefined,
    })
  }
  return Promise.all(metrics.map(({ values }) => values()))
}

const families: readonly (readonly [route: string, family: string | null])[] = [
  ['/api/v2/bookings', 'v2'],
  ['/api/v1/invoices', 'v1'],
  ['/api/dynamic/v1/reports/:id', 'dynamic'],
  ['/api/admin/v1/accounts/:id', 'admin'],
  ['/api/events/v1/stream', 'events'],
  ['/docs', 'other'],
  ['/api/other', 'other'],
  ['(none)', 'other'],
  ['/livez', null],
  ['/readyz', null],
  ['/metrics', null],
]

const samples = fc.array(
  fc.record({
    route: fc.constantFrom(...families.map(([route]) => route)),
    status: fc.constantFrom(200, 304, 400, 404, 500, 503),
    milliseconds: fc.double({ min: 0, max: 20_000, noNaN: true }),
  }),
  { maxLength: 60 },
)

const boundsMs = [0, ...requestSeconds.map((bound) => 1000 * bound)]

describe('countsIn', () => {
  for (const [route, family] of families) {
    it(`counts ${route} ${family === null ? 'nowhere' : `as ${family}`}`, async () => {
      const counts = countsIn(await told([{ route, status: 200, milliseconds: 3 }]))
      assert.deepEqual(Object.keys(counts), family === null ? [] : [family])
    })
  }

  it('counts what a walk over the requests counts, whichever thread answered them', () =>
    fc.assert(
      fc.asyncProperty(samples, fc.integer({ min: 1, max: 3 }), async (all, threads) => {
        const counts = countsIn(await told(all, threads))
        for (const family of countedFamilies) {
          const own = all.filter(({ route }) => new Map(families).get(route) === family)
          const found = counts[family]
          const failures = own.filter(({ status }) => status >= 500).length
          const refusals = own.filter(({ status }) => status >= 400 && status < 500).length
          assert.deepEqual(
            found === undefined ? [0, 0, 0] : [requestsIn(found), found.failures, found.refusals],
            [own.length, failures, refusals],
          )
        }
      }),
      { numRuns: 50 },
    ))
})

describe('differences', () => {
  it('add up to the whole', () =>
    fc.assert(
      fc.asyncProperty(samples, samples, async (first, second) => {
        const before = countsIn(await told(first))
        const after = countsIn(await told([...first, ...second]))
        const sum: CountsByFamily = addCounts(before, countsBetween(before, after))
        assert.deepEqual(sum, addCounts({}, after))
      }),
      { numRuns: 50 },
    ))

  it('leave out families without a request', async () => {
    const counts = countsIn(await told([{ route: '/docs', status: 200, milliseconds: 1 }]))
    assert.deepEqual(countsBetween(counts, counts), {})
  })
})

describe('percentileMs', () => {
  it('lies in the bucket of the request at that place', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0, max: 20_000, noNaN: true }), { minLength: 1, maxLength: 80 }),
        fc.constantFrom(0.5, 0.95, 0.99),
        async (durations, share) => {
          const counts = countsIn(
            await told(durations.map((milliseconds) => ({ route: '/docs', status: 200, milliseconds }))),
          )
          const sorted = durations.toSorted((a, b) => a - b)
          const exact = sorted[Math.ceil(share * sorted.length) - 1] as number
          const found = percentileMs(counts.other ?? assert.fail(), share) as number
          const bucket = boundsMs.findIndex((bound) => exact <= bound)
          if (bucket === -1) assert.equal(found, boundsMs.at(-1))
          else {
            assert.ok(found <= (boundsMs[Math.max(bucket, 1)] as number), `${found} for ${exact}`)
            assert.ok(found >= (boundsMs[Math.max(bucket, 1) - 1] as number), `${found} for ${exact}`)
          }
        },
      ),
      { numRuns: 100 },
    ))

  it('is null without requests', () => {
    assert.equal(percentileMs({ buckets: [], failures: 0, refusals: 0 }, 0.5), null)
  })
})
