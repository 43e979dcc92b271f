/** Where an operator is after going on and back. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { publishDemo } from '../fixtures/published-extract.ts'
import { openSite, type Site } from './site.ts'

let site: Site

before(async () => {
  site = await openSite({
    prepare: async (data, source) => {
      await publishDemo({ data, source }, { clients: 2, bookings: 300 })
      const store = await openControlStore(data)
      for (let index = 0; index < 120; index++) {
        await store.accounts.create({ clientNumber: 'C00002', name: `Account ${index}` }, 'test')
      }
      await store.close()
    },
  })
})
after(() => site.close())

const scrolled = "document.querySelector('#content').scrollTop"

describe('a long list', () => {
  it('is read on and gone back to where it was left, and tells when it cannot be read on', async (t) => {
    const page = await site.operate(t, '/accounts')
    const more = page.getByRole('button', { name: 'Show more' })
    await page.route('**/accounts?*', (route) => route.fulfill({ status: 400, json: { message: 'Busy' } }))
    await more.click()
    await page.getByText('The last answer is missing: Busy').waitFor()
    await page.unroute('**/accounts?*')
    await more.click()
    await page.getByText(/^1\d\d of 121$|^121 in all$/).waitFor()
    const row = page.getByRole('row').nth(70)
    await row.scrollIntoViewIfNeeded()
    const top = await page.evaluate<number>(scrolled)
    assert.ok(top > 0)
    await row.press('Enter')
    await page.getByRole('heading', { name: 'History' }).waitFor()
    assert.equal(await page.evaluate(scrolled), 0)
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1')
    await page.goBack()
    await row.waitFor()
    assert.equal(await page.evaluate(scrolled), top)
  })
})
