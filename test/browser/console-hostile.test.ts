/**
 * Names and values that would do harm as markup, that run from right to left, and that are long: in the console all of them are
 * text, in lists, details, dialogs, diffs and trials.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { assertAccessible, goTo, openSite, type Site } from './site.ts'

/** Of 200 characters, the longest name that the service takes anywhere; many take 100. */
const hostile = `<img src=x onerror=alert(1)> مركز "التكلفة" \u202eevil\u202c `.padEnd(200, 'X')
const name = hostile.slice(0, 100)
/** Every character of it means something in an address. */
const number = '<b>/%?#&$'

const [booking] = fixtureExtract.bookings.filter(({ client_number }) => client_number === harbour)

/** Of the hostile client. */
const rows = {
  clients: { name: hostile },
  custom_field_labels: { field: 'hostile', label: hostile },
  bookings: { ...booking, record_locator: 'EVIL01', traveller: hostile },
  booking_custom_data: { record_locator: 'EVIL01', field: 'hostile', value: hostile },
}

const tables = {
  ...Object.fromEntries(Object.entries(fixtureExtract).map(([table]) => [table, []])),
  ...Object.fromEntries(
    (['clients', 'custom_field_labels', 'bookings', 'booking_custom_data'] as const).map((table) => [
      table,
      rowsOf(table, [{ ...rows[table], client_number: number }]),
    ]),
  ),
} as unknown as ExtractTables

let site: Site

type Json = Readonly<Record<string, unknown>>

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
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
  return text === '' ? {} : (JSON.parse(text) as Json)
}

const idOf = (resource: unknown): string => (resource as { readonly id: string }).id

const made = { account: '', endpoint: '', organization: '', person: '', webhook: '', execution: '' }

before(async () => {
  site = await openSite({ prepare: (data, source) => publishExtract({ source, data }, tables) })
  const { account } = await admin('POST', '/accounts', { clientNumber: number, name, notes: hostile })
  made.account = idOf(account)
  const url = 'https://hooks.example.com/<b>'
  const description = hostile
  const webhook = { accountId: made.account, url, description, isActive: false }
  made.webhook = idOf((await admin('POST', '/webhooks', webhook)).webhook)
  made.organization = idOf(await admin('POST', '/organizations', { name: hostile, number: 'G1' }))
  const organizationIds = [made.organization]
  const person = { firstName: name, lastName: name, emailAddress: 'p@example.com', organizationIds }
  made.person = idOf(await admin('POST', '/persons', person))
  const facet = { resourceType: 'Organization', category: name, name, description, allowFreeText: true }
  await admin('POST', '/facet-definitions', facet)
  await admin('PUT', `/secrets/${encodeURIComponent(name.slice(0, 28))}`, { value: 'secret', description })
  await admin('POST', '/notifications', { title: name, message: hostile, type: 'Info' })
  await admin('POST', '/modules', { name: 'hostile', description, script: '' })
  await makeEndpoint()
})
after(() => site.close())

/** Published and changed, with a run. */
async function makeEndpoint(): Promise<void> {
  const text = JSON.stringify(hostile)
  const definition = {
    ...{ name, description: hostile, category: 'Utility', method: 'GET', path: 'hostile' },
    script: `Log("Information", ${text})\nData._payload = { text: ${text} }\n`,
  }
  made.endpoint = idOf(await admin('POST', '/endpoints', definition))
  await admin('POST', `/endpoints/${made.endpoint}/publish`, { note: hostile })
  const script = `Log("Warning", ${text})\n`
  await admin('PUT', `/endpoints/${made.endpoint}`, { ...definition, script, description: `${hostile} 2` })
  const headers = { authorization: `Bearer ${await site.tokenFor('admin')}` }
  const address = `${site.address}/api/dynamic/v1/hostile?${new URLSearchParams({ [hostile]: hostile })}`
  const answer = await fetch(address, { headers })
  await answer.arrayBuffer()
  made.execution = answer.headers.get('x-execution-id') ?? ''
}

/** The frame scrolls its content, so the document says nothing of it. */
const FITS = `(() => {
  const content = document.querySelector('#content')
  return document.documentElement.scrollWidth <= innerWidth && content.scrollWidth <= content.clientWidth
})()`

