/** The pages of the explorer and the console as a browser gets them: headers, files, and what has no address. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { exchange, startServer, type TestServer } from '../testing/server.ts'

const script = 'assets/console-Ab3_-xY9.js'
const code = `console.log(${JSON.stringify('x'.repeat(2000))})`

/** What a build leaves: pages, hashed files, and files that only the build and the tests read. */
function builtFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tripfolio-web-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'assets'))
  const files = {
    'explore.html': '<!doctype html><title>Explorer</title>',
    'console.html': '<!doctype html><title>Console</title>',
    'manifest.json': '{}',
    'built-from': 'hash',
    [script]: code,
  }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text)
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text))
  }
  return folder
}

const serve = (t: TestContext, signInOrigins: readonly string[] = []): Promise<TestServer> =>
  startServer(t, { webFolder: builtFolder(t), signInOrigins })

const policy = (connect: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; connect-src ${connect}; ` +
  `worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; ` +
  `require-trusted-types-for 'script'; trusted-types tripfolio`

describe('the pages of the web applications', () => {
  for (const [path, connect] of [
    ['/explore', "'self'"],
    ['/console', "'self' https://id.example.com"],
  ] as const) {
    it(`allow nothing inline, no frame and no other origin but that of the identity provider: ${path}`, async (t) => {
      const { get } = await serve(t, ['https://id.example.com'])
      const { status, headers } = await get(path)
      assert.equal(status, 200)
      assert.deepEqual(
        {
          type: headers.get('content-type'),
          policy: headers.get('content-security-policy'),
          frames: headers.get('x-frame-options'),
          opener: headers.get('cross-origin-opener-policy'),
          referrer: headers.get('referrer-policy'),
          sniffing: headers.get('x-content-type-options'),
          caching: headers.get('cache-control'),
          cookies: headers.get('set-cookie'),
        },
        {
          type: 'text/html; charset=utf-8',
          policy: policy(connect),
          frames: 'DENY',
          opener: 'same-origin',
          referrer: 'no-referrer',
          sniffing: 'nosniff',
          caching: 'no-cache',
          cookies: null,
        },
      )
    })
  }

  it('answer HEAD, and 304 to a browser that has the page', async (t) => {
    const { get, port } = await serve(t)
    const page = await get('/explore')
    const tag = page.headers.get('etag') ?? ''
    assert.match(tag, /^(W\/)?".+"$/)
    // Fetch would ask for the whole page.
    const known = await exchange(
      port,
      `GET /explore HTTP/1.1\r\nHost: here\r\nIf-None-Match: ${tag}\r\nConnection: close\r\n\r\n`,
    )
    assert.match(known, /^HTTP\/1\.1 304 [\s\S]+\r\n\r\n$/)
    const head = await get('/explore', { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
    assert.equal(head.headers.get('content-security-policy'), page.headers.get('content-security-policy'))
  })

  it('say how to build them where nothing is built', async (t) => {
    const { get } = await startServer(t, { webFolder: join(tmpdir(), 'tripfolio-never-built') })
    for (const path of ['/explore', '/console']) {
      const answer = await get(path)
      assert.equal(answer.status, 503)
      assert.equal(answer.headers.get('content-security-policy'), policy("'self'"))
      assert.match(await answer.text(), /Run <code>npm run build<\/code>/)
    }
    assert.equal((await get(`/app/${script}`)).status, 404)
  })
})

describe('the files of the web applications', () => {
  it('are sent as the build has compressed them, and may be kept for ever', async (t) => {
    const { get } = await serve(t)
    for (const [accepted, coding] of [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const answer = await get(`/app/${script}`, { headers: { 'Accept-Encoding': accepted } })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('content-encoding'), coding)
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.match(answer.headers.get('content-type') ?? '', /^(text|application)\/javascript/)
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
      assert.match(answer.headers.get('vary') ?? '', /accept-encoding/i)
      assert.equal(await answer.text(), code)
    }
  })

  it('are the hashed ones only: pages, the manifest and anything beside the folder have no address there', async (t) => {
    const { get, port } = await serve(t)
    for (const path of [
      '/app/',
      '/app/explore.html',
      '/app/console.html',
      '/APP/console.html',
      '/app/manifest.json',
      '/app/built-from',
      '/app/assets/',
      '/app/assets',
      '/app/assets/no-such-Ab3_-xY9.js',
      '/explore.html',
      '/console/clients',
    ]) {
      assert.equal((await get(path)).status, 404, path)
    }
    for (const path of [
      '/app/assets/../console.html',
      '/app/assets/%2e%2e/console.html',
      '/app/assets/..%2fconsole.html',
      '/app/assets/..%5cconsole.html',
      '/app/../../package.json',
      '/app/%2e%2e/%2e%2e/etc/passwd',
      '/app/assets/%00',
      '//app/console.html',
    ]) {
      const answer = await exchange(port, `GET ${path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n`)
      assert.match(answer, /^HTTP\/1\.1 40[04] /, path)
      assert.doesNotMatch(answer, /<title>|"name":|root:/, path)
    }
  })
})
