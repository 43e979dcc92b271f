/** The explorer, the console and the documents below a path, in a browser behind a real proxy. */
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { type PathProxy, startPathProxy } from '../wire/path-proxy.ts'
import { sharedChromium } from './chromium.ts'
import { type IdentityProvider, startIdentityProvider } from './identity-provider.ts'
import { keepPages } from './kept-pages.ts'
import { openSite, type Site } from './site.ts'

const PATH = '/intranet/travel'

type Way = {
  readonly what: string
  readonly strips: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
}

const ways: readonly Way[] = [
  { what: 'leaves the path in addresses', strips: false, env: { TRIPFOLIO_BASE_PATH: PATH } },
  { what: 'removes the path from addresses', strips: true, env: { TRIPFOLIO_BASE_PATH: PATH } },
  {
    what: 'removes the path, and tells it in a header',
    strips: true,
    headers: { 'x-forwarded-prefix': PATH },
    env: { TRIPFOLIO_TRUSTED_PROXIES: '127.0.0.1' },
  },
]

for (const { what, strips, headers = {}, env } of ways) {
  describe(`Behind a proxy that ${what}`, () => {
    let provider: IdentityProvider
    let site: Site
    let proxy: PathProxy
    let visit: (test: TestContext, path: string) => Promise<Page>
    before(async () => {
      provider = await startIdentityProvider()
      site = await openSite({ env: { ...provider.settings, ...env } })
      proxy = await startPathProxy(site.address, { path: PATH, strips, headers })
      provider.serve(`${proxy.origin}${PATH}`)
      const pages = keepPages(await sharedChromium(), proxy.origin, `${PATH}/readyz`)
      visit = (test, path) => pages.visit(test, PATH + path)
    })
    after(async () => {
      await proxy?.close()
      await site?.close()
      await provider?.close()
    })
    const noStrays = () => assert.deepEqual(proxy.strays, [])

    it('the explorer shows records, code to copy and downloads', async (t) => {
      const page = await visit(t, '/explore')
      await page.getByLabel('API key', { exact: true }).fill(site.key)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Client C00001').waitFor()
      await page.getByRole('row').nth(1).waitFor()
      // As in browsers that cannot write files.
      await page.evaluate('delete globalThis.showSaveFilePicker')
      await page.getByRole('button', { name: 'Download' }).click()
      const saved = page.waitForEvent('download')
      await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()
      assert.match((await saved).suggestedFilename(), /^C00001-bookings-/)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Use this query' }).click()
      await page.getByText(`${proxy.origin}${PATH}/api/v2/bookings`).first().waitFor()
      noStrays()
    })

    async function signIn(page: Page): Promise<void> {
      await page.getByRole('button', { name: /^Sign in at 127\.0\.0\.1/ }).click()
      await page.getByPlaceholder('Enter any login').fill('admin')
      await page.getByPlaceholder('and password').fill('any')
      await page.getByRole('button', { name: 'Sign-in' }).click()
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('Olga admin').waitFor()
    }

    it('the console signs in and out at the identity provider, and follows streams', async (t) => {
      const page = await visit(t, '/console#/system')
      const stream = page.waitForResponse(/\/api\/admin\/v1\/notifications\/stream$/)
      await signIn(page)
      assert.equal(page.url(), `${proxy.origin}${PATH}/console#/system`)
      assert.equal((await stream).status(), 200)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Yes, sign me out' }).click()
      await page.getByRole('button', { name: /^Sign in at 127\.0\.0\.1/ }).waitFor()
      assert.equal(new URL(page.url()).pathname, `${PATH}/console`)
      noStrays()
    })

    it('the console checks scripts in a worker', async (t) => {
      const page = await visit(t, '/console#/endpoints')
      await signIn(page)
      await page.getByRole('button', { name: 'New endpoint', exact: true }).first().click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Below')
      await page.getByLabel('Path', { exact: true }).fill('below')
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
      await page.getByRole('textbox', { name: 'Script of the endpoint' }).fill('var a = Substrin("abc", 1)\n')
      await page.getByRole('button', { name: "Unknown function 'Substrin'" }).waitFor()
      noStrays()
    })

    it('the guides lead to each other, to their pictures and to the applications', async (t) => {
      const page = await visit(t, '/docs/guides')
      await page.getByRole('link', { name: 'operations', exact: true }).first().click()
      await page.waitForURL(`${proxy.origin}${PATH}/docs/guides/how-to/operations`)
      await page.getByRole('link', { name: 'Explorer' }).first().click()
      await page.getByRole('heading', { name: 'Your travel records' }).waitFor()
      assert.equal(page.url(), `${proxy.origin}${PATH}/explore`)
      noStrays()
    })

    // Swagger UI takes ten seconds and more to show a document, so one way has to do; the document is the same in all of them.
    if (!strips) {
      it('the start page leads to the reference, which tries an operation', async (t) => {
        const page = await visit(t, '/')
        assert.equal(page.url(), `${proxy.origin}${PATH}/docs`)
        const slow = { timeout: 120_000 }
        await page.locator('.opblock-summary').filter({ hasText: '/api/v2/invoices' }).first().click(slow)
        await page.getByRole('button', { name: 'Execute' }).first().click(slow)
        const url = page.locator('.request-url').first()
        await url.getByText(`${proxy.origin}${PATH}/api/v2/invoices`).waitFor(slow)
        noStrays()
      })
    }
  })
}