/** Nothing of the data became an element, and nothing is wider than the page. */
async function assertText(page: Page): Promise<void> {
  assert.equal(await page.locator('img, #content :is(script, b[onclick])').count(), 0)
  assert.ok(await page.evaluate<boolean>(FITS), `${page.url()} is not wider than the page`)
  await assertAccessible(page)
}

const lists: Readonly<Record<string, string>> = {
  '/clients': hostile,
  '/accounts': name,
  '/endpoints': name,
  '/modules': 'hostile',
  '/executions': name,
  '/organizations': hostile,
  '/persons': name,
  '/facets': name,
  '/secrets': name.slice(0, 28),
  '/webhooks': hostile,
  '/notifications': name,
  '/audit': 'account.create',
}

const button = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true })

describe('hostile data', () => {
  it('is text in every list', async (t) => {
    const page = await site.operate(t, '/clients')
    for (const [list, shown] of Object.entries(lists)) {
      await goTo(page, list)
      await page.locator('#content').getByText(shown).first().waitFor()
      await assertText(page)
    }
  })

  it('is text in every page of one thing, also on a phone', async (t) => {
    const page = await site.operate(t, '/clients', { width: 360, theme: 'dark' })
    for (const path of [
      `/clients/${encodeURIComponent(number)}`,
      `/accounts/${made.account}`,
      `/endpoints/${made.endpoint}?tab=settings`,
      `/endpoints/${made.endpoint}?tab=versions&from=1&to=draft`,
      '/modules/hostile',
      `/organizations/${made.organization}`,
      `/persons/${made.person}`,
      `/webhooks/${made.webhook}`,
      `/executions/${made.execution}`,
    ]) {
      await goTo(page, path)
      await page.locator('#content').getByText(name).first().waitFor()
      await assertText(page)
    }
  })

  it('is text in previews, dialogs and what a trial gives', async (t) => {
    const page = await site.operate(t, `/clients/${encodeURIComponent(number)}`)
    await button(page, 'Show the latest records').click()
    await page.getByText(`${hostile}: ${hostile}`).waitFor()
    await assertText(page)
    await goTo(page, `/accounts/${made.account}`)
    await button(page, 'More').click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
    assert.ok(await dialog.getByRole('button', { name: 'Delete' }).isEnabled())
    await assertText(page)
    await button(page, 'Cancel').click()
    await goTo(page, `/endpoints/${made.endpoint}?tab=test`)
    await button(page, 'Run the trial').click()
    await page.getByRole('region', { name: 'Result' }).getByText(hostile).first().waitFor()
    await assertText(page)
  })

  it('is text beside charts, in their tables, and in the dialogs of secrets and keys', async (t) => {
    const page = await site.operate(t, `/endpoints/${made.endpoint}?tab=statistics`, { width: 360 })
    for (const [path, chart] of [
      [`/endpoints/${made.endpoint}?tab=statistics`, 'Executions over time'],
      [`/executions?endpointId=${made.endpoint}`, 'Durations over time'],
      [`/accounts/${made.account}`, 'Requests per day'],
    ] as const) {
      await goTo(page, path)
      await page.getByRole('img', { name: chart }).waitFor()
      await button(page, `Show ${chart} as a table`).click()
      await page.getByRole('table', { name: chart }).waitFor()
      await assertText(page)
    }
    const dialog = page.getByRole('dialog')
    await button(page, 'Rotate the key').click()
    await dialog.getByRole('button', { name: 'Rotate the key' }).click()
    await dialog.getByText('This is shown only now').waitFor()
    await dialog.getByRole('heading', { name }).waitFor()
    await assertText(page)
    await button(page, 'I have saved it').click()
    const secret = name.slice(0, 28)
    await goTo(page, '/secrets')
    await page.getByRole('row', { name: secret }).click()
    await dialog.getByRole('heading', { name: secret }).waitFor()
    assert.equal(await dialog.getByLabel('Description').inputValue(), hostile)
    await assertText(page)
    await button(page, 'Delete').click()
    await dialog.getByLabel(`Type ${secret} to confirm`).waitFor()
    await assertText(page)
  })
})
