/** Signing in to the explorer and the console, and what both pages promise by themselves. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertAccessible, openSite, type Site } from './site.ts'

let site: Site

before(async () => {
  site = await openSite()
})
after(() => site.close())

/** Of the only account that the site has. */
async function changeLock(step: 'lock' | 'unlock'): Promise<void> {
  const address = `${site.address}/api/admin/v1/accounts`
  const headers = { authorization: `Bearer ${await site.tokenFor('admin')}`, 'if-match': '*' }
  const { items } = (await (await fetch(address, { headers })).json()) as {
    readonly items: readonly { readonly id: string }[]
  }
  const { status } = await fetch(`${address}/${items[0]?.id}/${step}`, { method: 'POST', headers })
  assert.equal(status, 200)
}

describe('The explorer', () => {
  it('asks for a key and shows the client', async (t) => {
    const page = await site.visit(t, '/explore')
    await page.getByRole('heading', { name: 'Your travel records' }).waitFor()
    await assertAccessible(page)
    await page.getByLabel('API key', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The server does not accept this key').waitFor()
    await page.getByLabel('API key', { exact: true }).fill(site.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Client C00001').waitFor()
    await assertAccessible(page)
  })

  it('keeps the key in memory only, unless the tab is to keep it', async (t) => {
    const page = await site.explore(t)
    await page.getByText('Client C00001').waitFor()
    const stored = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    assert.ok(!(await stored()).includes(site.key))
    await page.reload()
    await page.getByLabel('API key', { exact: true }).fill(site.key)
    await page.getByLabel('Stay signed in in this tab').check()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Client C00001').waitFor()
    await page.reload()
    await page.getByText('Client C00001').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    assert.ok(!(await stored()).includes(site.key))
  })

  it('asks again when the account is locked meanwhile, and returns to the same view', async (t) => {
    const page = await site.explore(t, '/bookings?filter=isTicketed eq true')
    await page.getByRole('row').nth(1).waitFor()
    await changeLock('lock')
    await page.getByRole('row').nth(1).click()
    await page.getByText('it was rotated, locked or has expired').waitFor()
    const key = page.getByLabel('API key', { exact: true })
    await key.fill(site.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('it may be locked or expired').waitFor()
    await assertAccessible(page)
    await changeLock('unlock')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('complementary', { name: 'Booking' }).waitFor()
    assert.match(decodeURIComponent(page.url()), /filter=isTicketed.eq.true&record=/)
  })
})

describe('The console', () => {
  it('asks for a token and shows who is signed in', async (t) => {
    const page = await site.operate(t)
    await page.getByText('Olga admin').waitFor()
    await assertAccessible(page)
  })

  it('shows a dark page to those who prefer one, and opens its commands by keyboard', async (t) => {
    const page = await site.operate(t, '/', { theme: 'dark' })
    await page.getByText('Olga admin').waitFor()
    await page.keyboard.press('Control+K')
    await page.getByPlaceholder('Go to a page or run a command').waitFor()
    await assertAccessible(page)
    if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT })
  })
})
