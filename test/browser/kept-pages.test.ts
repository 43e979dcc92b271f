/** A page that a test gets has nothing of the tests before it, although it may be a page of theirs. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { sharedChromium } from './chromium.ts'
import { type KeptPages, keepPages } from './kept-pages.ts'

let servers: readonly Server[]
let address: string
let elsewhere: string
let pages: KeptPages

before(async () => {
  servers = [1, 2].map(() =>
    createServer((request, response) => {
      // A request that is under way when the test is over.
      if (request.url === '/stream') response.writeHead(200).write('begins')
      else response.setHeader('content-type', 'text/html').end('<!doctype html><title>Page</title>')
    }),
  )
  const addresses = servers.map(async (server) => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  ;[address = '', elsewhere = ''] = await Promise.all(addresses)
  pages = keepPages(await sharedChromium(), address, '/rest')
})
after(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

/** In every place that a page has. */
const STORE = `(async () => {
  localStorage.setItem('a', '1')
  sessionStorage.setItem('a', '1')
  document.cookie = 'a=1'
  name = 'a'
  globalThis.a = 1
  history.pushState({}, '', '#a')
  await caches.open('a')
  await (await navigator.storage.getDirectory()).getFileHandle('a', { create: true })
  await new Promise((done, fail) => Object.assign(indexedDB.open('a'), { onsuccess: done, onerror: fail }))
  fetch('/stream').catch(() => undefined)
})()`

const STORED = `(async () => JSON.stringify({
  storage: [{ ...localStorage }, { ...sessionStorage }, document.cookie, name, typeof globalThis.a],
  history: history.length,
  caches: await caches.keys(),
  files: await Array.fromAsync((await navigator.storage.getDirectory()).keys()),
  databases: await indexedDB.databases(),
  media: ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)', 'print']
    .map((query) => matchMedia(query).matches),
  sizes: [innerWidth, innerHeight],
  online: navigator.onLine,
  now: Date.now() > 1e12,
}))()`

const stored = (page: Page): Promise<string> => page.evaluate<string>(STORED)

/** Does what a test would, which has passed, and gives the page. */
async function whileTesting(use: (page: Page) => Promise<unknown>, passed = true): Promise<Page> {
  const endings: (() => Promise<void>)[] = []
  const test = { passed, after: (end: () => Promise<void>) => endings.push(end) }
  const page = await pages.visit(test as unknown as TestContext, '/')
  try {
    await use(page)
  } finally {
    for (const end of endings) await end()
  }
  return page
}

describe('the page of a test', () => {
  it('is one of a test before it, and has nothing of it', async () => {
    let fresh = ''
    const first = await whileTesting(async (page) => {
      fresh = await stored(page)
      await page.setViewportSize({ width: 360, height: 640 })
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'no-preference', media: 'print' })
      await page.mouse.move(10, 10)
      await page.evaluate(STORE)
      await page.route('**/*', (route) => route.abort())
      await page.context().route('**/*', (route) => route.abort())
      await page.context().setOffline(true)
      assert.notEqual(await stored(page), fresh)
    })
    const second = await whileTesting(async (page) => assert.equal(await stored(page), fresh))
    assert.equal(second, first)
  })

  it('has nothing from other addresses either', async () => {
    const first = await whileTesting(async (page) => {
      await page.goto(elsewhere)
      await page.evaluate(STORE)
    })
    const second = await whileTesting(async (page) => {
      await page.goto(elsewhere)
      assert.match(await stored(page), /^\{"storage":\[\{\},\{\},"","","undefined"\],.*"databases":\[\]/)
    })
    assert.equal(second, first)
  })

  it('is another one where something stays in it, and where the test has failed', async () => {
    const changes: readonly ((page: Page) => unknown)[] = [
      (page) => page.clock.setFixedTime(0),
      (page) => page.addInitScript('globalThis.a = 1'),
      (page) => page.context().addInitScript('globalThis.a = 1'),
      (page) => page.context().grantPermissions([]),
      (page) => page.on('request', () => undefined),
      (page) => page.context().newPage(),
      (page) => page.close(),
    ]
    for (const change of changes) {
      const changed = await whileTesting(async (page) => change(page))
      assert.ok(changed.isClosed(), String(change))
    }
    const failed = await whileTesting(async () => undefined, false)
    assert.ok(failed.isClosed())
  })

  it('shares nothing with another page that the test looks at', async () => {
    await whileTesting(async (first) => {
      await first.evaluate(STORE)
      await whileTesting(async (second) => {
        assert.notEqual(second.context(), first.context())
        assert.match(await stored(second), /^\{"storage":\[\{\},\{\},"","","undefined"\]/)
      })
    })
  })

  it('fails it by what the page has reported, but not the next one', async () => {
    const failing = whileTesting((page) => page.evaluate("console.error('It broke')"))
    await assert.rejects(failing, /A page reports no errors[\s\S]*It broke/)
    await whileTesting(async () => undefined)
  })
})
