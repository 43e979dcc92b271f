/** What tools, browsers and libraries expect of any HTTP service, on the whole service: conditions, links, credentials, origins. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { publishDemo } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { type ServingHere, serveHere } from './service-in-process.ts'

const portal = 'https://portal.example.com'
const BOOKINGS = 120

let folder: string
let serving: ServingHere
let key: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-clients-'))
  const data = join(folder, 'data')
  await publishDemo({ data }, { clients: 1, bookings: BOOKINGS })
  key = await createAccount(data, 'C00001', 'Tools')
  serving = await serveHere(data, { env: { TRIPFOLIO_CORS_ORIGINS: portal } })
})
after(async () => {
  await serving.close()
  await rm(folder, { recursive: true })
})

type Headers = Readonly<Record<string, string>>

/** Sends no key of its own. */
const ask = (path: string, headers: Headers = {}, method = 'GET') =>
  fetch(new URL(path, serving.address), { method, headers })

const askWithKey = (path: string, headers: Headers = {}) => ask(path, { 'X-API-Key': key, ...headers })

/** The snapshot may have been published in the present second, and a date has whole seconds. */
async function nextSecond(): Promise<number> {
  const second = 1000 * Math.ceil(Date.now() / 1000)
  while (Date.now() < second) await setTimeout(second - Date.now())
  return second
}

describe('If-Modified-Since', () => {
  const hour = 3_600_000
  const rows: readonly (readonly [version: string, afterLastModifiedMs: number | 'now', status: number])[] = [
    ['v2', 0, 304],
    ['v1', 0, 304],
    ['v2', 'now', 304],
    ['v2', 24 * 365 * hour, 200],
    ['v1', 24 * 365 * hour, 200],
    ['v2', -1000, 200],
    ['v1', -24 * hour, 200],
  ]
  for (const [version, offset, status] of rows) {
    it(`is answered with ${status} in ${version} for ${offset === 'now' ? 'now' : `Last-Modified and ${offset} ms`}`, async () => {
      const first = await askWithKey(`/api/${version}/bookings`)
      const lastModified = Date.parse(first.headers.get('last-modified') as string)
      const date = offset === 'now' ? await nextSecond() : lastModified + offset
      const condition = { 'If-Modified-Since': new Date(date).toUTCString() }
      for (const method of ['GET', 'HEAD']) {
        const again = await ask(`/api/${version}/bookings`, { 'X-API-Key': key, ...condition }, method)
        assert.equal(again.status, status)
        assert.equal(again.headers.get('last-modified'), first.headers.get('last-modified'))
        if (status === 304) assert.equal(await again.text(), '')
      }
    })
  }

  it('is ignored beside If-None-Match', async () => {
    const { headers } = await askWithKey('/api/v2/bookings')
    const dates = { 'If-Modified-Since': headers.get('last-modified') as string }
    assert.equal((await askWithKey('/api/v2/bookings', { ...dates, 'If-None-Match': '"other"' })).status, 200)
    const old = { 'If-Modified-Since': new Date(0).toUTCString() }
    assert.equal((await askWithKey('/api/v2/bookings', { ...old, 'If-None-Match': '*' })).status, 304)
  })
})

describe('the header Link', () => {
  const linksOf = (response: Response): Readonly<Record<string, URL>> =>
    Object.fromEntries(
      Array.from((response.headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g), (match) => [
        match[2],
        new URL(match[1] as string, response.url),
      ]),
    )

  it('leads through every record once, forwards and backwards, also with other parameters', async () => {
    const query = "$filter=contains(originatingAgency,'a')&%24orderby=recordLocator desc&PAGESIZE=7"
    const whole = await (await askWithKey(`/api/v2/bookings?${query.replace('PAGESIZE=7', '')}`)).json()
    const expected = (whole as Body).bookings
    assert.ok(expected.length > 30)
    for (const [relation, start] of [
      ['next', 'first'],
      ['prev', 'last'],
    ] as const) {
      const entry = await askWithKey(`/api/v2/bookings?${query}`)
      const pages: (readonly object[])[] = []
      for (let at = linksOf(entry)[start]; at !== undefined; ) {
        const response = await fetch(at, { headers: { 'X-API-Key': key } })
        pages.push(((await response.json()) as Body).bookings)
        at = linksOf(response)[relation]
      }
      if (relation === 'prev') pages.reverse()
      assert.deepEqual(pages.flat(), expected)
    }
  })
  type Body = { readonly bookings: readonly object[] }

  it('has the spelling of its own request, although all spellings share one cached body', async () => {
    for (let times = 0; times < 4; times++) {
      for (const [query, next] of [
        ['$page=1&$pageSize=7', '?$page=2&$pageSize=7'],
        ['pagesize=7', '?pagesize=7&page=2'],
      ] as const) {
        const response = await askWithKey(`/api/v2/bookings?${query}`)
        await response.arrayBuffer()
        assert.ok(response.headers.get('link')?.startsWith(`<${next}>; rel="next"`), query)
      }
    }
  })

  it('is there exactly when the request asks for a page, in every format and coding and for HEAD', async () => {
    for (const query of ['page=1', '$pageSize=2', 'pageSize=2&format=csv', 'page=9&format=arrow']) {
      for (const [method, coding] of [
        ['GET', 'identity'],
        ['GET', 'gzip'],
        ['HEAD', 'zstd'],
      ] as const) {
        const headers = { 'X-API-Key': key, 'Accept-Encoding': coding }
        for (let times = 0; times < 3; times++) {
          const response = await ask(`/api/v2/itineraries?${query}`, headers, method)
          await response.arrayBuffer()
          assert.match(response.headers.get('link') ?? '', /rel="first", <[^>]*>; rel="last"$/, query)
        }
      }
    }
    for (const path of ['/api/v2/bookings', '/api/v2/bookings?format=csv', '/api/v1/bookings?fetch=2']) {
      assert.equal((await askWithKey(path)).headers.get('link'), null, path)
    }
  })
})

