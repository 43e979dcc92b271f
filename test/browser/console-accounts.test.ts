/** Looking after clients and their accounts in the console. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, openSite, type Site } from './site.ts'

let site: Site

before(async () => {
  site = await openSite()
})
after(() => site.close())

const statusOf = async (key: string): Promise<number> =>
  (await fetch(`${site.address}/api/v2/bookings?$pageSize=1`, { headers: { 'X-API-Key': key } })).status

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function shownKey(page: Page): Promise<string> {
  await button(page, 'Copy the key').click()
  const key = String(await page.evaluate('navigator.clipboard.readText()'))
  assert.match(key, /^[\w+/]{64}$/)
  await button(page, 'I have saved it').click()
  return key
}

describe('An account', () => {
  it('is issued, changed, rotated, locked and deleted', async (t) => {
    const page = await site.operate(t, '/clients')
    await page.getByRole('row', { name: /^C00002/ }).press('Enter')
    await page.getByText('This client has no account yet').waitFor()
    await button(page, 'Issue an account').click()
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByLabel('Client number').inputValue(), 'C00002')
    // The first field that is still empty.
    await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor()
    await dialog.getByLabel('Name').fill('Night export')
    await dialog.getByLabel('Notes').fill('Asked for by finance')
    await assertAccessible(page)
    await button(page, 'Issue').click()
    await page.getByText('This is shown only now').waitFor()
    await assertAccessible(page)
    const first = await shownKey(page)
    assert.equal(await statusOf(first), 200)
    await page.getByRole('heading', { name: 'Night export' }).waitFor()

    await button(page, 'Rotate the key').click()
    await dialog.getByText('The present key stops working at once').waitFor()
    await dialog.getByRole('button', { name: 'Rotate the key' }).click()
    const second = await shownKey(page)
    assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 200])

    await button(page, 'Lock').click()
    await dialog.getByRole('button', { name: 'Lock' }).click()
    await page.getByText('Locked', { exact: true }).waitFor()
    assert.equal(await statusOf(second), 401)
    await button(page, 'Unlock').click()
    await dialog.getByRole('button', { name: 'Unlock' }).click()
    await page.getByText('Active', { exact: true }).waitFor()

    await button(page, 'Edit').click()
    await dialog.getByLabel('Expires').fill('2099-12-31')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('31 Dec 2099').first().waitFor()

    await button(page, 'More').click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const remove = dialog.getByRole('button', { name: 'Delete' })
    assert.ok(await remove.isDisabled())
    await dialog.getByLabel('Type Night export to confirm').fill('Night export')
    await assertAccessible(page)
    await remove.click()
    await page.getByRole('heading', { name: 'Accounts' }).waitFor()
    assert.equal(await statusOf(second), 401)
    assert.equal(await page.getByRole('row', { name: /Night export/ }).count(), 0)
  })

  it('is not changed when somebody else has changed it meanwhile, and says what is different', async (t) => {
    const page = await site.operate(t, '/accounts')
    await page.getByRole('row', { name: /Explorer/ }).click()
    await button(page, 'Edit').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Mine')
    const id = /accounts\/([\w-]+)/.exec(page.url())?.[1]
    const response = await fetch(`${site.address}/api/admin/v1/accounts/${id}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${await site.tokenFor('admin')}`,
        'content-type': 'application/json',
        'if-match': '*',
      },
      body: '{"notes":"Theirs"}',
    })
    assert.equal(response.status, 200)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Somebody has changed this since you read it').waitFor()
    await dialog.getByRole('row', { name: 'notes – Theirs' }).waitFor()
    await assertAccessible(page)
    await button(page, 'Load it again').click()
    await page.getByText('Theirs', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Explorer' }).waitFor()
  })

  it('is found by its name, and the search is in the address', async (t) => {
    const page = await site.operate(t, '/accounts')
    await page.getByLabel('Search name, client or notes').fill('nobody')
    await page.getByText('No account matches').waitFor()
    assert.match(page.url(), /#\/accounts\?text=nobody$/)
    await page.getByLabel('Search name, client or notes').fill('explo')
    await page.getByRole('row', { name: /Explorer/ }).waitFor()
  })
})

describe('A client', () => {
  it('is shown as it sees itself to those who may, and each look is audited', async (t) => {
    const page = await site.operate(t, '/clients/C00001', { role: 'support' })
    await button(page, 'Show the latest records').click()
    await page.getByText('The latest 20 of 113').waitFor()
    await assertAccessible(page)
    await page.getByText('Invoices', { exact: true }).last().click()
    await button(page, 'Show the latest records').click()
    await page.getByText('The latest 20 of 117').waitFor()
    const headers = { authorization: `Bearer ${await site.tokenFor('admin')}` }
    const trail = await fetch(`${site.address}/api/admin/v1/audit?action=client.preview`, { headers })
    assert.equal(((await trail.json()) as { readonly items: readonly object[] }).items.length, 2)
    const other = await site.operate(t, '/clients/C00001', { role: 'viewer' })
    await other.getByRole('heading', { name: 'Accounts' }).waitFor()
    assert.equal(await button(other, 'Show the latest records').count(), 0)
  })
})

describe('What a role may not do', () => {
  for (const [role, offered] of [
    ['viewer', []],
    ['support', ['Rotate the key', 'Lock', 'More']],
    ['admin', ['Edit', 'Rotate the key', 'Lock', 'More']],
  ] as const) {
    it(`is not offered to ${role}`, async (t) => {
      const page = await site.operate(t, '/accounts', { role })
      await page.getByRole('row', { name: /Explorer/ }).waitFor()
      assert.equal(await button(page, 'Issue an account').count(), role === 'admin' ? 1 : 0)
      await page.getByRole('row', { name: /Explorer/ }).click()
      await page.getByRole('heading', { name: 'History' }).waitFor()
      const names = ['Edit', 'Rotate the key', 'Lock', 'More']
      const counts = await Promise.all(names.map((name) => button(page, name).count()))
      assert.deepEqual(
        names.filter((_, index) => counts[index] === 1),
        offered,
      )
    })
  }
})
