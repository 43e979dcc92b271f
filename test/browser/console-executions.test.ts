/** Executions as operators watch, stop, find and repeat them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { prepareFurnished } from './furnish.ts'
import { goTo, openSite, type Site, settle } from './site.ts'

let site: Site

before(async () => {
  site = await openSite({ prepare: prepareWithSleeper })
})
after(() => site.close())

/** An endpoint that runs until somebody stops it. */
async function prepareWithSleeper(data: string, source: string): Promise<void> {
  await prepareFurnished(data, source)
  const store = await openControlStore(data)
  try {
    const { id } = await store.endpoints.create(
      {
        ...{ name: 'endless', description: '', category: 'Utility', method: 'POST', path: 'utility/endless' },
        ...{
          requiresAuthentication: false,
          allowedRoles: [],
          allowedHosts: [],
          signature: null,
          deduplication: null,
        },
        ...{ record: 'full', maskedFields: [], schedules: [] },
        limits: { milliseconds: 300_000, statements: 1_000_000_000, loops: 1_000_000_000 },
        script: 'Log("Information", "<i>has begun</i>")\nwhile true do\n  var x = 1\nend',
      },
      'test',
    )
    await store.endpoints.publish(id, 'test')
  } finally {
    await store.close()
  }
}

describe('The console', () => {
  it('shows a run while it runs, with its log lines, and stops it', async (t) => {
    const page = await site.operate(t, '/executions/live?endpointId=none')
    await page.getByRole('alert').getByText('/endpointId must match').waitFor()
    await goTo(page, '/executions/live')
    await page.getByText('Connected').waitFor()
    const answer = fetch(`${site.address}/api/dynamic/v1/utility/endless`, { method: 'POST' })
    const row = page.getByRole('row', { name: /endless/ })
    await row.getByText('Runs').waitFor()
    await page.getByText('<i>has begun</i>').waitFor()
    await row.getByRole('button', { name: 'Stop endless' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
    await row.getByText('Cancelled').waitFor()
    assert.equal((await answer).status, 503)
  })

  it('finds runs by filters that are in the address, and shows one', async (t) => {
    const page = await site.operate(t, '/executions?status=Success')
    const table = page.getByRole('table', { name: 'Executions', exact: true })
    await table.getByRole('row', { name: /Carbon report/ }).waitFor()
    assert.equal(await table.getByText('Failed').count(), 0)
    const started = await table.locator('time').first().getAttribute('datetime')
    // In the zone and the format of the browser.
    const hour = await page.evaluate(
      (text) =>
        new Date(text).toLocaleString(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' }),
      `${started?.slice(0, 13)}:00Z`,
    )
    await page.getByRole('button', { name: 'Show Executions over time as a table' }).click()
    await page.getByRole('rowheader', { name: hour }).waitFor()
    await page.getByLabel('HTTP status').fill('2xx')
    await page.keyboard.press('Enter')
    await page.waitForURL(/responseStatus=2xx/)
    // A row that is drawn anew while the mouse is pressed gets no click.
    await settle(page)
    await table
      .getByRole('row', { name: /Spend report/ })
      .first()
      .click()
    await page.getByRole('heading', { level: 1, name: 'Spend report' }).waitFor()
    await page.getByRole('textbox', { name: 'Response Body' }).waitFor()
    await page.getByText('/reports/spend/C00001').first().waitFor()
  })

  it('runs one again, and all that match after saying how many', async (t) => {
    const page = await site.operate(t, '/executions?text=health')
    await page
      .getByRole('row', { name: /Health probe/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click()
    await page.getByText('Repeats').waitFor()
    await goTo(page, '/executions?text=health')
    await page.getByRole('button', { name: 'With all that match' }).click()
    await page.getByRole('menuitem', { name: 'Run all again' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 of 2 matching executions would run again').waitFor()
    await dialog.getByRole('button', { name: 'Run 1 again' }).click()
    await page.getByText('1 of 1 have ended').waitFor()
  })

  it('deletes what matches only after it has been counted', async (t) => {
    const page = await site.operate(t, '/executions?text=unused-tickets')
    await page
      .getByRole('row', { name: /Unused tickets/ })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'With all that match' }).click()
    await page.getByRole('menuitem', { name: 'Delete all' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Delete [1-9]/ })
      .click()
    await page.getByText('No execution matches').waitFor()
  })

  it('offers a viewer neither contents nor reruns', async (t) => {
    const page = await site.operate(t, '/executions', { role: 'viewer' })
    await page
      .getByRole('row', { name: /Carbon report/ })
      .first()
      .waitFor()
    assert.equal(await page.getByRole('button', { name: 'With all that match' }).count(), 0)
    assert.equal(await page.getByLabel('Recorded text').count(), 0)
  })
})
