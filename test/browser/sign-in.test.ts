/** Signing in to the explorer and the console, and what both pages promise by themselves. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertAccessible, openSite, type Site } from './site.ts'

let site: Site

before(async () => {
  site = await openSite()
})
after(() => site.close())

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