describe('an API key', () => {
  const basic = (user: string, password: string) => `Basic ${btoa(`${user}:${password}`)}`
  const wrong = 'x'.repeat(64)
  const rows: readonly (readonly [what: string, headers: () => Headers, status: number])[] = [
    ['as Bearer', () => ({ Authorization: `Bearer ${key}` }), 200],
    ['as bearer', () => ({ Authorization: `bearer ${key}` }), 200],
    ['as password of Basic', () => ({ Authorization: basic('erp', key) }), 200],
    ['as password without a user name', () => ({ Authorization: basic('', key) }), 200],
    ['as user name of Basic', () => ({ Authorization: basic(key, '') }), 401],
    ['that is wrong, as Bearer', () => ({ Authorization: `Bearer ${wrong}` }), 401],
    ['that is wrong, as password', () => ({ Authorization: basic('erp', wrong) }), 401],
    ['without a scheme', () => ({ Authorization: key }), 401],
    [
      'beside credentials of a proxy',
      () => ({ 'X-API-Key': key, Authorization: basic('proxy', 'secret') }),
      200,
    ],
    ['behind a wrong X-API-Key', () => ({ 'X-API-Key': wrong, Authorization: `Bearer ${key}` }), 401],
    ['behind an empty X-API-Key', () => ({ 'X-API-Key': '', Authorization: `Bearer ${key}` }), 401],
  ]
  for (const [what, headers, status] of rows) {
    it(`${what} is answered with ${status}`, async () => {
      for (const version of ['v1', 'v2']) {
        assert.equal((await ask(`/api/${version}/bookings`, headers())).status, status, version)
      }
    })
  }

  it('behind a wrong psk is answered with 401 in version 1', async () => {
    const headers = { psk: crypto.randomUUID(), Authorization: `Bearer ${key}` }
    assert.equal((await ask('/api/v1/bookings', headers)).status, 401)
  })

  it('does not open the administration, which takes tokens', async () => {
    for (const path of ['/api/admin/v1/accounts', '/api/admin/v1/tenant']) {
      assert.equal((await ask(path, { Authorization: `Bearer ${key}` })).status, 401, path)
    }
  })

  it('as Bearer replaces itself, but not as password, which browsers repeat without asking', async () => {
    const own = await createAccount(join(folder, 'data'), 'C00001', 'Rotating')
    const rotate = (headers: Headers) => ask('/api/v2/service-accounts/me/rotate-api-key', headers, 'POST')
    const refused = await rotate({ Authorization: basic('erp', own) })
    assert.equal(refused.status, 401)
    assert.equal(
      refused.headers.get('www-authenticate'),
      'ApiKey realm="tripfolio", header="X-API-Key", Bearer realm="tripfolio"',
    )
    assert.equal((await rotate({ Authorization: `Bearer ${own}` })).status, 200)
    assert.equal((await ask('/api/v2/bookings', { Authorization: `Bearer ${own}` })).status, 401)
  })
})

describe('a web page of a configured origin', () => {
  it('may ask with a key and read the answer with its headers; other pages may not', async () => {
    const preflight = {
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'x-api-key',
    }
    for (const [origin, allowed] of [
      [portal, portal],
      ['https://other.example.com', null],
    ] as const) {
      const asked = await ask('/api/v2/bookings', { Origin: origin, ...preflight }, 'OPTIONS')
      assert.equal(asked.headers.get('access-control-allow-origin'), allowed)
      const answered = await askWithKey('/api/v2/bookings?page=1', { Origin: origin })
      assert.equal(answered.headers.get('access-control-allow-origin'), allowed)
      assert.match(answered.headers.get('vary') ?? '', /, Origin$/)
    }
  })
})
