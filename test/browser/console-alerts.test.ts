/** Whom the service tells of changes, and what it tells the operators. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { publishDemo } from '../fixtures/published-extract.ts'
import { assertAccessible, openSite, type Site } from './site.ts'

let site: Site
let receiver: Server
let receiverUrl: string
/** The ids of messages in the order of their arrival, and the statuses of the next answers; 200 when none is left. */
const received: string[] = []
const answers: number[] = []

before(async () => {
  receiver = createServer((request, response) => {
    received.push(String(request.headers['webhook-id']))
    request.resume()
    response.statusCode = answers.shift() ?? 200
    response.end()
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  site = await openSite({ prepare: prepareWithFailing, env: { TRIPFOLIO_TRUSTED_HOSTS: '127.0.0.1' } })
})
after(async () => {
  await site.close()
  receiver.closeAllConnections()
  receiver.close()
})

/** An endpoint whose every run fails: it has more statements than it may. */
async function prepareWithFailing(data: string, source: string): Promise<void> {
  await publishDemo({ data, source }, { clients: 2, bookings: 300 })
  const store = await openControlStore(data)
  try {
    const { id } = await store.endpoints.create(
      {
        ...{ name: '<i>Failing</i>', description: '', category: 'Utility', method: 'POST' },
        ...{ path: 'utility/failing', requiresAuthentication: false, allowedRoles: [], allowedHosts: [] },
        ...{ signature: null, deduplication: null, record: 'full', maskedFields: [], schedules: [] },
        limits: { statements: 100 },
        script: 'while true do\n  var x = 1\nend',
      },
      'test',
    )
    await store.endpoints.publish(id, 'test')
  } finally {
    await store.close()
  }
}

describe('The webhooks of the console', () => {
  it('are added, tested, resumed, sent again, and get another secret', async (t) => {
    const page = await site.operate(t, '/webhooks')
    const dialog = page.getByRole('dialog')
    const press = (name: string) => page.getByRole('button', { name, exact: true })
    await press('Add a webhook').first().click()
    await dialog.getByRole('combobox', { name: 'Account' }).click()
    await page.getByRole('option', { name: 'C00001 Explorer' }).click()
    await dialog.getByRole('textbox', { name: 'Address' }).fill(receiverUrl)
    await dialog.getByRole('textbox', { name: 'Description' }).fill('<b>Data</b> warehouse')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    const firstSecret = await dialog.getByText(/^whsec_/).textContent()
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByRole('heading', { level: 1, name: '<b>Data</b> warehouse' }).waitFor()
    assert.ok(!(await page.content()).includes(String(firstSecret)))

    // The receiver says that it is gone, which pauses the webhook at once.
    answers.push(410)
    await press('Send a test').click()
    await dialog.getByRole('button', { name: 'Send a test' }).click()
    const deliveries = page.getByRole('table', { name: 'Deliveries' })
    await deliveries.getByRole('row', { name: /Test Failed 1 .*found 410/ }).waitFor()
    await page.getByText('The receiver answered 410: it is gone').waitFor()
    await press('Resume').click()
    await dialog.getByRole('button', { name: 'Resume' }).click()
    await press('Pause').waitFor()

    await press('Send again').click()
    await deliveries.getByRole('row', { name: /Test Delivered 2 200/ }).click()
    await dialog.getByRole('row', { name: /found 410/ }).waitFor()
    await dialog.getByRole('textbox', { name: 'Message' }).waitFor()
    await page.keyboard.press('Escape')
    assert.equal(received.length, 2)
    assert.equal(received[0], received[1])

    await press('Rotate the secret').click()
    await dialog.getByRole('button', { name: 'Rotate the secret' }).click()
    assert.notEqual(await dialog.getByText(/^whsec_/).textContent(), firstSecret)
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByText('Old secret valid until').waitFor()
  })

  it('are found, changed, paused and deleted', async (t) => {
    const page = await site.operate(t, '/webhooks?text=warehouse')
    const dialog = page.getByRole('dialog')
    const press = (name: string) => page.getByRole('button', { name, exact: true })
    await page.getByRole('row', { name: /warehouse/ }).click()
    await press('Edit').click()
    await dialog.getByRole('textbox', { name: 'Description' }).fill('Lake')
    await dialog.getByRole('combobox', { name: 'Lists' }).click()
    await page.getByRole('option', { name: 'Invoices' }).click()
    await page.keyboard.press('Tab')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Lake' }).waitFor()
    await press('Pause').click()
    await dialog.getByRole('button', { name: 'Pause' }).click()
    await press('Resume').waitFor()
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('row', { name: /Paused Lake Invoices/ }).click()
    await press('Delete').click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No webhooks').waitFor()
  })

  it('can be looked at by a viewer, and no more', async (t) => {
    const page = await site.operate(t, '/webhooks', { role: 'viewer' })
    await page.getByText('No webhooks').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add a webhook' }).count(), 0)
  })
})

const callFailing = async (): Promise<void> => {
  const answer = await fetch(`${site.address}/api/dynamic/v1/utility/failing`, { method: 'POST' })
  await answer.arrayBuffer()
}

describe('The alerts of the console', () => {
  it('count failures in one alert and in the title of the tab, and lead to the run', async (t) => {
    const page = await operateWith(t, 'executions/live')
    await callFailing()
    await page.getByRole('alert').getByText('<i>Failing</i> has failed', { exact: true }).waitFor()
    await callFailing()
    const alert = page.getByRole('alert').filter({ hasText: '<i>Failing</i> has failed 2 times' })
    await alert.waitFor()
    assert.equal(await page.getByRole('alert').count(), 1)
    assert.match(await page.title(), /^\(2\) Webhooks/)
    await assertAccessible(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
    await assertAccessible(page)
    await alert.getByRole('link', { name: 'Show the last one' }).click()
    await page.getByRole('heading', { level: 1, name: '<i>Failing</i>' }).waitFor()
    await alert.waitFor({ state: 'detached' })
    assert.doesNotMatch(await page.title(), /^\(/)
  })

  it('are muted by a command and told again by the switch below the bell', async (t) => {
    const page = await operateWith(t, 'executions/live')
    await callFailing()
    await page.getByRole('alert').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Go to a page or run a command').fill('failures')
    await page.getByRole('button', { name: 'Do not tell of failures until I sign out' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Notifications,/ }).click()
    const told = page.getByRole('switch', { name: 'Tell of failures' })
    assert.equal(await told.isChecked(), false)
    await told.click()
    assert.equal(await told.isChecked(), true)
  })

  it('ring the bell for notifications as they come, which are read there', async (t) => {
    const page = await operateWith(t, 'notifications')
    const answer = await fetch(`${site.address}/api/admin/v1/notifications`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await site.tokenFor('admin')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ title: '<b>Fares</b>', message: 'They are in.' }),
    })
    assert.equal(answer.status, 201)
    // The first is of the webhook that was paused.
    await page.getByRole('button', { name: 'Notifications, 2 unread' }).click()
    const list = page.getByRole('dialog', { name: 'Notifications' })
    await list.getByText('They are in.').waitFor()
    await assertAccessible(page)
    await list.getByRole('button', { name: 'Mark as read <b>Fares</b>' }).click()
    await list.getByText('They are in.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor()
    await list.getByRole('link', { name: 'Show all notifications' }).click()
    await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor()
  })

  it('are not for a viewer, whose role may follow neither', async (t) => {
    const page = await site.operate(t, '/webhooks', { role: 'viewer' })
    assert.equal(await page.getByRole('button', { name: /^Notifications/ }).count(), 0)
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Go to a page or run a command').fill('failures')
    await page.getByText('Nothing found').waitFor()
  })
})

/** The console, signed in; resolves when the stream is open, so that nothing is missed that comes afterwards. */
async function operateWith(test: TestContext, stream: 'executions/live' | 'notifications'): Promise<Page> {
  const page = await site.visit(test, '/console#/webhooks')
  const opened = page.waitForResponse((response) => response.url().endsWith(`/api/admin/v1/${stream}/stream`))
  await page.getByLabel('Token', { exact: true }).fill(await site.tokenFor('admin'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await opened
  return page
}
