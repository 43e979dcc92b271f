/** Signing in to the console at an identity provider, by the authorization code flow with PKCE. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type IdentityProvider, startIdentityProvider } from './identity-provider.ts'
import { assertAccessible, openSite, type Site } from './site.ts'

let provider: IdentityProvider
let site: Site

before(async () => {
  provider = await startIdentityProvider()
  site = await openSite({
    env: { ...provider.settings, TRIPFOLIO_SIGN_IN_ORIGINS: 'https://token.example.com' },
  })
  provider.serve(site.address)
})
after(async () => {
  await site?.close()
  await provider?.close()
})

const signInButton = (page: Page) => page.getByRole('button', { name: /^Sign in at 127\.0\.0\.1/ })

async function signInAs(page: Page, user: string): Promise<void> {
  await signInButton(page).click()
  await page.getByPlaceholder('Enter any login').fill(user)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

describe('Signing in at an identity provider', () => {
  it('comes back to the page that was left, with the roles of the token, and leaves nothing in the tab', async (t) => {
    const page = await site.visit(t, '/console#/system')
    await signInButton(page).waitFor()
    await assertAccessible(page)
    await signInAs(page, 'viewer')
    await page.getByText('Olga viewer').waitFor()
    assert.equal(page.url(), `${site.address}/console#/system`)
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
    assert.equal(stored, '[{},{}]')
    await page.reload()
    await signInButton(page).waitFor()
  })

  it('ends the session at the provider when the operator signs out', async (t) => {
    const page = await site.visit(t, '/console')
    await signInAs(page, 'support')
    await page.getByText('Olga support').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await signInButton(page).click()
    await page.getByPlaceholder('Enter any login').waitFor()
  })

  it('says why the provider refused, and forgets the attempt', async (t) => {
    const page = await site.visit(t, '/console')
    await signInButton(page).click()
    await page.getByRole('link', { name: '[ Cancel ]' }).click()
    await page.getByText('The identity provider refused to sign you in').waitFor()
    assert.equal(page.url(), `${site.address}/console`)
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
    await assertAccessible(page)
  })

  it('names the provider and what to check when the browser gets no answer from it', async (t) => {
    const page = await site.visit(t, '/console')
    await page.route('**/.well-known/openid-configuration', (route) => route.abort())
    await signInButton(page).click()
    await page.getByText(/The identity provider http\S+ cannot be reached.*\(CORS\)/).waitFor()
    await page.unroute('**/.well-known/openid-configuration')
    await signInButton(page).click()
    await page.getByPlaceholder('Enter any login').waitFor()
  })

  it('refuses an answer that this tab has not asked for', async (t) => {
    const page = await site.visit(t, '/console?code=stolen&state=unknown')
    await page.getByText('The answer of the identity provider cannot be used').waitFor()
    assert.equal(page.url(), `${site.address}/console`)
  })

  it('tells whom the service gives no rights', async (t) => {
    const page = await site.visit(t, '/console')
    await signInAs(page, 'TF-Guests')
    await page.getByText('You are Olga TF-Guests, and your roles (TF-Guests) give no rights here').waitFor()
  })

  it('asks to sign in again when the token has expired', async (t) => {
    const page = await site.visit(t, '/console#/system')
    await signInAs(page, 'admin')
    await page.getByText('Olga admin').waitFor()
    const authorization = `Bearer ${await provider.expiredToken()}`
    await page.route('**/api/admin/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), authorization } }),
    )
    // A request of the page itself may be refused before this one.
    await page.getByRole('link', { name: 'Accounts' }).dispatchEvent('click')
    await page.getByText('The session has ended').waitFor()
  })

  it('signs in again beside the page, which keeps what was typed', async (t) => {
    const page = await site.visit(t, '/console#/accounts')
    await signInAs(page, 'admin')
    await page.getByRole('button', { name: 'Issue an account' }).click()
    await page.getByRole('combobox', { name: 'Client number' }).fill('C00001')
    await page.getByRole('textbox', { name: 'Name' }).fill('Written before')
    const authorization = `Bearer ${await provider.expiredToken()}`
    await page.route('**/api/admin/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), authorization } }),
    )
    // A request of the page itself may be refused before this one.
    await page.getByRole('button', { name: 'Issue', exact: true }).dispatchEvent('click')
    // The form may say so, too, without the colon and the reason.
    const ended = page.getByText('The session has ended:')
    await ended.waitFor()
    await page.unroute('**/api/admin/**')
    // An answer that nobody has asked for is no answer.
    const stranger = await page.context().newPage()
    await stranger.goto(`${site.address}/console?code=stolen&state=unknown;beside`)
    await stranger.getByText('You can close this window').waitFor()
    await stranger.close()
    const [beside] = await Promise.all([page.context().waitForEvent('page'), signInButton(page).click()])
    await beside.waitForEvent('close')
    await ended.waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Written before')
    await page.getByRole('button', { name: 'Issue', exact: true }).click()
    await page.getByText('This is shown only now').waitFor()
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
    assert.equal(stored, '[{},{}]')
  })

  it('says so when the browser opens no window to sign in again', async (t) => {
    const page = await site.visit(t, '/console#/system')
    await signInAs(page, 'admin')
    await page.getByText('Olga admin').waitFor()
    await page.evaluate('window.open = () => null')
    await page.route('**/api/admin/v1/accounts*', (route) => route.fulfill({ status: 401, json: {} }))
    await page.getByRole('link', { name: 'Accounts' }).click()
    await signInButton(page).click()
    await page.getByText('The browser did not open a window').waitFor()
    await assertAccessible(page)
  })

  it('renews a token before it expires', async (t) => {
    provider.tokensLive(60)
    t.after(() => provider.tokensLive(3600))
    const page = await site.visit(t, '/console')
    const renewed = page.waitForResponse(
      (response) => response.request().postData()?.includes('grant_type=refresh_token') === true,
    )
    await signInAs(page, 'author')
    await page.getByText('Olga author').waitFor()
    assert.equal((await renewed).status(), 200)
  })
})

it('The console may call the identity provider and nobody else, and the explorer not even that', async () => {
  const connections = async (path: string) => {
    const { headers } = await fetch(`${site.address}${path}`)
    return /connect-src ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1]
  }
  assert.equal(await connections('/console'), `'self' ${provider.issuer} https://token.example.com`)
  assert.equal(await connections('/explore'), "'self'")
})

it('A token can be pasted where the service accepts tokens', async (t) => {
  const page = await site.visit(t, '/console')
  await page.getByRole('button', { name: 'Use a token instead' }).click()
  await page.getByLabel('Token', { exact: true }).fill(await provider.expiredToken())
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('The service does not accept this token').waitFor()
})
