/** Attacks on signing in to the console at an identity provider, in a real browser. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type IdentityProvider, startIdentityProvider } from './identity-provider.ts'
import { openSite, type Site } from './site.ts'

let provider: IdentityProvider
let site: Site

before(async () => {
  provider = await startIdentityProvider()
  site = await openSite({ env: provider.settings })
  provider.serve(site.address)
})
after(async () => {
  await site?.close()
  await provider?.close()
})

async function signInAs(page: Page, user: string): Promise<void> {
  await page.getByRole('button', { name: /^Sign in at 127\.0\.0\.1/ }).click()
  await page.getByPlaceholder('Enter any login').fill(user)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** The addresses that the browser asks the service for, and what it sends as referrer. */
function watched(page: Page) {
  const requests: { readonly url: string; readonly referrer: string | undefined }[] = []
  page.on('request', (request) => {
    requests.push({ url: request.url(), referrer: request.headers().referer })
  })
  return requests
}

describe('An answer of the identity provider', () => {
  it('is good for one tab and one time, leaves no code behind, and asks with PKCE', async (t) => {
    const page = await site.visit(t, '/console#/system')
    const requests = watched(page)
    await signInAs(page, 'viewer')
    await page.getByText('Olga viewer').waitFor()
    const asked = new URL(requests.find(({ url }) => url.includes('code_challenge='))?.url ?? '')
    assert.equal(asked.searchParams.get('code_challenge_method'), 'S256')
    assert.equal(asked.searchParams.get('response_type'), 'code')
    const answer = requests.find(({ url }) => url.startsWith(`${site.address}/console?`))?.url ?? ''
    const code = new URL(answer).searchParams.get('code') ?? ''
    assert.ok(code.length > 20)
    // Neither the address, nor the log of the service, nor the referrer of another request has it.
    assert.ok(!page.url().includes(code))
    assert.ok(!site.serving.output().includes(code))
    assert.ok(requests.every(({ referrer = '' }) => !referrer.includes(code)))
    assert.ok(requests.every(({ url }) => url === answer || !url.includes(code)))
    // Played again in this tab and in another one, also as the answer for a tab that waits.
    await page.goto(answer)
    await page.getByText('The answer of the identity provider cannot be used').waitFor()
    const other = await site.visit(t, answer.slice(site.address.length))
    await other.getByText('The answer of the identity provider cannot be used').waitFor()
    assert.ok(!other.url().includes(code))
  })

  it('leads back to a page of the console only', async (t) => {
    for (const hash of ['#//evil.example/x', '#/\\\\evil.example', '#javascript:alert(1)']) {
      const page = await site.visit(t, `/console${hash}`)
      await signInAs(page, 'viewer')
      await page.getByText('Olga viewer').waitFor()
      assert.equal(new URL(page.url()).origin, site.address)
      assert.equal(new URL(page.url()).pathname, '/console')
    }
  })
})

it('Claims are shown as text, whatever they contain', async (t) => {
  const page = await site.visit(t, '/console')
  await signInAs(page, 'viewer <img/src=x/onerror=window.hacked=1> javascript:window.hacked=1')
  await page.getByText('<img/src=x/onerror=window.hacked=1>').first().waitFor()
  assert.equal(await page.evaluate('window.hacked'), undefined)
  assert.equal(await page.evaluate('document.querySelectorAll("img[src=x]").length'), 0)
})

describe('A token of the identity provider', () => {
  const soon = () => Math.floor(Date.now() / 1000) + 600
  const refused: Readonly<Record<string, () => Parameters<IdentityProvider['tokenWith']>[0]>> = {
    'for another audience': () => ({ aud: 'api://another' }),
    'for no audience': () => ({ aud: [] }),
    // What an ID token is: for the client that asked for it.
    'that is an ID token': () => ({ aud: 'console', nonce: 'n', at_hash: 'h' }),
    'of another issuer': () => ({ iss: 'https://other.example.com' }),
    'of an issuer that looks alike': () => ({ iss: `${provider.issuer}/` }),
    'that is not valid yet': () => ({ nbf: soon() }),
    'that has expired': () => ({ exp: soon() - 100_000 }),
  }
  it('is taken by the API when nothing is wrong with it', async () => {
    assert.equal(await statusOf({}), 200)
  })
  for (const [what, claims] of Object.entries(refused)) {
    it(`${what} is refused`, async () => assert.equal(await statusOf(claims()), 401))
  }
  const statusOf = async (claims: Parameters<IdentityProvider['tokenWith']>[0]) => {
    const authorization = `Bearer ${await provider.tokenWith(claims)}`
    return (await fetch(`${site.address}/api/admin/v1/me`, { headers: { authorization } })).status
  }
})

it('No page of the service can be framed, or reached from the window that opened it', async (t) => {
  for (const path of ['/console', '/explore', '/CONSOLE/', '/%63onsole?x=1']) {
    const { headers } = await fetch(site.address + path)
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, path)
    assert.equal(headers.get('x-frame-options'), 'DENY', path)
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin', path)
    assert.equal(headers.get('referrer-policy'), 'no-referrer', path)
  }
  const page = await site.visit(t, '/console')
  await signInAs(page, 'viewer')
  await page.getByText('Olga viewer').waitFor()
  // Nothing of the page listens to messages of other windows.
  await page.evaluate(
    `window.postMessage({ type: 'sign-in', token: 'x', url: location.origin + '/console?code=x&state=y' }, '*')`,
  )
  await page.getByText('Olga viewer').waitFor()
  assert.equal(await page.evaluate('window.opener'), null)
})
