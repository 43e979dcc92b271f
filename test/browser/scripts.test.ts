/** Endpoints, modules and schedules in the console: written, tried, published and looked after. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, openSite, type Site } from './site.ts'

let site: Site

before(async () => {
  site = await openSite()
})
after(() => site.close())

type Json = Readonly<Record<string, unknown>>

/** As an administrator; changes whatever it is by now. */
async function admin(method: string, path: string, body?: Json): Promise<Json> {
  const response = await fetch(`${site.address}/api/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await site.tokenFor('admin')}`,
      'if-match': '*',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path}: ${text}`)
  return text === '' ? {} : (JSON.parse(text) as Json)
}

const definition = (name: string, others: Json = {}): Json => ({
  name,
  category: 'Utility',
  method: 'GET',
  path: `${name.toLowerCase()}/{name}`,
  script: 'Data._payload = { hello: Data.request.params.name }\n',
  ...others,
})

async function endpoint(name: string, others?: Json): Promise<string> {
  const { id } = await admin('POST', '/endpoints', definition(name, others))
  return id as string
}

async function published(name: string, others?: Json): Promise<string> {
  const id = await endpoint(name, others)
  await admin('POST', `/endpoints/${id}/publish`, { note: 'First' })
  return id
}

const editorIn = (page: Page, label = 'Script of the endpoint') => page.getByRole('textbox', { name: label })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })

describe('the list of endpoints', () => {
  it('is filtered by words of the address, and makes an endpoint that can be written and published', async (t) => {
    await published('Listed')
    await endpoint('Unlisted', { category: 'Webhook', method: 'POST' })
    const page = await site.operate(t, '/endpoints', { role: 'author' })
    await page.getByRole('cell', { name: 'Unlisted', exact: true }).waitFor()
    await page.getByLabel('State').selectOption('active')
    await page.getByRole('cell', { name: 'Unlisted', exact: true }).waitFor({ state: 'detached' })
    assert.match(page.url(), /state=active/)
    await page.getByRole('cell', { name: 'Listed', exact: true }).waitFor()
    await assertAccessible(page)
    await page.getByLabel('Search name').fill('nothing like it')
    await page.getByText('No endpoint fits').waitFor()

    await button(page, 'New endpoint').click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Made here')
    await page.getByLabel('Path', { exact: true }).fill('made/here')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Made here' }).waitFor()
    await editorIn(page).fill('Data._payload = { made: "here" }\n')
    await page.getByText('Unsaved changes').waitFor()
    await button(page, 'Publish').click()
    await page.getByLabel('Note').fill('Made by hand')
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Version 1 is published').waitFor()
    const answer = await fetch(`${site.address}/api/dynamic/v1/made/here`, {
      headers: { authorization: `Bearer ${await site.tokenFor('viewer')}` },
    })
    assert.deepEqual(await answer.json(), { made: 'here' })
  })
})

describe('the editor of scripts', () => {
  it('shows problems as the service finds them, completes, explains, formats, and lets the keyboard go', async (t) => {
    const id = await endpoint('Edited')
    const page = await site.operate(t, `/endpoints/${id}`, { role: 'author' })
    const editor = editorIn(page)
    await editor.fill('import "fees"\nvar rate = Substrin("abc", 1)\n')
    await page.getByText("Module 'fees' is not published").first().waitFor()
    await editor.fill('var rate = Substrin("abc", 1)\nData.payload = rate\n')
    const finding = page.getByRole('button', { name: "Unknown function 'Substrin'" })
    await finding.waitFor()
    await assertAccessible(page)
    await finding.click()
    await page.getByText('Line 1, column 20').waitFor()

    await editor.fill('if true then Data._payload = QueryBook')
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Control+Space')
    const options = page.getByRole('listbox').getByRole('option')
    await options.filter({ hasText: 'QueryBookings' }).click()
    await page.getByText('QueryBookings(').first().waitFor()
    await page.keyboard.type('"C00001"')
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' end')
    await page.getByText('No problems').waitFor()
    await page.getByText('QueryBookings', { exact: true }).first().hover()
    await page.locator('.tf-documentation').getByText('→').waitFor()

    await button(page, 'Format').click()
    await editor.locator('.cm-line').nth(3).waitFor()
    assert.deepEqual((await editor.locator('.cm-line').allTextContents()).slice(0, 3), [
      'if true then',
      '  Data._payload = QueryBookings("C00001")',
      'end',
    ])
    await editor.press('Escape')
    await page.keyboard.press('Tab')
    assert.equal(
      await editor.evaluate((element: { matches: (s: string) => boolean }) => element.matches(':focus')),
      false,
    )

    await editor.fill('Data.payload = 1\n')
    await page.getByText("did you mean 'Data._payload'?").first().waitFor()
    await page.getByText('1 warning').waitFor()
  })
})

describe('a draft that somebody else has saved meanwhile', () => {
  it('is not overwritten before what they changed was shown', async (t) => {
    const id = await endpoint('Contested')
    const page = await site.operate(t, `/endpoints/${id}`, { role: 'author' })
    await editorIn(page).fill('Data._payload = "mine"\n')
    await page.getByText('Unsaved changes').waitFor()
    const theirs = definition('Contested', { script: 'Data._payload = "theirs"\n', description: 'By them' })
    await admin('PUT', `/endpoints/${id}`, theirs)
    await button(page, 'Save draft').click()
    const dialog = page.getByRole('dialog', { name: 'Somebody else has saved the draft' })
    await dialog.getByText('user:admin@example.com saved another draft').waitFor()
    await dialog.getByText('By them').waitFor()
    await dialog.getByText('"theirs"').first().waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Overwrite with mine' }).click()
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' })
    assert.equal(((await admin('GET', `/endpoints/${id}`)).draft as Json).script, 'Data._payload = "mine"\n')
  })
})

describe('the settings of an endpoint', () => {
  it('are a form of all members, with the faults that the server finds beside them', async (t) => {
    const id = await endpoint('Settled')
    const page = await site.operate(t, `/endpoints/${id}?tab=settings`, { role: 'author' })
    await page.getByLabel('Milliseconds').fill('0')
    await page.getByLabel('Allowed hosts').fill('erp.example.com\nno host')
    await page.getByLabel('Use: Rate limit').check()
    await button(page, 'Save draft').click()
    await page.getByText('The server refused the draft').waitFor()
    const fault = async (label: string): Promise<string> => {
      const named = (await page.getByLabel(label).getAttribute('aria-describedby')) ?? ''
      const id = named.split(' ').find((one) => one.endsWith('-error'))
      return (await page.locator(`#${id}`).textContent()) ?? ''
    }
    assert.match(await fault('Milliseconds'), /1/)
    assert.match(await fault('Allowed hosts'), /^2: /)
    await assertAccessible(page)
    await page.getByLabel('Milliseconds').fill('900')
    await page.getByLabel('Allowed hosts').fill('erp.example.com')
    await button(page, 'Save draft').click()
    await page.getByText('The draft is saved').waitFor()
    const { draft } = (await admin('GET', `/endpoints/${id}`)) as { readonly draft: Json }
    assert.deepEqual(
      [draft.limits, draft.allowedHosts, draft.rateLimit],
      [{ milliseconds: 900 }, ['erp.example.com'], { calls: 1, per: 'second' }],
    )
  })
})

