import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DetailedProblem, Problem, type ProblemCode, QueryProblem } from '../kernel/problem.ts'
import { errorResponse } from './error-response.ts'
import { tooManyRequests } from './problems.ts'
import { assertProblem } from './testing/answered-problem.ts'
import { apiKey, exchange, type Stage, startServer, type TestServer } from './testing/server.ts'

type Refusal = {
  readonly what: string
  readonly status: number
  /** Undefined for a defect. */
  readonly problem?: ProblemCode
  readonly ask: (server: TestServer) => Promise<Response>
  readonly stage?: Stage
  /** Headers that the status requires. */
  readonly headers?: Readonly<Record<string, string>>
}

const list = '/api/v2/bookings'
const rotate = '/api/v2/service-accounts/me/rotate-api-key'
const raw =
  (request: string) =>
  async ({ port }: TestServer) =>
    parsed(await exchange(port, request))
const without = { catalogue: { current: () => null } }

const refusals: readonly Refusal[] = [
  {
    what: 'a filter that cannot be understood',
    status: 400,
    problem: 'QRY101',
    ask: ({ get }) => get(`${list}?$filter=wrong`),
  },
  {
    what: 'a parameter that cannot be decoded',
    status: 400,
    problem: 'SRV110',
    ask: ({ get }) => get(`${list}?$filter=%C3%28`),
  },
  {
    what: 'a path that cannot be decoded',
    status: 400,
    problem: 'SRV105',
    ask: raw('GET /a%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
  },
  {
    what: 'a request without Host',
    status: 400,
    problem: 'SRV105',
    ask: raw(`GET ${list} HTTP/1.1\r\nConnection: close\r\n\r\n`),
  },
  {
    what: 'bytes that are not HTTP',
    status: 400,
    problem: 'SRV105',
    ask: raw('\u0016\u0003\u0001 hello\r\n\r\n'),
  },
  {
    what: 'an unknown method',
    status: 400,
    problem: 'SRV105',
    ask: raw('FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'),
  },
  {
    what: 'a missing key',
    status: 401,
    problem: 'SRV108',
    ask: ({ url }) => fetch(url + list),
    headers: { 'www-authenticate': 'ApiKey realm="tripfolio", header="X-API-Key", Bearer realm="tripfolio"' },
  },
  {
    what: 'an unknown key, before the query is read',
    status: 401,
    problem: 'SRV108',
    ask: ({ get }) => get(`${list}?$filter=wrong`, { headers: { 'X-API-Key': 'wrong' } }),
    headers: { 'www-authenticate': 'ApiKey realm="tripfolio", header="X-API-Key", Bearer realm="tripfolio"' },
  },
  {
    what: 'an unknown key, before readiness is checked',
    status: 401,
    problem: 'SRV108',
    stage: without,
    ask: ({ get }) => get(list, { headers: { 'X-API-Key': 'wrong' } }),
  },
  { what: 'an unknown address', status: 404, problem: 'SRV101', ask: ({ get }) => get('/api/v2/hotels') },
  {
    what: 'an unknown version',
    status: 404,
    problem: 'SRV101',
    ask: ({ url }) => fetch(`${url}/api/v9/bookings`),
  },
  {
    what: 'an unknown file of the reference',
    status: 404,
    problem: 'SRV101',
    ask: ({ url }) => fetch(`${url}/docs/static/nothing.js`),
  },
  {
    what: 'an unknown address with a body of a malformed type',
    status: 404,
    problem: 'SRV101',
    ask: ({ get }) => get('/nowhere', { method: 'POST', body: '{', headers: { 'Content-Type': 'what' } }),
  },
  {
    what: 'DELETE of a list, before the key is checked',
    status: 405,
    problem: 'SRV102',
    ask: ({ url }) => fetch(url + list, { method: 'DELETE' }),
    headers: { allow: 'GET, HEAD, OPTIONS' },
  },
  {
    what: 'POST to a list in another spelling',
    status: 405,
    problem: 'SRV102',
    ask: ({ url }) => fetch(`${url}/API/v2/Bookings/?a=b`, { method: 'POST', body: 'x' }),
    headers: { allow: 'GET, HEAD, OPTIONS' },
  },
  {
    what: 'a body with a request for records',
    status: 400,
    problem: 'SRV134',
    ask: raw(`GET ${list} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\nContent-Length: 9\r\n\r\n$filter=x`),
  },
  {
    what: 'a rotation with GET',
    status: 405,
    problem: 'SRV102',
    ask: ({ get }) => get(rotate),
    headers: { allow: 'OPTIONS, POST' },
  },
  {
    what: 'a method of HTTP that no route supports',
    status: 405,
    problem: 'SRV102',
    ask: raw(`PROPFIND ${list} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
  },
  {
    what: 'a body too large to ignore',
    status: 413,
    problem: 'SRV104',
    ask: ({ get }) => get(rotate, { method: 'POST', body: 'x'.repeat(99_999) }),
  },
  {
    what: 'a request line over 16 KB',
    status: 414,
    problem: 'SRV103',
    ask: ({ get }) => get(`${list}?x=${'y'.repeat(16 * 1024)}`),
  },
  {
    what: 'an unknown address over 16 KB',
    status: 414,
    problem: 'SRV103',
    ask: ({ get }) => get(`/${'y'.repeat(16 * 1024)}`),
  },
  {
    what: 'an expectation that is not 100-continue',
    status: 417,
    problem: 'SRV109',
    ask: raw(`GET ${list} HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n`),
  },
  {
    what: 'an absurdly long address',
    status: 431,
    problem: 'SRV106',
    ask: raw(`GET /${'y'.repeat(1_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
  },
  {
    what: 'absurdly long headers',
    status: 431,
    problem: 'SRV106',
    ask: raw(`GET / HTTP/1.1\r\nHost: x\r\nA: ${'y'.repeat(1_000_000)}\r\n\r\n`),
  },
  { what: 'a defect', status: 500, ask: ({ get }) => get(`${list}?$filter=defect`) },
  {
    what: 'a defect in the directory',
    status: 500,
    stage: {
      authenticate: () => {
        throw new TypeError('Cannot read /secret/place')
      },
    },
    ask: ({ get }) => get(list),
  },
  {
    what: 'no snapshot',
    status: 503,
    problem: 'SRV201',
    stage: without,
    ask: ({ get }) => get(list),
    headers: { 'retry-after': '30' },
  },
  {
    what: 'a damaged snapshot',
    status: 503,
    problem: 'SNP301',
    ask: ({ get }) => get(`${list}?$filter=damaged`),
    headers: { 'retry-after': '30' },
  },
]

describe('every refusal', () => {
  for (const { what, status, problem, ask, stage, headers = {} } of refusals) {
    it(`has the one error shape: ${status} for ${what}`, async (t) => {
      const server = await startServer(t, stage)
      const response = await ask(server)
      const text = await response.text()
      assert.equal(response.status, status, text)
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
      assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(text)))
      assert.equal(response.headers.get('cache-control'), 'no-store')
      assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
      for (const [name, value] of Object.entries(headers)) assert.equal(response.headers.get(name), value)
      const body = JSON.parse(text) as Record<string, unknown>
      const place = 'column' in body ? ['column', 'input'] : []
      assert.deepEqual(
        Object.keys(body),
        'parameter' in body ? ['error', 'message', 'parameter', ...place] : ['error'],
      )
      assert.ok(typeof body.error === 'string' && body.error !== '')
      assert.doesNotMatch(text, /secret|stack|node_modules|FST_/)
      if (status >= 500 && server.observations.some(({ kind }) => kind === 'request-failed')) {
        assert.match(text, new RegExp(response.headers.get('x-request-id') as string))
      }
      await assertProblem(server.observations, response, problem)
    })
  }

  it('has no body for HEAD', async (t) => {
    const { get } = await startServer(t)
    const response = await get(`${list}?$filter=wrong`, { method: 'HEAD' })
    assert.equal(response.status, 400)
    assert.equal(await response.text(), '')
  })
})

describe('errorResponse', () => {
  const bodyOf = (error: unknown) => JSON.parse(errorResponse(error, 'r-1').body)

  it('names the rate limit and when to retry, in the body and in Retry-After', () => {
    for (const [seconds, words] of [
      [1, '1 second'],
      [17, '17 seconds'],
    ] as const) {
      const problem = tooManyRequests({ rate: 0.5, burst: 3 }, seconds)
      const { status, headers, isFailure } = errorResponse(problem, 'r-1')
      assert.deepEqual([status, headers['retry-after'], isFailure], [429, String(seconds), false])
      assert.deepEqual(bodyOf(problem), {
        error: `Too many requests: the limit is 0.5 per second after a burst of 3; retry after ${words}`,
      })
    }
  })

  it('leaves out the members that a query problem does not have', () => {
    const problem = new QueryProblem('QRY301', { parameter: '$top' }, 'Use $pageSize')
    assert.deepEqual(bodyOf(problem), { error: 'Invalid $top', message: 'Use $pageSize', parameter: '$top' })
  })

  it('adds the next step to the message', () => {
    const problem = new Problem('SRV108', 'The key has expired', { hint: 'Ask for a new one.' })
    assert.deepEqual(bodyOf(problem), { error: 'The key has expired. Ask for a new one.' })
    assert.equal(errorResponse(problem, 'r-1').status, 401)
  })

  it('has only the request id for a failure of the service', () => {
    const problem = new Problem('SNP302', 'No intact file at /secret/place')
    assert.deepEqual(bodyOf(problem), { error: 'Service Unavailable; the request id is r-1' })
    assert.equal(errorResponse(problem, 'r-1').isFailure, true)
  })

  it('lists every fault of a body with its path', () => {
    const details = [{ path: '/name', message: 'Expected text' }]
    assert.deepEqual(bodyOf(new DetailedProblem('ADM105', 'The body is not what it should be', details)), {
      error: 'The body is not what it should be',
      details,
    })
  })

  it('answers 4xx to a body that Fastify refuses', async (t) => {
    const { url, observations } = await startServer(t, {
      plugins: [(scope) => scope.post('/body', async () => ({}))],
    })
    const rows = [
      ['application/json', '{', 400, 'SRV105'],
      ['application/json', '', 400, 'SRV105'],
      ['text/what', 'x', 415, 'SRV131'],
      ['application/json', '{}', 200, undefined],
    ] as const
    for (const [type, body, status, problem] of rows) {
      const response = await fetch(`${url}/body`, { method: 'POST', body, headers: { 'Content-Type': type } })
      assert.equal(response.status, status, body)
      assert.doesNotMatch(await response.text(), /FST_/)
      await assertProblem(observations, response, problem)
    }
  })

  it('treats a thrown value that is not an Error as a defect', () => {
    assert.deepEqual(bodyOf('secret'), { error: 'Internal Server Error; the request id is r-1' })
    assert.equal(errorResponse(undefined, 'r-1').status, 500)
  })
})

/** Parses the raw answer of a connection into a Response. */
function parsed(text: string): Response {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string])
  return new Response(body, { status: Number(statusLine.split(' ')[1]), headers })
}
