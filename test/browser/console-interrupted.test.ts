/** What interrupts an operator: a token that expires, a network that fails, answers that take long, and a second click. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { assertAccessible, goTo, openSite, type Site } from './site.ts'

let site: Site

before(async () => {
  site = await openSite()
})
after(() => site.close())

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

const json = (status: number, body: object) => (route: Route) => route.fulfill({ status, json: body })

type Json = Readonly<Record<string, unknown>>

async function admin(path: string, body?: Json): Promise<Json> {
  const authorization = `Bearer ${await site.tokenFor('admin')}`
  const response = await fetch(`${site.address}/api/admin/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  assert.ok(response.ok, `${path}: ${response.status}`)
  return (await response.json()) as Json
}

const definition = (name: string): Json => ({
  ...{ name, category: 'Utility', method: 'GET', path: name.toLowerCase() },
  script: 'Data._payload = 1\n',
})

describe('a token that expires', () => {
  it('lets the operator sign in again in front of what was written, which is saved then', async (t) => {
    const { id } = await admin('/endpoints', definition('Interrupted'))
    const page = await site.operate(t, `/endpoints/${id}`, { role: 'author' })
    await page.getByRole('textbox', { name: 'Script of the endpoint' }).fill('Data._payload = "kept"\n')
    await page.getByText('Unsaved changes').waitFor()
    const admins = /api\/admin\/v1\/(?!sign-in)/
    let refused = 0
    await page.route(admins, (route) => {
      refused++
      return json(401, { message: 'The token has expired' })(route)
    })
    await button(page, 'Publish').click()
    await page.getByRole('dialog', { name: 'Publish' }).getByLabel('Note').fill('A note')
    await page.getByRole('dialog', { name: 'Publish' }).getByRole('button', { name: 'Publish' }).click()
    await page.getByText('The session has ended: ').waitFor()
    await assertAccessible(page)
    const before = refused
    await page.keyboard.press('Escape')
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    assert.equal(refused, before, 'Nothing is sent while nobody is signed in')
    await page.unroute(admins)
    await page.getByLabel('Token', { exact: true }).fill(await site.tokenFor('author'))
    await button(page, 'Sign in').click()
    await page.getByText('The session has ended: ').waitFor({ state: 'detached' })
    await page.getByText('Unsaved changes').waitFor()
    await button(page, 'Publish').click()
    await page.getByRole('dialog', { name: 'Publish' }).getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Version 1 is published').waitFor()
    assert.match(JSON.stringify(await admin(`/endpoints/${id}/versions`)), /A note/)
  })

  it('shows another operator nothing of what was written', async (t) => {
    const page = await site.operate(t, '/accounts')
    await button(page, 'Issue an account').click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Written by Olga admin')
    const admins = '**/api/admin/v1/**'
    await page.route(admins, json(401, { message: 'The token has expired' }))
    await page.getByRole('combobox', { name: 'Client number' }).fill('C00001')
    await button(page, 'Issue').click()
    await page.getByText('The session has ended: ').waitFor()
    await page.unroute(admins)
    await page.getByLabel('Token', { exact: true }).fill(await site.tokenFor('viewer'))
    await button(page, 'Sign in').click()
    await page.getByText('Olga viewer').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Name', exact: true }).count(), 0)
    assert.equal(await button(page, 'Issue an account').count(), 0)
  })
})

it('signing out does not drop unsaved changes without a word', async (t) => {
  const { id } = await admin('/endpoints', definition('Unsaved'))
  const page = await site.operate(t, `/endpoints/${id}`, { role: 'author' })
  await page.getByRole('textbox', { name: 'Script of the endpoint' }).fill('Data._payload = 2\n')
  await page.getByText('Unsaved changes').waitFor()
  await button(page, 'Sign out').click()
  const dialog = page.getByRole('dialog', { name: 'Sign out without saving?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Unsaved changes').waitFor()
  await button(page, 'Sign out').click()
  await dialog.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Token', { exact: true }).waitFor()
  assert.equal(await page.title(), 'Tripfolio console')
})

describe('a slow answer', () => {
  it('cannot be left before the new key is shown', async (t) => {
    const page = await site.operate(t, '/accounts')
    await page.getByRole('row', { name: /Explorer/ }).click()
    let answer: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/rotate', async (route) => {
      await held
      await route.continue()
    })
    await button(page, 'Rotate the key').click()
    const dialog = page.getByRole('dialog')
    const asked = page.waitForRequest('**/rotate')
    await dialog.getByRole('button', { name: 'Rotate the key' }).click()
    await asked
    await page.keyboard.press('Escape')
    assert.ok(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled())
    // The account cannot be read again, and the key is shown all the same.
    await page.route(/accounts\/[\w-]+$/, (route) => route.abort())
    answer()
    await page.getByText('This is shown only now').waitFor()
    await button(page, 'Copy the key').waitFor()
  })

  it('makes one endpoint of two clicks', async (t) => {
    const page = await site.operate(t, '/endpoints')
    await button(page, 'New endpoint').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Twice')
    await dialog.getByLabel('Path', { exact: true }).fill('')
    let posts = 0
    await page.route('**/api/admin/v1/endpoints', async (route) => {
      if (route.request().method() === 'POST') posts++
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Create' }).dblclick()
    await page.getByRole('heading', { name: 'Twice' }).waitFor()
    assert.equal(posts, 1)
  })
})

