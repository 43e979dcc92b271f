/** The rate limit of version 1 (specification 8): a client that waits as long as the refusal says is never refused twice. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { harbour, limmat } from '../fixtures/fixture-extract.ts'
import { startService } from './start-service.ts'

describe('the rate limit of version 1', () => {
  it('refuses requests beyond it with 429, and admits callers that wait as long as Retry-After says', async (t) => {
    // The clock of the limiter stands still while requests arrive, so that no machine is too slow.
    let now = 1_000_000_000_000n
    const service = await startService({ rateLimit: { rate: 4, burst: 5 }, clock: () => now })
    t.after(service.close)
    const { psk } = await service.pskOf(harbour)
    const askTimes = (times: number) =>
      Promise.all(
        Array.from({ length: times }, () =>
          fetch(`http://127.0.0.1:${service.port}/api/v1/bookings`, { headers: { psk } }),
        ),
      )
    const first = await askTimes(20)
    const refused = first.filter(({ status }) => status === 429)
    assert.equal(first.filter(({ status }) => status === 200).length, 5)
    assert.equal(refused.length, 15)
    for (const { headers } of first) {
      assert.equal(headers.get('ratelimit-policy'), '"v1";q=5;w=2')
      assert.match(String(headers.get('ratelimit')), /^"v1";r=\d+;t=\d+$/)
    }
    const body = (await refused[0]?.json()) as { readonly error: string }
    assert.deepEqual(Object.keys(body), ['error'])
    assert.match(body.error, /^Too many requests: .*retry after \d+ seconds?/)
    // Each of them is sent again when its Retry-After has passed.
    const waits = refused.map(({ headers }) => Number(headers.get('retry-after'))).sort((a, b) => a - b)
    const start = now
    for (const [seconds, back] of Map.groupBy(waits, (wait) => wait)) {
      assert.ok(Number.isInteger(seconds) && seconds >= 1, `${seconds}`)
      now = start + BigInt(seconds) * 1_000_000_000n
      const again = await askTimes(back.length)
      assert.deepEqual(
        again.map(({ status }) => status),
        back.map(() => 200),
        `after ${seconds} s`,
      )
    }
  })

  it('counts per account, refusals of bad queries too, and neither version 2 nor unknown callers', async (t) => {
    const service = await startService({ rateLimit: { rate: 0.001, burst: 2 } })
    t.after(service.close)
    const { psk } = await service.pskOf(harbour)
    const other = await service.pskOf(limmat)
    const key = await service.keyOf(harbour)
    const ask = async (path: string, headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${service.port}${path}`, { headers })).status
    assert.equal(await ask('/api/v1/bookings?query=x', { psk }), 400)
    assert.equal(await ask('/api/v1/invoices', { psk }), 200)
    assert.equal(await ask('/api/v1/itineraries', { psk }), 429)
    assert.equal(await ask('/api/v1/bookings?query=x', { psk }), 429)
    assert.equal(await ask('/api/v1/bookings', { psk: other.psk }), 200)
    for (let i = 0; i < 5; i++) {
      assert.equal(await ask('/api/v2/bookings', { 'x-api-key': key }), 200)
      assert.equal(await ask('/api/v1/bookings', { psk: 'wrong' }), 401)
    }
  })
})
