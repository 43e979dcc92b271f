/** Following refreshes and looking at snapshots in the console. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, goTo, openSite, type Site, until } from './site.ts'

let site: Site
let bookings: string
let published: string

before(async () => {
  site = await openSite()
  bookings = join(dirname(site.data), 'extract', 'bookings.csv')
  published = await readFile(bookings, 'utf8')
})
after(() => site.close())

async function refreshNow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Refresh now' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Refresh', exact: true }).click()
}

describe('A refresh', () => {
  it('is started and followed live, and its rejected rows are shown and saved', async (t) => {
    const lines = (await readFile(bookings, 'utf8')).split('\n')
    const [client = '', locator = ''] = lines[1]?.split(',') ?? []
    lines[1] = (lines[1] as string).replace(/,\d{4}-\d\d-\d\d,/, ',someday,')
    await writeFile(bookings, lines.join('\n'))

    const page = await site.operate(t, '/snapshots')
    await page.getByText('No refresh is recorded yet.').waitFor()
    await refreshNow(page)
    await page.getByText('A refresh is running').waitFor()
    await page.getByRole('link', { name: 'Show the details' }).waitFor()
    await page.getByRole('table', { name: 'Refreshes' }).getByText('Published').waitFor()
    assert.equal(await page.getByRole('table', { name: 'Kept snapshots' }).getByRole('row').count(), 3)

    await page.getByRole('link', { name: 'Show the details' }).click()
    await page.getByRole('table', { name: 'Rows by table' }).getByRole('cell', { name: 'bookings' }).waitFor()
    await page.getByRole('button', { name: 'Show Duration by stage as a table' }).click()
    await page.getByRole('table', { name: 'Duration by stage' }).getByText('Validate').waitFor()
    await page.getByRole('link', { name: 'type.date' }).click()
    await page.getByRole('heading', { name: 'Rejected rows' }).waitFor()
    assert.match(page.url(), /rejects\?table=bookings&rule=type.date$/)
    await page.getByRole('cell', { name: 'someday', exact: true }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ])
    const saved = await readFile(await download.path(), 'utf8')
    assert.match(
      saved,
      new RegExp(`^table,client.*\r\nbookings,${client},bookings.csv,1,.*${locator}.*someday`),
    )
  })

  it('leaves what differs between two snapshots, client by client', async (t) => {
    const page = await site.operate(t, '/snapshots', { role: 'viewer' })
    await page
      .getByRole('table', { name: 'Kept snapshots' })
      .getByRole('row', { name: /Current/ })
      .click()
    const table = page.getByRole('table', { name: 'What differs' })
    await table.getByRole('row', { name: 'C00002 1 removed 1 removed 1 changed' }).waitFor()
    assert.equal(await table.getByRole('row').count(), 2)
    assert.equal(await page.getByRole('link', { name: /Show the rejected rows/ }).count(), 0)
  })

  it('leaves the snapshot before it, which an operator makes current again; refreshes are held until they are resumed', async (t) => {
    const reader = await site.operate(t, '/snapshots', { role: 'viewer' })
    await reader.getByRole('table', { name: 'Kept snapshots' }).getByRole('row', { name: /Kept/ }).click()
    await reader.getByRole('heading', { name: 'Contents' }).waitFor()
    assert.equal(await reader.getByRole('button', { name: 'Roll back' }).count(), 0)

    const page = await site.operate(t, '/snapshots')
    await page.getByRole('table', { name: 'Kept snapshots' }).getByRole('row', { name: /Kept/ }).click()
    await page.getByRole('button', { name: 'Roll back' }).click()
    const dialog = page.getByRole('dialog')
    const confirm = dialog.getByRole('button', { name: 'Roll back' })
    assert.ok(await confirm.isDisabled())
    await dialog.getByLabel('Why').fill('the extract lacks a record')
    await confirm.click()
    await page.getByText('Current', { exact: true }).waitFor()
    const banner = page.getByRole('complementary', { name: 'What is held' })
    await banner.getByText('Refreshes are held').waitFor()
    await banner.getByText(/because: the extract lacks a record/).waitFor()
    await assertAccessible(page)

    const seen = reader.getByRole('complementary', { name: 'What is held' })
    await reader.reload()
    await reader.getByRole('heading').first().waitFor()
    assert.equal(await seen.getByRole('button').count(), 0)

    await goTo(page, '/snapshots')
    assert.equal(await page.getByRole('button', { name: 'Hold refreshes' }).count(), 0)
    await refreshNow(page)
    await page
      .getByRole('dialog')
      .getByText(/Refreshes are held since .*the extract lacks a record/)
      .waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await banner.getByRole('button', { name: 'Resume refreshes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume refreshes' }).click()
    await banner.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Hold refreshes' }).waitFor()
  })

  it('is not begun in a quiet installation, which every page says until somebody ends it', async (t) => {
    const page = await site.operate(t, '/system')
    await page.getByRole('button', { name: 'Make it quiet' }).click()
    await page.getByRole('dialog').getByLabel('Why').fill('a copy of the test centre')
    await page.getByRole('dialog').getByRole('button', { name: 'Make it quiet' }).click()
    const banner = page.getByRole('complementary', { name: 'What is held' })
    for (const path of ['/system', '/accounts', '/']) {
      await goTo(page, path)
      await banner.getByText(/This installation is quiet/).waitFor()
      await banner.getByText(/because: a copy of the test centre/).waitFor()
    }
    await banner.getByRole('button', { name: 'End the quiet' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End the quiet' }).click()
    await banner.waitFor({ state: 'detached' })
  })

  it('that is refused says why, and the overview leads there', async (t) => {
    const [header] = (await readFile(bookings, 'utf8')).split('\n')
    await writeFile(bookings, `${header}\n`)
    const page = await site.operate(t, '/snapshots')
    await refreshNow(page)
    await page.getByText('Refused', { exact: true }).first().waitFor()
    await page
      .getByText(/\(ING\d+\)/)
      .first()
      .waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('The latest refresh was refused').waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: /^Refresh of / }).click()
    await page.getByRole('heading', { name: 'Snapshots', exact: true }).waitFor()
  })

  it('that was refused leads to its rejected rows until another is refused, and is followed while it runs', async (t) => {
    await writeFile(bookings, published.replaceAll(/,\d{4}-\d\d-\d\d,/g, ',someday,'))
    const headers = {
      authorization: `Bearer ${await site.tokenFor('admin')}`,
      'content-type': 'application/json',
    }
    const address = `${site.address}/api/admin/v1`
    const read = async (path: string) => (await fetch(`${address}${path}`, { headers })).json()
    for (let refused = 0; refused < 2; refused++) {
      await fetch(`${address}/snapshots/refresh`, { method: 'POST', headers, body: '{}' })
      await until(
        async () => ((await read('/snapshots/refresh')) as { readonly state: string }).state !== 'running',
      )
    }
    const { items } = (await read('/refreshes?outcome=refused')) as {
      readonly items: readonly { readonly id: string }[]
    }
    const [latest, former] = items
    const page = await site.operate(t, `/snapshots/refreshes/${latest?.id}`)
    const rows = page.getByRole('region', { name: 'Rejected rows by rule' })
    await rows.getByRole('link', { name: 'type.date' }).first().waitFor()
    let answers = 0
    await page.route(`**/refreshes/${former?.id}`, async (route) => {
      const response = await route.fetch()
      const refresh = await response.json()
      await route.fulfill({ response, json: answers++ === 0 ? { ...refresh, outcome: 'running' } : refresh })
    })
    await goTo(page, `/snapshots/refreshes/${former?.id}`)
    await page.locator('#content').getByText('Refused', { exact: true }).waitFor()
    await rows.getByText('type.date').first().waitFor()
    assert.equal(await rows.getByRole('link').count(), 0)
  })

  it('is not offered to those who may not start one', async (t) => {
    const page = await site.operate(t, '/snapshots', { role: 'author' })
    await page.getByRole('table', { name: 'Kept snapshots' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Refresh now' }).count(), 0)
  })
})