const writing = `Log("Information", "hello")
SetState("seen", 1)
Data._payload = { hello: Data.request.params.name, who: Data.request.user.name }
if Data.request.query.fail == "yes" then
  fail "as asked"
end
`

describe('a trial', () => {
  it('shows answer, log, held writes and the line of a problem, and leaves nothing behind', async (t) => {
    const id = await endpoint('Tried')
    const page = await site.operate(t, `/endpoints/${id}`, { role: 'author' })
    await editorIn(page).fill(writing)
    await tab(page, 'Test').click()
    await button(page, 'Run the trial').click()
    await page.getByText('Mend the marked fields').waitFor()
    assert.equal(await page.getByText('must not be empty').count(), 1, 'A refusal is told once')
    await page.getByLabel('Path parameter name').fill('Ann')
    await page.getByLabel('Caller', { exact: true }).selectOption('other')
    await page.getByLabel('Principal id').fill('user:ann')
    await button(page, 'Run the trial').click()
    const result = page.getByRole('region', { name: 'Result' })
    await result.getByText('Status 200').waitFor()
    for (const text of ['"hello": "Ann"', 'Held writes: 1', 'Log: 1', 'Statements']) {
      await result.getByText(text).first().waitFor()
    }
    await assertAccessible(page)
    await page.getByLabel('Query').fill('fail=yes')
    await button(page, 'Run the trial').click()
    await result.getByText('as asked').first().waitFor()
    assert.ok(
      !(await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).includes(
        'Ann',
      ),
    )
    await result.getByRole('button', { name: 'Line 5' }).click()
    await page.getByText('Line 5, column 3').waitFor()
    await tab(page, 'Test').click()
    assert.equal(await page.getByLabel('Path parameter name').inputValue(), 'Ann')
    const { items } = (await admin('GET', `/endpoints/${id}/state`)) as { readonly items: readonly unknown[] }
    assert.deepEqual(items, [])
  })
})

