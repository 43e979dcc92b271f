/** Secrets, organizations, persons, facets, notifications and the audit trail, as operators look after them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { prepareFurnished } from './furnish.ts'
import { goTo, openSite, type Site } from './site.ts'

let site: Site

before(async () => {
  site = await openSite({ prepare: prepareFurnished })
})
after(() => site.close())

/** As somebody else does, of the organization whose page has the address. */
async function setFacet(pageAddress: string, value: string): Promise<void> {
  const id = pageAddress.split('/').at(-1)
  const of = `${site.address}/api/admin/v1/organizations/${id}`
  const authorization = `Bearer ${await site.tokenFor('admin')}`
  const { facetInstances } = (await (await fetch(of, { headers: { authorization } })).json()) as {
    readonly facetInstances: readonly { readonly facetDefinitionId: string }[]
  }
  const response = await fetch(`${of}/facets/${facetInstances[0]?.facetDefinitionId}`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/json', 'if-match': '*' },
    body: JSON.stringify({ values: [value] }),
  })
  assert.equal(response.status, 200)
}

describe('The console', () => {
  it('writes secrets and never shows them', async (t) => {
    const page = await site.operate(t, '/secrets')
    await page.getByRole('button', { name: 'Add a secret' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('APPROVALS')
    await dialog.getByLabel('Value').fill('not to be seen again')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('There is a secret APPROVALS already').waitFor()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('crm-token')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('row', { name: /crm-token/ }).click()
    await page.getByRole('dialog', { name: 'Change crm-token' }).waitFor()
    assert.ok(!(await page.content()).includes('not to be seen again'))
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.route('**/secrets/approvals', (route) =>
      route.fulfill({ status: 403, json: { message: 'No' } }),
    )
    await page.getByRole('row', { name: /approvals/ }).click()
    await dialog.getByRole('alert').getByText('No', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('row', { name: /crm-token/ }).click()
    await dialog.getByLabel('Description').fill('Of the sales team')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /Of the sales team/ }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByLabel('Type crm-token to confirm').fill('crm-token')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('row', { name: /crm-token/ }).waitFor({ state: 'detached' })
  })

  it('walks the tree of organizations by keyboard, adds one below and sets a facet', async (t) => {
    const page = await site.operate(t, '/organizations')
    const tree = page.getByRole('tree')
    await tree.getByRole('treeitem', { name: /Southern Cross Group/ }).focus()
    await page.keyboard.press('ArrowRight')
    await tree.getByRole('treeitem', { name: /Southern Cross Rail/ }).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /Southern Cross/ }).waitFor()
    await page.getByRole('button', { name: 'Add one below' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Night shift')
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Night shift' }).waitFor()
    await page.getByRole('button', { name: 'Credit limit: Set' }).click()
    await page.getByRole('dialog').getByLabel('Value').fill('25000')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: '25000' }).waitFor()

    await page.getByRole('button', { name: 'Credit limit: Set' }).click()
    await page.getByRole('dialog').getByLabel('Value').fill('1')
    await setFacet(page.url(), '40000')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByText('Somebody has changed this').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Load it again' }).click()
    await page.getByRole('cell', { name: '40000' }).waitFor()
  })

  it('says what an import would do before it does it', async (t) => {
    const page = await site.operate(t, '/organizations/transfer')
    const csv = 'resource,number,name\norganization,H1,Harbour Cruises\n'
    await page.locator('input[type=file]').setInputFiles({
      name: 'directory.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(csv),
    })
    await page.getByRole('button', { name: 'Show what would be done' }).click()
    await page.getByText('Nothing has been written').waitFor()
    await page.getByRole('cell', { name: 'Harbour Cruises' }).waitFor()
    await page.getByRole('button', { name: 'Import 1 row' }).click()
    await page.getByText('The file is imported').waitFor()
    await page.getByRole('link', { name: 'Organizations' }).click()
    await page.getByRole('treeitem', { name: /Harbour Cruises/ }).waitFor()
  })

  it('shows a person whose name has other letters, and changes it', async (t) => {
    const page = await site.operate(t, '/persons')
    await page.getByRole('row', { name: /Đorđe Petrović/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Đorđe Petrović' }).waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('dialog').getByLabel('Title before the name').fill('Dr')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Dr Đorđe Petrović' }).waitFor()
  })

  it('sends a notification, and marks it as read', async (t) => {
    const page = await site.operate(t, '/notifications')
    await page.getByRole('button', { name: 'Send a notification' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Title' }).fill('<b>Fares</b> of March')
    await dialog.getByRole('textbox', { name: 'Message' }).fill('They are in.')
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    const row = page.getByRole('row', { name: /<b>Fares<\/b> of March/ })
    await page.route('**/read', (route) => route.fulfill({ status: 500, json: { message: 'It broke' } }))
    await row.getByRole('button', { name: 'Mark as read' }).click()
    await page.getByText('It broke').waitFor()
    await page.unroute('**/read')
    await page.route(/v1.notifications(\?|$)/, (route) =>
      route.fulfill({ status: 403, json: { message: 'No' } }),
    )
    await row.getByRole('button', { name: 'Mark as read' }).click()
    await page.getByText('The last answer is missing: No').waitFor()
    await row.waitFor()
    await page.unroute(/v1.notifications(\?|$)/)
    // It was marked; only the list could not be read again.
    await page.getByRole('checkbox', { name: 'Unread only' }).check()
    await row.waitFor({ state: 'detached' })
  })

  it('shows who changed what, with the members before and after', async (t) => {
    const page = await site.operate(t, '/audit')
    const action = page.getByRole('textbox', { name: 'What', exact: true })
    await action.fill('organization')
    await action.press('Enter')
    await page.waitForURL(/action=organization$/)
    await action.and(page.locator(':focus')).waitFor()
    await page
      .getByRole('row', { name: /organization\.create/ })
      .first()
      .click()
    const change = page.getByRole('dialog')
    await change.getByRole('region', { name: 'name', exact: true }).waitFor()
    await change.getByText('After: ').first().waitFor({ state: 'attached' })
    await page.locator('tr[aria-current=true]').filter({ hasText: 'organization.' }).waitFor()
  })

  it('offers a viewer nothing that only others may do', async (t) => {
    const page = await site.operate(t, '/organizations', { role: 'viewer' })
    await page.getByRole('treeitem').first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add an organization' }).count(), 0)
    await goTo(page, '/executions')
    await page.getByRole('table', { name: 'Executions' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Live' }).count(), 0)
    for (const name of ['Audit', 'Persons', 'Notifications']) {
      assert.equal(await page.getByRole('link', { name, exact: true }).count(), 0, name)
    }
  })
})