describe('a network that fails', () => {
  it('is told wherever something is missing, also in the place of charts', async (t) => {
    const page = await site.operate(t, '/', { role: 'viewer' })
    await page.route('**/system/requests*', json(400, { message: 'No figures' }))
    await page.route('**/usage*', json(400, { message: 'No figures' }))
    await goTo(page, '/?family=v2')
    await page.getByText('The requests of the last 24 hours cannot be shown').waitFor()
    await goTo(page, '/accounts')
    await page.context().setOffline(true)
    await page.getByLabel('Search name, client or notes').fill('Expl')
    await page.getByText('The server cannot be reached').waitFor()
    await page.context().setOffline(false)
    await button(page, 'Try again').click()
    await page.getByRole('row', { name: /Explorer/ }).click()
    await page.getByText('What it asked for cannot be shown').waitFor()
    await assertAccessible(page)
  })

  it('says that a draft was refused, also when that of somebody else cannot be read', async (t) => {
    const { id } = await admin('/endpoints', definition('Contested'))
    const page = await site.operate(t, `/endpoints/${id}`, { role: 'author' })
    await page.getByRole('textbox', { name: 'Script of the endpoint' }).fill('Data._payload = 3\n')
    await page.getByText('Unsaved changes').waitFor()
    await page.route(`**/endpoints/${id}`, (route) =>
      route.request().method() === 'PUT'
        ? json(412, { message: 'Somebody else has saved it' })(route)
        : route.abort(),
    )
    await button(page, 'Save draft').click()
    await page.getByRole('alert').getByText('Somebody else has saved it').waitFor()
    await page.getByText('Unsaved changes').waitFor()
  })

  it('keeps the page from being loaded, which says so and loads it when the network is there again', async (t) => {
    const page = await site.operate(t, '/clients')
    const link = (name: string) => page.getByRole('navigation').getByRole('link', { name })
    await page.context().setOffline(true)
    await link('Facets').click()
    const alert = page.getByRole('alert')
    await alert.getByText('There is no network').waitFor()
    await assertAccessible(page)
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'Facets', level: 1 }).waitFor()
    // A server that does not answer is no event of the network.
    await page.route('**/{assets/*,console}', (route) => route.abort())
    await link('Webhooks').click()
    await alert.getByText('because the server cannot be reached').waitFor()
    await alert.getByRole('button', { name: 'Reload' }).waitFor()
    await page.unroute('**/{assets/*,console}')
    // An upgrade has replaced the files.
    await page.route('**/assets/*', (route) => route.fulfill({ status: 404 }))
    await link('Secrets').click()
    await alert.getByText('The service may have been upgraded').waitFor()
    await alert.getByRole('button', { name: 'Reload' }).waitFor()
  })

  it('says what is wrong with a stream, and goes on after a refusal when it is asked to', async (t) => {
    const page = await site.operate(t, '/clients')
    for (const [path, stream, refused, trying, there] of [
      [
        '/snapshots',
        '**/refreshes/current/stream',
        'The progress cannot be followed',
        /The progress cannot be followed: The node stops\. Trying again/,
        'No refresh is recorded yet.',
      ],
      [
        '/executions/live',
        '**/executions/live/stream',
        'The executions cannot be followed',
        /The connection is lost: The node stops\. Trying again/,
        'Connected',
      ],
    ] as const) {
      await page.route(stream, json(503, { message: 'The node stops' }))
      await goTo(page, path)
      await page.getByText(trying).waitFor()
      await page.unroute(stream)
      await page.route(stream, json(403, { message: 'Too many streams are open' }))
      const alert = page.getByRole('alert').filter({ hasText: refused })
      await alert.getByText('Too many streams are open').waitFor()
      assert.equal(await page.getByText('Trying again').count(), 0)
      await assertAccessible(page)
      await page.unroute(stream)
      await alert.getByRole('button', { name: 'Try again' }).click()
      await page.getByText(there).waitFor()
      await alert.waitFor({ state: 'detached' })
    }
  })

  it('refuses a text that cannot be a token without blaming the network', async (t) => {
    const page = await site.visit(t, '/console')
    await page.getByLabel('Token', { exact: true }).fill('eyJhbGci… cut short')
    await button(page, 'Sign in').click()
    await page.getByText('The service does not accept this token').waitFor()
  })
})