describe('a published endpoint', () => {
  it('is compared with its versions, restored, switched off and deleted', async (t) => {
    const id = await published('Versioned')
    await admin(
      'PUT',
      `/endpoints/${id}`,
      definition('Versioned', { script: 'Data._payload = 2\n', description: 'New' }),
    )
    const page = await site.operate(t, `/endpoints/${id}?tab=versions`)
    await button(page, 'Compare version 1 with the draft').click()
    const comparison = page.getByRole('region', { name: 'Comparison' })
    await comparison.getByText('Data.request.params').first().waitFor()
    await comparison.getByRole('cell', { name: 'New' }).waitFor()
    await assertAccessible(page)
    await button(page, 'Restore version 1').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await page.getByText('The scripts are equal').waitFor()
    await button(page, 'Deactivate').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    await button(page, 'Activate').waitFor()
    for (const name of ['Statistics', 'State'] as const) {
      await tab(page, name).click()
      await page.getByText(/No runs yet|The scripts keep nothing/).waitFor()
    }
    await button(page, 'Delete').click()
    const dialog = page.getByRole('dialog')
    assert.ok(await dialog.getByRole('button', { name: 'Delete' }).isDisabled())
    await dialog.getByRole('textbox').fill('Versioned')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor()
    assert.equal((await admin('GET', '/endpoints?text=versioned')).total, 0)
  })

  it('offers a viewer nothing that changes it', async (t) => {
    const id = await published('Seen')
    const page = await site.operate(t, `/endpoints/${id}`, { role: 'viewer' })
    await editorIn(page).waitFor()
    assert.equal(await editorIn(page).getAttribute('aria-readonly'), 'true')
    for (const name of ['Save draft', 'Publish', 'Deactivate', 'Delete', 'Format']) {
      assert.equal(await button(page, name).count(), 0, name)
    }
    for (const name of ['Test', 'State']) assert.equal(await tab(page, name).count(), 0, name)
    await tab(page, 'Settings').click()
    await page.getByText('Your role may look').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Name', exact: true }).isEditable(), false)
  })
})

describe('a module', () => {
  it('is written, published and compared, and tells who imports it', async (t) => {
    await admin('POST', '/modules', { name: 'fees', script: 'func fee(amount)\n  return amount\nend\n' })
    await admin('POST', '/modules/fees/publish', {})
    await published('Importer', { script: 'import "fees"\nData._payload = fee(2)\n' })
    const page = await site.operate(t, '/modules', { role: 'author' })
    await page.getByRole('row', { name: 'fees' }).press('Enter')
    const editor = editorIn(page, 'Script of the module')
    await editor.fill('Data._payload = 1\n')
    await page.getByText('A module has only functions').first().waitFor()
    await editor.fill('func fee(amount)\n  return 2 * amount\nend\n')
    await button(page, 'Publish').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Version 2 is published').waitFor()
    await tab(page, 'Versions').click()
    await button(page, 'Compare version 1 with the draft').click()
    await page.getByRole('region', { name: 'Comparison' }).getByText('2 * amount').first().waitFor()
    await tab(page, 'Imported by').click()
    await page.getByRole('row', { name: 'Endpoint Importer Version 1, older Yes' }).waitFor()
    await assertAccessible(page)
    assert.equal(await button(page, 'Delete').count(), 0)
  })
})

describe('a schedule', () => {
  it('is run now, paused and resumed', async (t) => {
    const schedules = [{ name: 'nightly', cron: '0 3 * * *', missedRuns: 'skip' }]
    await published('Scheduled', { schedules })
    const page = await site.operate(t, '/schedules', { role: 'support' })
    await button(page, 'Pause nightly').click()
    await page.getByText('nightly is paused').waitFor()
    await button(page, 'Resume nightly').click()
    await button(page, 'Pause nightly').waitFor()
    await button(page, 'Run now: nightly').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click()
    await page.getByText('nightly will begin within seconds').waitFor()
    await assertAccessible(page)
  })
})
