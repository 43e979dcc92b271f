import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { endpoint, startEndpoints } from './testing/endpoints.ts'
import { type Stage, startServer } from './testing/server.ts'

const portal = 'https://portal.example.com'
const list = '/api/v2/bookings'

const start = (t: TestContext, corsOrigins: readonly string[], stage: Stage = {}) =>
  startServer(t, { corsOrigins, ...stage })

const sharing = ({ headers }: Response) => [
  headers.get('access-control-allow-origin'),
  headers.get('access-control-expose-headers') !== null,
  (headers.get('vary') ?? '').split(', ').includes('Origin'),
]

describe('an answer to a web page', () => {
  const rows: readonly {
    readonly what: string
    readonly origins: readonly string[]
    readonly origin: string | undefined
    readonly path?: string
    readonly expected: readonly [allowed: string | null, exposes: boolean, varies: boolean]
  }[] = [
    { what: 'no setting', origins: [], origin: portal, expected: [null, false, false] },
    {
      what: 'its origin',
      origins: ['https://a.example', portal],
      origin: portal,
      expected: [portal, true, true],
    },
    { what: 'another origin', origins: [portal], origin: 'https://a.example', expected: [null, false, true] },
    { what: 'another port', origins: [portal], origin: `${portal}:8443`, expected: [null, false, true] },
    { what: 'no origin', origins: [portal], origin: undefined, expected: [null, false, true] },
    { what: 'the origin null', origins: [portal], origin: 'null', expected: [null, false, true] },
    { what: 'all origins', origins: ['*'], origin: portal, expected: ['*', true, false] },
    { what: 'all origins, and none', origins: ['*'], origin: undefined, expected: ['*', true, false] },
    { what: 'all origins, and null', origins: ['*'], origin: 'null', expected: ['*', true, false] },
    {
      what: 'version 1',
      origins: [portal],
      origin: portal,
      path: '/API/V1/bookings',
      expected: [portal, true, true],
    },
    {
      what: 'a page',
      origins: [portal],
      origin: portal,
      path: `${list}?$pageSize=2`,
      expected: [portal, true, true],
    },
    {
      what: 'a large answer',
      origins: [portal],
      origin: portal,
      path: '/api/v2/invoices',
      expected: [portal, true, true],
    },
    {
      what: 'a refusal',
      origins: [portal],
      origin: portal,
      path: `${list}?$filter=wrong`,
      expected: [portal, true, true],
    },
    {
      what: 'an unknown address',
      origins: [portal],
      origin: portal,
      path: '/api/v2/x',
      expected: [portal, true, true],
    },
    {
      what: 'an address that the router refuses',
      origins: [portal],
      origin: portal,
      path: '/api/v2/%zz',
      expected: [portal, true, true],
    },
    {
      what: 'such an address and another origin',
      origins: [portal],
      origin: 'https://a.example',
      path: '/api/v2/%zz',
      expected: [null, false, true],
    },
    {
      what: 'the document',
      origins: [portal],
      origin: portal,
      path: '/openapi.json',
      expected: [portal, true, true],
    },
    { what: 'metrics', origins: [portal], origin: portal, path: '/metrics', expected: [null, false, false] },
    {
      what: 'administration',
      origins: [portal],
      origin: portal,
      path: '/api/admin/v1/x',
      expected: [null, false, false],
    },
  ]
  for (const { what, origins, origin, path = list, expected } of rows) {
    it(`is ${expected[0] === null ? 'not ' : ''}readable with ${what}`, async (t) => {
      const { get } = await start(t, origins, { recordCount: 2000 })
      const response = await get(path, { headers: origin === undefined ? {} : { Origin: origin } })
      await response.arrayBuffer()
      assert.deepEqual(sharing(response), expected)
      assert.equal(response.headers.get('access-control-allow-credentials'), null)
    })
  }

  it('has every header of a list that a page needs, and keeps the other reasons to vary', async (t) => {
    const { get } = await start(t, [portal])
    for (const headers of [{}, { 'If-None-Match': '*' }]) {
      const response = await get(`${list}?page=1`, { headers: { Origin: portal, ...headers } })
      assert.equal(
        response.headers.get('vary'),
        'X-API-Key, Authorization, Accept, Accept-Encoding, Snapshot-Id, Origin',
      )
      const exposed = response.headers.get('access-control-expose-headers')?.split(', ') ?? []
      const needed = 'ETag Link Snapshot-Id RateLimit RateLimit-Policy Retry-After Changes-Token'.split(' ')
      for (const name of needed) assert.ok(exposed.includes(name), name)
    }
  })

  it('is readable for one without a valid key', async (t) => {
    const { get } = await start(t, [portal])
    const response = await get(list, { headers: { Origin: portal, 'X-API-Key': 'wrong' } })
    assert.deepEqual([response.status, ...sharing(response)], [401, portal, true, true])
  })

  it('is readable when a dynamic endpoint gives it, and varies as its script says', async (t) => {
    const { call } = await startEndpoints(t, {
      corsOrigins: [portal],
      script: () => ({ headers: { vary: 'Accept-Language' } }),
    })
    const response = await call('POST', 'echo', { headers: { Origin: portal } })
    assert.deepEqual(sharing(response), [portal, true, true])
    assert.equal(response.headers.get('vary'), 'Accept-Language, Origin')
  })
})

describe('a preflight request', () => {
  const ask = (url: string, path: string, headers: Readonly<Record<string, string>>) =>
    fetch(url + path, { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'GET', ...headers } })

  const rows: readonly (readonly [path: string, methods: string])[] = [
    [list, 'GET, HEAD, OPTIONS'],
    ['/api/v1/itineraries', 'GET, HEAD, OPTIONS'],
    ['/api/v2/service-accounts/me/rotate-api-key', 'OPTIONS, POST'],
  ]
  for (const [path, methods] of rows) {
    it(`is answered without a key: ${path}`, async (t) => {
      const { url } = await start(t, [portal])
      const { status, headers } = await ask(url, path, {
        Origin: portal,
        'Access-Control-Request-Headers': 'x-api-key,snapshot-id',
      })
      assert.equal(status, 204)
      assert.deepEqual(
        ['allow-origin', 'allow-methods', 'allow-headers', 'max-age', 'allow-credentials'].map((name) =>
          headers.get(`access-control-${name}`),
        ),
        [portal, methods, 'x-api-key,snapshot-id', '600', null],
      )
      assert.equal(headers.get('vary'), 'Origin')
    })
  }

  it('allows nothing to another origin, and nothing without the setting', async (t) => {
    for (const origins of [[portal], []]) {
      const { url } = await start(t, origins)
      const { status, headers } = await ask(url, list, { Origin: 'https://a.example' })
      assert.equal(status, 204)
      assert.deepEqual(
        [...headers.keys()].filter((name) => name.startsWith('access-control-')),
        [],
      )
    }
  })

  it('is answered for a dynamic endpoint with its methods', async (t) => {
    const { url } = await startEndpoints(t, {
      endpoints: [endpoint('POST', 'echo'), endpoint('GET', 'echo')],
      corsOrigins: [portal],
    })
    const { headers } = await ask(url, '/api/dynamic/v1/echo', { Origin: portal })
    assert.equal(headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS, POST')
  })
})
