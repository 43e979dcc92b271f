/** The service below a path, as callers see it: with the setting, with a header of a trusted proxy, and with neither. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { endpoint, PREFIX, startEndpoints } from './testing/endpoints.ts'
import { exchange, type Stage, startServer } from './testing/server.ts'

const trusting: Stage = { trustedProxies: '127.0.0.1' }
const told = (prefix: string) => ({ headers: { 'X-Forwarded-Prefix': prefix } })

type Way = readonly [
  what: string,
  stage: Stage,
  /** Before addresses that the service gets. */
  before: string,
  init: RequestInit,
]
const ways: readonly Way[] = [
  ['a proxy that leaves the path', { basePath: '/travel' }, '/travel', {}],
  ['a proxy that removes the path, with the setting', { basePath: '/travel' }, '', {}],
  ['a trusted proxy that removes the path and tells it', trusting, '', told('/travel')],
  ['a trusted proxy that tells it with a slash', trusting, '', told('/travel/')],
  ['a proxy that tells more than the setting', { ...trusting, basePath: '/a' }, '', told('/travel')],
]

describe('below a path', () => {
  for (const [what, stage, before, init] of ways) {
    it(`addresses that leave the service have the path: ${what}`, async (t) => {
      const { get } = await startServer(t, stage)
      for (const path of ['/openapi.json', '/docs/clients.json', '/docs/operators.json']) {
        const answer = await get(before + path, init)
        const text = await answer.text()
        const { openapi, servers, paths } = JSON.parse(text)
        assert.deepEqual([openapi, servers[0].url], ['3.1.0', '/travel'], path)
        assert.ok(Object.keys(paths).length > 0)
        assert.match(text, /\]\(\/travel\/docs\/guides/)
        assert.doesNotMatch(text, /\]\(\/docs/)
      }
      const start = await get(before === '' ? '/' : before, init)
      assert.deepEqual([start.status, start.headers.get('location')], [302, '/travel/docs'])
      assert.equal((await get(`${before}/api/v2/bookings`, init)).status, 200)
    })
  }

  const ignored: readonly Way[] = [
    ['a proxy that is not trusted', {}, '', told('/travel')],
    ['another proxy than the trusted one', { trustedProxies: '10.0.0.1' }, '', told('/travel')],
    ...[
      '//evil.example',
      'https://evil.example',
      '/a/../b',
      '/"><script>',
      '/a b',
      '/a, /b',
      '%0d%0a',
      '/é',
    ].map((prefix): Way => [`a trusted proxy that tells ${prefix}`, trusting, '', told(encodeURI(prefix))]),
    ['a trusted proxy that tells the root', { ...trusting, basePath: '/travel' }, '', told('/')],
  ]
  for (const [what, stage, before, init] of ignored) {
    it(`nothing has it: ${what}`, async (t) => {
      const { get } = await startServer(t, stage)
      const { servers } = (await (await get(`${before}/openapi.json`, init)).json()) as {
        readonly servers: readonly { readonly url: string }[]
      }
      assert.equal(servers[0]?.url, '/')
      assert.equal((await get('/', init)).headers.get('location'), 'docs')
    })
  }

  it('a header is never repeated in an answer as it came', async (t) => {
    const { port } = await startServer(t, trusting)
    for (const path of ['/', '/docs', '/openapi.json', '/docs/guides', '/explore', '/nothing']) {
      for (const prefix of ['/"><x-canary>', '//x-canary.example', "/x-canary'"]) {
        const answer = await exchange(
          port,
          `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-Prefix: ${prefix}\r\n\r\n`,
        )
        assert.ok(!answer.includes('x-canary'), `${path} ${prefix}`)
      }
    }
  })

  it('pages load everything by relative addresses, however deep they are', async (t) => {
    const { get } = await startServer(t, { basePath: '/travel' })
    for (const before of ['', '/travel'])
      for (const page of [
        '/docs',
        '/docs/',
        '/docs/operators',
        '/docs/guides',
        '/docs/guides/how-to/querying',
      ]) {
        const address = before + page
        const html = await (await get(address)).text()
        const links = [...html.matchAll(/ (?:href|src|data-document)="([^"#]+)/g)].map(
          ([, link]) => link as string,
        )
        assert.ok(links.length > 5, page)
        for (const link of links.filter((link) => !/^https?:/.test(link))) {
          assert.doesNotMatch(link, /^\//, `${page} links to ${link}`)
          const { pathname } = new URL(link, `http://a.example${address}`)
          assert.ok(pathname.startsWith(`${before}/`), `${page} links to ${link}`)
          assert.ok([200, 503].includes((await get(pathname)).status), `${page} links to ${link}`)
        }
      }
  })

  it('pages of the applications stand directly below it, and keep what an identity provider has sent', async (t) => {
    const { get } = await startServer(t, { basePath: '/travel' })
    for (const before of ['', '/travel'])
      for (const page of ['explore', 'console']) {
        const { status, headers } = await get(`${before}/${page}/?code=a&state=b`)
        assert.equal(status, 302)
        assert.equal(
          new URL(headers.get('location') ?? '', `http://a.example${before}/${page}/?x`).pathname,
          `${before}/${page}`,
        )
        assert.match(headers.get('location') ?? '', /\?code=a&state=b$/)
      }
  })

  it('what is for operators stays hidden from the public address, and refusals keep their code', async (t) => {
    const { get } = await startServer(t, { basePath: '/travel', hasOperatorAddress: true })
    for (const path of [
      '/travel',
      '/travel/docs',
      '/travel/docs/guides',
      '/travel/console',
      '/travel/metrics',
    ])
      assert.equal((await get(path)).status, 404, path)
    const { status, headers } = await get('/travel/api/admin/v1/nothing')
    assert.deepEqual([status, headers.get('x-error-code')], [404, 'SRV101'])
  })
})

describe('a redirect of a script', () => {
  const redirect = async (t: TestContext, location: string, basePath?: string) => {
    const { url } = await startEndpoints(t, {
      endpoints: [endpoint('GET', 'go')],
      script: () => ({ status: 302, headers: { location }, body: null }),
      ...(basePath !== undefined && { basePath }),
    })
    const answer = await fetch(`${url}${basePath ?? ''}${PREFIX}go`, { redirect: 'manual' })
    return answer.headers.get('location')
  }
  for (const [location, basePath, expected] of [
    ['/explore?a=1#b', '/travel', '/travel/explore?a=1#b'],
    ['/', '/travel', '/travel/'],
    ['/travels', '/travel', '/travel/travels'],
    ['/travel/explore', '/travel', '/travel/explore'],
    ['/travel', '/travel', '/travel'],
    ['https://a.example/b', '/travel', 'https://a.example/b'],
    ['/explore', undefined, '/explore'],
  ] as const)
    it(`to ${location} below ${basePath ?? 'no path'} leads to ${expected}`, async (t) =>
      assert.equal(await redirect(t, location, basePath), expected))
})
