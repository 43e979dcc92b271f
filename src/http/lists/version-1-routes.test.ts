/** What the HTTP edge does differently for version 1: credentials, envelope, raw values, warnings and refusals. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRateLimiter } from '../../auth/limits/rate-limiter.ts'
import { Problem } from '../../kernel/problem.ts'
import { assertProblem } from '../testing/answered-problem.ts'
import { apiKey, psk, startServer } from '../testing/server.ts'

describe('a list of version 1', () => {
  it('passes parameters with decoded names and values as they were sent', async (t) => {
    const { get, asked } = await startServer(t)
    const response = await get('/api/v1/itineraries?qu%65ry=A^EQ%20b%3B+c;D^EQ1&fetch=%35&&offset&%ff=%ff')
    assert.equal(response.status, 200)
    const [request] = asked
    assert.deepEqual([request?.version, request?.list], [1, 'itineraries'])
    assert.deepEqual(request?.parameters(), [
      ['query', 'A^EQ%20b%3B+c;D^EQ1'],
      ['fetch', '%35'],
      ['offset', ''],
      ['%ff', '%ff'],
    ])
    assert.equal(request?.query, 'qu%65ry=A^EQ%20b%3B+c;D^EQ1&fetch=%35&&offset&%ff=%ff')
  })

  it('answers with result and no other member', async (t) => {
    const { get } = await startServer(t, { recordCount: 2 })
    const { result, ...others } = (await (await get('/api/v1/bookings')).json()) as Record<string, unknown[]>
    assert.equal(result?.length, 2)
    assert.deepEqual(others, {})
    const empty = await startServer(t, { recordCount: 0 })
    assert.equal(await (await empty.get('/api/v1/bookings')).text(), '{"result":[]}')
  })

  const credentials: readonly (readonly [headers: Record<string, string>, status: number])[] = [
    [{ psk }, 200],
    [{ 'X-API-Key': apiKey }, 200],
    [{ psk: 'wrong', 'X-API-Key': apiKey }, 401],
    [{}, 401],
  ]
  for (const [headers, status] of credentials) {
    it(`answers ${status} to ${JSON.stringify(Object.keys(headers))}`, async (t) => {
      const { url, observations } = await startServer(t)
      const response = await fetch(`${url}/api/v1/bookings`, { headers })
      assert.equal(response.status, status)
      if (status === 401) {
        assert.equal(
          response.headers.get('www-authenticate'),
          'ApiKey realm="tripfolio", header="psk", ApiKey realm="tripfolio", header="X-API-Key", Bearer realm="tripfolio"',
        )
        assert.deepEqual(await response.json(), {
          error: 'Valid credentials are required; send the psk header, or an API key in the X-API-Key header',
        })
        await assertProblem(observations, response, 'SRV113')
      }
    })
  }

  it('is 503 with Retry-After while no snapshot is ready', async (t) => {
    const { get } = await startServer(t, { catalogue: { current: () => null } })
    const response = await get('/api/v1/invoices')
    assert.equal(response.status, 503)
    assert.match(String(response.headers.get('retry-after')), /^\d+$/)
    assert.deepEqual(Object.keys((await response.json()) as object), ['error'])
  })

  it('refuses a query with only its message', async (t) => {
    const { get } = await startServer(t, {
      answer: () => Promise.reject(new Problem('QRY401', 'Invalid query format: Missing operator.')),
    })
    const response = await get('/api/v1/bookings?query=x')
    assert.equal(response.status, 400)
    assert.deepEqual(await response.json(), { error: 'Invalid query format: Missing operator.' })
  })

  it('keeps the name of an ignored parameter within its quotes and the header', async (t) => {
    const { get } = await startServer(t)
    const names = ['x"', 'x\\', 'x\r\nSet-Cookie: a', 'xé😀', `x${'y'.repeat(100)}`, 'x\ud800']
    const query = names.map((name) => `${encodeURIComponent(name.toWellFormed())}=1`).join('&')
    const { headers } = await get(`/api/v1/bookings?${query}`)
    assert.equal(headers.get('set-cookie'), null)
    assert.equal(
      headers.get('warning'),
      [
        'x\\"',
        'x\\\\',
        'x%0D%0ASet-Cookie: a',
        'x%C3%A9%F0%9F%98%80',
        `x${'y'.repeat(58)}%E2%80%A6`,
        'x%EF%BF%BD',
      ]
        .map((name) => `299 - "Unknown query parameter '${name}' ignored"`)
        .join(', '),
    )
  })

  it('names at most ten ignored parameters', async (t) => {
    const { get } = await startServer(t)
    const query = Array.from({ length: 500 }, (_, i) => `x${i}=`).join('&')
    const { headers } = await get(`/api/v1/bookings?${query}`)
    assert.equal(headers.get('warning')?.split(', ').length, 10)
  })
})

describe('the rate limit', () => {
  it('has its headers on every answer, and none without a limit', async (t) => {
    const limiter = () => createRateLimiter({ rate: 0.001, burst: 4 })
    const { get } = await startServer(t, { rateLimiters: { v1: limiter(), v2: null } })
    const statusAndRemaining = async (path: string, headers = {}) => {
      const response = await get(path, { headers })
      return [response.status, response.headers.get('ratelimit')?.split(';')[1]]
    }
    assert.deepEqual(await statusAndRemaining('/api/v1/bookings'), [200, 'r=3'])
    assert.deepEqual(await statusAndRemaining('/api/v1/bookings', { 'If-None-Match': '*' }), [304, 'r=2'])
    assert.deepEqual(await statusAndRemaining('/api/v1/bookings?$filter=damaged'), [503, 'r=1'])
    assert.deepEqual(await statusAndRemaining('/api/v1/bookings?$filter=wrong'), [400, 'r=0'])
    assert.deepEqual(await statusAndRemaining('/api/v1/bookings'), [429, 'r=0'])
    assert.deepEqual(await statusAndRemaining('/api/v2/bookings'), [200, undefined])
  })

  it('of version 2 counts its lists and the rotation together', async (t) => {
    const rateLimiters = { v1: null, v2: createRateLimiter({ rate: 0.001, burst: 2 }) }
    const { get } = await startServer(t, { rateLimiters })
    assert.equal((await get('/api/v2/bookings')).status, 200)
    const rotate = () => get('/api/v2/service-accounts/me/rotate-api-key', { method: 'POST' })
    assert.equal((await rotate()).status, 200)
    assert.equal((await rotate()).status, 429)
    assert.equal((await get('/api/v2/bookings')).status, 429)
  })
})
