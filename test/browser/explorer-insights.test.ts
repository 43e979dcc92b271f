/** Charts, downloads, code to paste, changes and the rotation of the key, as a client uses them. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { assertAccessible, goTo, openSite, type Site } from './site.ts'

let site: Site

before(async () => {
  site = await openSite()
})
after(() => site.close())

/** The file has a line for each ticketed booking, after the names of the columns. */
async function assertTicketed(text: string): Promise<void> {
  assert.match(text, /^\ufeff?recordLocator,/)
  const address = `${site.address}/api/v2/bookings?filter=isTicketed%20eq%20true&top=1`
  const answer = await fetch(address, { headers: { 'X-API-Key': site.key } })
  const { _meta } = (await answer.json()) as { readonly _meta: { readonly filteredCount: number } }
  assert.equal(text.trimEnd().split('\r\n').length, _meta.filteredCount + 1)
}

describe('The explorer', () => {
  it('draws charts over the filtered list, and narrows the list by a click', async (t) => {
    const page = await site.explore(t, '/itineraries?tool=charts')
    const vendors = page.getByRole('region', { name: 'Most frequent vendors' })
    await vendors.getByText(/^The 10 largest of \d+$/).waitFor()
    await page.getByRole('link', { name: 'Invoices' }).click()
    await page.getByRole('button', { name: 'Charts' }).click()
    const chart = page.getByRole('region', { name: 'Spend by line type' })
    await chart.getByRole('button', { name: /as a table/i }).click()
    await chart.getByRole('button', { name: 'FARE' }).first().click()
    await page.waitForURL(/lineType/)
    await assertAccessible(page)
  })

  it('downloads the list as CSV under a name that says what it is', async (t) => {
    const page = await site.explore(t, '/bookings?filter=isTicketed eq true')
    // As in browsers that cannot write files.
    await page.evaluate('delete globalThis.showSaveFilePicker')
    await page.getByRole('button', { name: 'Download' }).click()
    const panel = page.getByRole('dialog')
    const saved = page.waitForEvent('download')
    await panel.getByRole('button', { name: 'Download' }).click()
    const file = await saved
    assert.match(file.suggestedFilename(), /^C00001-bookings-.+\.csv$/)
    await assertTicketed(await readFile(await file.path(), 'utf8'))
    await assertAccessible(page)
  })

  it('tells a download that was cancelled from one that broke off', async (t) => {
    const page = await site.explore(t, '/bookings?tool=download')
    // An answer that stays open, as of a slow network.
    await page.evaluate(`delete globalThis.showSaveFilePicker
      globalThis.fetch = async (_path, { signal }) => new Response(new ReadableStream({
        start(stream) {
          stream.enqueue(new Uint8Array(100_000))
          globalThis.breakOff = () => stream.error(new TypeError('network error'))
          signal.addEventListener('abort', () => stream.error(signal.reason))
        },
      }))`)
    const panel = page.getByRole('dialog')
    const start = panel.getByRole('button', { name: 'Download' })
    await start.click()
    await panel.getByText('100 kB so far').waitFor()
    await panel.getByRole('button', { name: 'Cancel' }).click()
    await panel.getByText('The download was cancelled').waitFor()
    await start.click()
    await panel.getByText('100 kB so far').waitFor()
    await page.evaluate('breakOff()')
    await panel.getByRole('alert').getByText('The server cannot be reached').waitFor()
  })

  it('writes a download to the disk as it comes, where the browser can', async (t) => {
    const page = await site.explore(t, '/bookings?filter=isTicketed eq true')
    // The dialog of the browser cannot be answered here; its answer is a file of the page's own file system.
    await page.evaluate(`globalThis.showSaveFilePicker = async ({ suggestedName }) =>
      (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })`)
    await page.getByRole('button', { name: 'Download' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()
    await page.getByText('C00001-bookings.csv is saved').waitFor()
    const text = await page.evaluate<string>(`navigator.storage.getDirectory()
      .then((folder) => folder.getFileHandle('C00001-bookings.csv'))
      .then((handle) => handle.getFile()).then((file) => file.text())`)
    await assertTicketed(text)
  })

  it('shows the query as code without the key', async (t) => {
    const page = await site.explore(t, '/bookings')
    await page.getByRole('button', { name: 'Use this query' }).click()
    for (const name of ['curl', 'Python', 'JavaScript', 'Power Query', 'DuckDB', 'URL']) {
      await page.getByRole('tab', { name, exact: true }).click()
      assert.match(await page.getByRole('tabpanel').innerText(), /\/api\/v2|bookings/)
    }
    assert.ok(!(await page.content()).includes(site.key))
    await assertAccessible(page)
  })

  it('tells what changed since a token', async (t) => {
    const page = await site.explore(t, '/changes')
    await page.getByText('Since a token').click()
    await page.getByRole('button', { name: 'Show the changes' }).click()
    await page.getByText('Save the token below').waitFor()
    const token = await page.locator('code').innerText()
    await page.getByLabel('Token', { exact: true }).fill(token)
    await page.getByRole('button', { name: 'Show the changes' }).click()
    await page.getByText('Nothing has changed since.').waitFor()
    await page.getByLabel('Token', { exact: true }).fill('no token')
    await page.getByRole('button', { name: 'Show the changes' }).click()
    await page.getByRole('alert').waitFor()
    await assertAccessible(page)
  })

  it('narrows the list to the category that is shown, although another label was chosen', async (t) => {
    const page = await site.explore(t, '/bookings?tool=charts')
    const chart = page.getByRole('region', { name: 'Bookings by label', exact: true })
    await chart.getByRole('button', { name: /as a table/ }).click()
    const label = chart.getByRole('combobox', { name: 'Label' })
    const shown = await label.inputValue()
    const category = chart.getByRole('rowheader').getByRole('button').last()
    await category.waitFor()
    await page.route(/groupby/, () => undefined)
    await label.click()
    await page.getByRole('option').last().click()
    assert.notEqual(await label.inputValue(), shown)
    await category.click()
    await page.waitForURL((url) => decodeURIComponent(url.hash).includes(`filter=customDataFields['${shown}`))
  })

  it('does not take the changes of one list for those of another', async (t) => {
    const page = await site.explore(t, '/changes')
    await page.getByText('Since a token').click()
    let answer: () => Promise<void> = async () => undefined
    await page.route('**/bookings/changes*', (route) => {
      answer = () => route.continue().catch(() => undefined)
    })
    const asked = page.waitForRequest('**/bookings/changes*')
    const left = page.waitForEvent('requestfailed')
    await page.getByRole('button', { name: 'Show the changes' }).click()
    await asked
    await page.getByText('Invoices', { exact: true }).last().click()
    await left
    await answer()
    await page.getByRole('button', { name: 'Show the changes' }).click()
    const address = `${site.address}/api/v2/invoices?top=1`
    const { _meta } = (await (await fetch(address, { headers: { 'X-API-Key': site.key } })).json()) as {
      readonly _meta: { readonly total: number }
    }
    await page.getByText(`There are ${_meta.total} records now`).waitFor()
  })

  it('says that the server cannot be reached where the browser is offline', async (t) => {
    const page = await site.explore(t, '/bookings')
    await page.getByRole('row').nth(1).waitFor()
    await page.context().setOffline(true)
    await goTo(page, '/bookings?orderby=recordLocator')
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor()
    assert.equal(await page.getByText(/^\d+ bookings$/).count(), 0, 'Nothing is counted')
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('row').nth(1).waitFor()

    await page.route('**/api/v2/bookings?*', (route) =>
      route.fulfill({ status: 403, json: { message: 'No' } }),
    )
    const again = page.waitForResponse((response) => response.status() === 403)
    await page.clock.setFixedTime(Date.now() + 60_000)
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
    await again
    await goTo(page, '/bookings?orderby=recordLocator&tool=charts')
    await page.getByRole('alert').first().waitFor()
    await page.getByRole('row').nth(1).waitFor()
  })

  it('rotates the key after saying what stops, and goes on with the new one', async (t) => {
    const page = await site.explore(t)
    await page.getByRole('link', { name: 'API key' }).click()
    await page.getByText('What will stop working').waitFor()
    await page.getByRole('button', { name: 'Rotate the key' }).click()
    const dialog = page.getByRole('dialog')
    assert.ok(await dialog.getByRole('button', { name: 'Rotate the key' }).isDisabled())
    await dialog.getByLabel('Type rotate to confirm').fill('rotate')
    await page.route('**/rotate-api-key', (route) => route.fulfill({ status: 504, body: '<h1>Gateway</h1>' }))
    await dialog.getByRole('button', { name: 'Rotate the key' }).click()
    await dialog.getByText('it is not known whether the key was rotated').waitFor()
    await page.unroute('**/rotate-api-key')
    await dialog.getByRole('button', { name: 'Rotate the key' }).click()
    const shown = page.getByRole('dialog', { name: 'The new API key' })
    const key = (await shown.locator('pre').innerText()).trim()
    assert.match(key, /^[A-Za-z0-9+/]{64}$/)
    // As where the page came by http.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await shown.getByRole('button', { name: 'Copy the key' }).click()
    await page.getByText('Select the text and copy it yourself').waitFor()
    await page.goBack()
    await page.waitForURL(/#\/key/)
    assert.equal(
      (await shown.locator('pre').innerText()).trim(),
      key,
      'Leaving the page does not lose the key',
    )
    await shown.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByRole('link', { name: 'Bookings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Bookings' }).waitFor()
    const refused = await fetch(`${site.address}/api/v2/bookings?top=1`, {
      headers: { 'X-API-Key': site.key },
    })
    assert.equal(refused.status, 401)
  })
})
