import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { createRateLimiter, type RateLimiter } from '../auth/limits/rate-limiter.ts'
import { QueryProblem } from '../kernel/problem.ts'
import type { Observation } from '../observe/observation.ts'
import { watchRoutes } from './allowed-methods.ts'
import { keyNotAccepted } from './problems.ts'
import { limitRate, rateLimitHeaders } from './rate-limit.ts'
import { frameRequests } from './request-report.ts'
import { until } from './testing/server.ts'

const known: string = randomUUID()
const other: string = randomUUID()

/** A limiter with a clock that the test sets. */
function simulated(rate: number, burst: number) {
  const time = { now: 0n }
  const limiter = createRateLimiter({ rate, burst }, { clock: () => time.now })
  return { time, limiter }
}

/** The frame around routes that answer in every way that routes can. The key is the id of the account. */
async function startLimited(t: TestContext, limiter: RateLimiter | null) {
  const observations: Observation[] = []
  const server = Fastify({ logger: false })
  frameRequests(server, watchRoutes(server), {
    observe: (observation) => observations.push(observation),
    requestLineBytes: 1024,
    mostCallDepth: 0,
  })
  const authenticate = (request: FastifyRequest, _reply: FastifyReply, done: (refusal?: Error) => void) => {
    const accountId = request.headers['x-api-key']
    if (accountId !== known && accountId !== other) return done(keyNotAccepted())
    request.account = { accountId, accountName: 'ERP export', clientNumber: 'C01234', keyHash: 'hash' }
    done()
  }
  const onRequest = [authenticate, limitRate('v1', limiter)]
  server.get('/whole', { onRequest }, (request, reply) => {
    const { raw } = reply.hijack()
    raw.writeHead(200, { 'content-type': 'application/json', ...rateLimitHeaders(request) }).end('[]')
  })
  server.get('/sent', { onRequest }, (_request, reply) => reply.send('[]'))
  server.get('/unchanged', { onRequest }, (_request, reply) => reply.code(304).send())
  server.get('/wrong', { onRequest }, () => {
    throw new QueryProblem('QRY101', { parameter: '$filter' }, 'Expected a field')
  })
  server.get('/defect', { onRequest }, () => {
    throw new TypeError('Cannot read /secret/place')
  })
  t.after(() => server.close())
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  const get = (path: string, key = known) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'X-API-Key': key } })
  return { get, observations }
}

const limitHeaders = ({ headers }: Response) => [headers.get('ratelimit-policy'), headers.get('ratelimit')]

describe('a limited route', () => {
  const answers: readonly (readonly [path: string, status: number, how: string])[] = [
    ['/whole', 200, 'that bypasses Fastify'],
    ['/sent', 200, 'that Fastify sends'],
    ['/unchanged', 304, 'without a body'],
    ['/wrong', 400, 'that is a refusal'],
    ['/defect', 500, 'that is a failure'],
  ]
  for (const [path, status, how] of answers) {
    it(`says what is left in an answer ${how}: ${status}`, async (t) => {
      const { get } = await startLimited(t, simulated(50, 200).limiter)
      const response = await get(path)
      assert.equal(response.status, status)
      assert.deepEqual(limitHeaders(response), ['"v1";q=200;w=4', '"v1";r=199;t=1'])
      assert.deepEqual(limitHeaders(await get(path)), ['"v1";q=200;w=4', '"v1";r=198;t=1'])
    })
  }

  it('refuses requests beyond the limit with 429, says why and when to retry, and answers then', async (t) => {
    const { time, limiter } = simulated(0.4, 2)
    const { get, observations } = await startLimited(t, limiter)
    assert.equal((await get('/sent')).status, 200)
    assert.equal((await get('/whole')).status, 200)
    for (const [path, seconds, reset] of [
      ['/sent', 3, 5],
      ['/defect', 5, 5],
    ] as const) {
      const response = await get(path)
      assert.equal(response.status, 429)
      assert.equal(response.headers.get('retry-after'), String(seconds))
      assert.deepEqual(limitHeaders(response), ['"v1";q=2;w=5', `"v1";r=0;t=${reset}`])
      assert.deepEqual(await response.json(), {
        error: `Too many requests: the limit is 0.4 per second after a burst of 2; retry after ${seconds} seconds`,
      })
    }
    time.now += 3_000_000_000n
    assert.equal((await get('/sent')).status, 200)
    time.now += 2_000_000_000n
    assert.equal((await get('/sent')).status, 200)
    await until(() => observations.filter(({ kind }) => kind === 'request-answered').length === 6)
    assert.deepEqual(
      observations.flatMap((one) => (one.kind === 'request-answered' ? (one.problem ?? 'none') : [])),
      ['none', 'none', 'SRV114', 'SRV114', 'none', 'none'],
    )
    assert.ok(!observations.some(({ kind }) => kind === 'request-failed'))
  })

  it('counts each account separately', async (t) => {
    const { get } = await startLimited(t, simulated(1, 1).limiter)
    assert.equal((await get('/sent')).status, 200)
    assert.equal((await get('/sent')).status, 429)
    assert.equal((await get('/sent', other)).status, 200)
  })

  it('neither counts an unknown caller nor sends it the headers', async (t) => {
    const { get } = await startLimited(t, simulated(1, 1).limiter)
    const response = await get('/sent', 'wrong')
    assert.equal(response.status, 401)
    assert.deepEqual(limitHeaders(response), [null, null])
    assert.equal((await get('/sent')).status, 200)
  })

  const windows: readonly (readonly [rate: number, burst: number, seconds: number])[] = [
    [50, 200, 4],
    [50, 10, 1],
    [0.3, 3, 10],
    [0.001, 1, 1000],
    [3, 10, 4],
    [4.4, 22, 5],
  ]
  for (const [rate, burst, seconds] of windows) {
    it(`gives a window of ${seconds} s for a burst of ${burst} at ${rate} per second`, async (t) => {
      const { get } = await startLimited(t, simulated(rate, burst).limiter)
      assert.equal(limitHeaders(await get('/sent'))[0], `"v1";q=${burst};w=${seconds}`)
    })
  }
})

describe('a route without a limit', () => {
  it('answers without RateLimit headers', async (t) => {
    const { get } = await startLimited(t, createRateLimiter(null))
    for (const path of ['/sent', '/whole']) {
      const response = await get(path)
      assert.equal(response.status, 200)
      assert.deepEqual(limitHeaders(response), [null, null])
    }
  })
})
